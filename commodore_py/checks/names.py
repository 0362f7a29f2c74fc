"""Names, labels and annotations that the API server accepts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from .base import Issue, Version, items, mapping

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .base import Content

_SUBDOMAIN = re.compile(r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*")
_LABEL = re.compile(r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?")
PATH_SEGMENT = r"^(?!\.\.?$)[^/%]*$"
"""Names that are parts of paths: almost everything is allowed in them."""
_WORD = re.compile(r"[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?")
_LONGEST_NAME, _LONGEST_LABEL = 253, 63


class _Rule(NamedTuple):
    pattern: re.Pattern[str]
    longest: int | None
    words: str


_NAME = _Rule(_SUBDOMAIN, _LONGEST_NAME, "lower case letters, digits, dashes and dots, 253 at most")
_PATH = _Rule(re.compile(PATH_SEGMENT), None, "no slash and no percent sign")
_SERVICE = _Rule(
    re.compile(r"[a-z](?:[-a-z0-9]*[a-z0-9])?"),
    _LONGEST_LABEL,
    "63 lower case letters, digits and dashes at most, a letter first",
)
_ANY_SERVICE = Version(1, 36)
"""From this version on, a digit may be the first."""
_RULES = {
    "Namespace": _Rule(_LABEL, _LONGEST_LABEL, "63 lower case letters, digits and dashes at most"),
    "Service": _SERVICE,
    "StatefulSet.apps": _Rule(_LABEL, _LONGEST_LABEL, "63 lower case letters, digits and dashes"),
    # The controller appends eleven characters to the names of its jobs.
    "CronJob.batch": _Rule(
        _SUBDOMAIN, 52, "lower case letters, digits, dashes and dots, 52 at most"
    ),
    "PodDisruptionBudget.policy": _PATH,
    **{
        f"{kind}.rbac.authorization.k8s.io": _PATH
        for kind in ("ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding")
    },
}


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
    yield from _of_metadata(area, metadata, "metadata")
    template = mapping(mapping(mapping(content.get("spec")).get("template")).get("metadata"))
    if group in ("apps", "batch"):
        yield from _of_metadata(area, template, "spec.template.metadata")


def _text(content: Content, path: tuple[str, ...]) -> str:
    found: object = content.get("spec")
    for key in path:
        found = mapping(found).get(key)
    return found if isinstance(found, str) else ""


def _of_metadata(area: str, metadata: Content, path: str) -> Iterator[Issue]:
    for key, value in mapping(metadata.get("labels")).items():
        yield from _of_key(area, key, f"{path}.labels")
        if isinstance(value, str) and value and not _is_word(value):
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
    for one in items(metadata.get("finalizers")):
        yield from _of_key(area, one or "", f"{path}.finalizers")
        alone = isinstance(one, str) and one and "/" not in one
        if alone and one not in _FINALIZERS and area != "custom-resources":
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
    prefix, slash, name = (key.lower() if lower else key).rpartition("/")
    fits = _is_word(name) and (
        not slash or (len(prefix) <= _LONGEST_NAME and _SUBDOMAIN.fullmatch(prefix) is not None)
    )
    if not fits:
        yield Issue(
            f"{area}/wrong-label",
            f"{key!r} is not a valid key",
            path,
            "write it as name or prefix/name",
            subject=key,
            value=key,
        )


def _is_word(text: str) -> bool:
    return "?{" in text or (len(text) <= _LONGEST_LABEL and _WORD.fullmatch(text) is not None)
