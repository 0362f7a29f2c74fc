"""Who may do what: roles, their subjects, and the priorities of requests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commodore_py.checks.formats.texts import accepts

from .issues import each, missing, spec_of, wrong

if TYPE_CHECKING:
    from collections.abc import Iterator

    from commodore_py.checks.base import Content, Issue

_FIELDS = {"Group": "group", "ServiceAccount": "serviceAccount", "User": "user"}
"""The field that describes a subject of a kind."""


def role_issues(content: Content) -> Iterator[Issue]:
    """Rules of roles are about resources or about URLs."""
    for number, rule in each(content.get("rules")):
        field = f"rules[{number}]"
        if rule.get("nonResourceURLs"):
            if content["kind"] == "Role":
                yield wrong(f"{field}.nonResourceURLs", "only a ClusterRole has URLs")
            elif rule.get("apiGroups") or rule.get("resources"):
                yield wrong(field, "it has resources and URLs", "write two rules")
        else:
            for name in ("apiGroups", "resources"):
                if not rule.get(name):
                    yield missing(field, name)


def subject_issues(content: Content) -> Iterator[Issue]:
    """Service accounts have a namespace and a name."""
    for number, subject in each(content.get("subjects")):
        if subject.get("kind") == "ServiceAccount":
            field = f"subjects[{number}]"
            if content["kind"] == "ClusterRoleBinding" and not subject.get("namespace"):
                yield missing(field, "namespace")
            if not accepts("subdomain")(subject.get("name")):
                yield wrong(f"{field}.name", "it is not the name of a service account")


def flow_issues(content: Content) -> Iterator[Issue]:
    """A subject is described by the field of its kind; resources have namespaces, or none."""
    for number, rule in each(spec_of(content).get("rules")):
        for index, one in each(rule.get("subjects")):
            name = _FIELDS.get(str(one.get("kind")))
            if name is not None and one.get(name) is None:
                yield missing(f"spec.rules[{number}].subjects[{index}]", name)
        for index, one in each(rule.get("resourceRules")):
            field = f"spec.rules[{number}].resourceRules[{index}]"
            if not one.get("namespaces") and not one.get("clusterScope"):
                yield missing(field, "namespaces")
            for name, values in one.items():
                if isinstance(values, list) and "*" in values and len(values) > 1:
                    yield wrong(f"{field}.{name}", "* stands for all: write it alone")
