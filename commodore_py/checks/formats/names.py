"""Names, labels and annotations that the API server accepts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from commodore_py.checks.base import Issue, Version, items, mapping

from .paths import PATH_SEGMENT
from .texts import (
    LABEL,
    LONGEST_LABEL,
    LONGEST_NAME,
    SUBDOMAIN,
    is_key,
    is_word,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from commodore_py.checks.base import Content


class _Rule(NamedTuple):
    pattern: re.Pattern[str]
    longest: int | None
    words: str


_NAME = _Rule(SUBDOMAIN, LONGEST_NAME, "lower case letters, digits, dashes and dots, 253 at most")
_PATH = _Rule(re.compile(PATH_SEGMENT), None, "no slash and no percent sign")
_SERVICE = _Rule(
    re.compile(r"[a-z](?:[-a-z0-9]*[a-z0-9])?"),
    LONGEST_LABEL,
    "63 lower case letters, digits and dashes at most, a letter first",
)
_ANY_SERVICE = Version(1, 36)
"""From this version on, a digit may be the first."""
_RULES = {
    "Namespace": _Rule(LABEL, LONGEST_LABEL, "63 lower case letters, digits and dashes at most"),
    "Service": _SERVICE,
    "StatefulSet.apps": _Rule(LABEL, LONGEST_LABEL, "63 lower case letters, digits and dashes"),
    # The controller appends eleven characters to the names of its jobs.
    "CronJob.batch": _Rule(
        SUBDOMAIN, 52, "lower case letters, digits, dashes and dots, 52 at most"
    ),
    # The controller labels pods with it.
    "Job.batch": _Rule(
        SUBDOMAIN, LONGEST_LABEL, "lower case letters, digits, dashes and dots, 63 at most"
    ),
    "PodDisruptionBudget.policy": _PATH,
    **{
        f"{kind}.rbac.authorization.k8s.io": _PATH
        for kind in ("ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding")
    },
}


_MOST_NOTES = 256 << 10
_ANY_FINALIZERS = {
    "admissionregistration.k8s.io",
    "apiextensions.k8s.io",
    "apiregistration.k8s.io",
    "coordination.k8s.io",
    "node.k8s.io",
    "policy",
}
"""Groups for whose objects the server knows no finalizers."""
_FINALIZERS = {"orphan", "foregroundDeletion", "kubernetes"}
# Names that are made from fields of the specification.
_MADE = {
    ("apiregistration.k8s.io", "APIService"): (("version",), ("group",)),
    ("apiextensions.k8s.io", "CustomResourceDefinition"): (("names", "plural"), ("group",)),
}


def name_issues(area: str, content: Content, version: Version | None = None) -> Iterator[Issue]:
    """Whether the API server accepts the name of an object, its labels and annotations."""
    api_version, kind = content["apiVersion"], content["kind"]
    metadata = mapping(content.get("metadata"))
    if api_version.startswith("?{"):
        return
    group = api_version.rpartition("/")[0]
    name = metadata.get("name")
    rule = _RULES.get(f"{kind}.{group}" if group else kind, _NAME)
    if rule is _SERVICE and version is not None and version >= _ANY_SERVICE:
        rule = _RULES["Namespace"]
    if isinstance(name, str) and (name or not metadata.get("generateName")):
        long = rule.longest is not None and len(name) > rule.longest
        if not name or long or rule.pattern.fullmatch(name) is None:
            text = f"{name!r} is not a valid name for a {kind}"
            yield Issue(
                f"{area}/wrong-name", text, "metadata.name", rule.words, subject=name, value=name
            )
        made = ".".join(_text(content, path) for path in _MADE.get((group, kind), ()))
        if made and name != made:
            text = f"the name must be {made}"
            yield Issue(f"{area}/wrong-name", text, "metadata.name", subject=name, value=name)
    known = area != "custom-resources" and group not in _ANY_FINALIZERS
    yield from _of_metadata(area, metadata, "metadata", known=known)
    template = mapping(mapping(mapping(content.get("spec")).get("template")).get("metadata"))
    if group in ("apps", "batch"):
        yield from _of_metadata(area, template, "spec.template.metadata")


def _text(content: Content, path: tuple[str, ...]) -> str:
    found: object = content.get("spec")
    for key in path:
        found = mapping(found).get(key)
    return found if isinstance(found, str) else ""


def _of_metadata(area: str, metadata: Content, path: str, *, known: bool = True) -> Iterator[Issue]:
    for key, value in mapping(metadata.get("labels")).items():
        yield from _of_key(area, key, f"{path}.labels")
        if isinstance(value, str) and value and "?{" not in value and not is_word(value):
            yield Issue(
                f"{area}/wrong-label",
                f"the value of label {key} is not valid",
                f"{path}.labels.{key}",
                "63 letters, digits, dashes, underscores and dots at most, "
                "the first and last a letter or digit",
                subject=str(key),
                value=value,
            )
    for key in mapping(metadata.get("annotations")):
        # Unlike labels, annotations may have upper case letters in the prefix.
        yield from _of_key(area, key, f"{path}.annotations", lower=True)
    notes = mapping(metadata.get("annotations"))
    if sum(len(f"{key}{value}".encode()) for key, value in notes.items()) > _MOST_NOTES:
        text = "the annotations have more than 256 KiB"
        yield Issue(f"{area}/wrong-label", text, f"{path}.annotations", subject=path)
    for one in items(metadata.get("finalizers")):
        yield from _of_key(area, one or "", f"{path}.finalizers")
        alone = isinstance(one, str) and one and "/" not in one
        if alone and one not in _FINALIZERS and known:
            text = f"finalizer {one!r} has no prefix"
            yield Issue(
                f"{area}/wrong-label",
                text,
                f"{path}.finalizers",
                "write it as prefix/name",
                subject=one,
            )
    for number, owner in enumerate(items(metadata.get("ownerReferences"))):
        for key in ("apiVersion", "kind", "name", "uid"):
            if mapping(owner).get(key, "") in ("", None):
                field = f"{path}.ownerReferences[{number}]"
                text = f"the required field {key} is missing"
                yield Issue(f"{area}/missing-field", text, field, subject=key)


def _of_key(area: str, key: object, path: str, *, lower: bool = False) -> Iterator[Issue]:
    if not isinstance(key, str) or "?{" in key:
        return
    if not is_key(key.lower() if lower else key):
        yield Issue(
            f"{area}/wrong-label",
            f"{key!r} is not a valid key",
            path,
            "write it as name or prefix/name",
            subject=key,
            value=key,
        )
