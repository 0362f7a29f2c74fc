"""Differences that are not shown: values of references, fields of the cluster, settings (pure)."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from commodore_py.manifests.secrets import has_reference, with_references_replaced
from commodore_py.manifests.values import canonical, same

from . import managed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from commodore_py.manifests.objects import Content, ObjectId
    from commodore_py.manifests.settings import Ignored

_Value: TypeAlias = Any
_Path: TypeAlias = tuple[str, ...]
Delete: TypeAlias = "Callable[[str, _Value], _Value]"
"""Delete what a jq expression names; a value that it does not fit is returned as it is."""

Reveal: TypeAlias = "Callable[[str], str]"
"""What a reference stands for."""

OTHER_VALUE = "***"
"""In place of a live value that is not the one of its reference."""
REFERENCES, REBASE, IGNORED = "references", "rebase", "ignored"
ANY_ITEM = "*"

# Fields that the cluster sets: where the target has none, the live value counts.
REBASED: Mapping[tuple[str, str], Sequence[_Path]] = {
    ("", "Namespace"): (
        ("spec", "finalizers"),
        *(
            ("metadata", "annotations", f"openshift.io/sa.scc.{name}")
            for name in ("mcs", "supplemental-groups", "uid-range")
        ),
    ),
    ("", "PersistentVolumeClaim"): (
        ("metadata", "annotations", "pv.kubernetes.io/bind-completed"),
        ("metadata", "annotations", "pv.kubernetes.io/bound-by-controller"),
        ("metadata", "annotations", "volume.kubernetes.io/storage-provisioner"),
        *(("spec", name) for name in ("storageClassName", "volumeMode", "volumeName")),
    ),
    ("", "Pod"): (("spec", "nodeName"),),
    ("", "Service"): tuple(
        ("spec", name) for name in ("clusterIP", "clusterIPs", "healthCheckNodePort")
    ),
    ("admissionregistration.k8s.io", "MutatingWebhookConfiguration"): (
        ("webhooks", ANY_ITEM, "clientConfig", "caBundle"),
    ),
    ("admissionregistration.k8s.io", "ValidatingWebhookConfiguration"): (
        ("webhooks", ANY_ITEM, "clientConfig", "caBundle"),
    ),
    ("apiextensions.k8s.io", "CustomResourceDefinition"): (
        ("spec", "conversion", "webhook", "clientConfig", "caBundle"),
    ),
    ("apiregistration.k8s.io", "APIService"): (("spec", "caBundle"),),
    ("apps", "Deployment"): (("metadata", "annotations", "deployment.kubernetes.io/revision"),),
}


class Settled(NamedTuple):
    """Two versions of an object without what is not shown, and how often each rule counted."""

    live: _Value
    predicted: _Value
    hidden: Mapping[str, int]


def settle(
    id_: ObjectId,
    live: _Value,
    predicted: _Value,
    rules: Iterable[Ignored],
    *,
    served: Content | None = None,
    delete: Delete | None = None,
    reveal: Reveal | None = None,
) -> Settled:
    """Take out of both versions what is not compared.

    Rules about managers need the live object as it was served, those in jq something to run them.
    With `reveal`, values of references are compared, but not shown.
    """
    counts: dict[str, int] = {}
    live, predicted = _without_references(live, predicted, counts, reveal)
    for path in REBASED.get((id_.group, id_.kind), ()):
        predicted = _rebased(live, predicted, path, counts)
    for rule in rules:
        if applies(rule, id_):
            live, predicted, hidden = _ignored(rule, live, predicted, served or {}, delete)
            if hidden:
                counts[IGNORED] = counts.get(IGNORED, 0) + hidden
    return Settled(live, predicted, counts)


def _ignored(
    rule: Ignored, live: _Value, predicted: _Value, served: Content, delete: Delete | None
) -> tuple[_Value, _Value, int]:
    hidden = 0
    for pointer in rule.pointers:
        path = parsed(pointer)
        hidden += not same(_at(live, path), _at(predicted, path))
        live, predicted = _removed(live, path), _removed(predicted, path)
    for expression in rule.jq:
        if delete is None:
            break
        mine, its = delete(expression, live), delete(expression, predicted)
        hidden += not same(_gone(live, mine), _gone(predicted, its))
        live, predicted = mine, its
    for fields in managed.fields_of(served, rule.managers):
        live, predicted, count = managed.without(fields, live, predicted)
        hidden += count
    return live, predicted, hidden


def _gone(before: _Value, after: _Value) -> _Value:
    """What was deleted, at its place."""
    if isinstance(before, dict) and isinstance(after, dict):
        pairs = ((key, _gone(one, after.get(key))) for key, one in before.items())
        return {key: one for key, one in pairs if one not in ({}, [])}
    if isinstance(before, list) and isinstance(after, list):
        kept = {canonical(one) for one in after}
        return [one for one in before if canonical(one) not in kept]
    return {} if same(before, after) else before


def applies(rule: Ignored, id_: ObjectId) -> bool:
    """Whether a rule is for an object."""
    key = f"{id_.group}/{id_.kind}"
    pattern = rule.pattern if "/" in rule.pattern else f"/{rule.pattern}"
    return (
        fnmatchcase(key, pattern)
        and rule.name in ("", id_.name)
        and rule.namespace in ("", id_.namespace)
    )


def parsed(pointer: str) -> _Path:
    """The steps of a JSON pointer."""
    words = pointer.split("/")[1:]
    return tuple(word.replace("~1", "/").replace("~0", "~") for word in words)


def _without_references(
    live: _Value, predicted: _Value, counts: dict[str, int], reveal: Reveal | None
) -> tuple[_Value, _Value]:
    """A value that a reference stands for equals anything, or what it stands for."""
    if isinstance(predicted, dict) and isinstance(live, dict):
        both = {
            key: _without_references(live[key], one, counts, reveal)
            for key, one in predicted.items()
            if key in live
        }
        olds = {key: both[key][0] if key in both else one for key, one in live.items()}
        news = {key: both[key][1] if key in both else one for key, one in predicted.items()}
        return olds, news
    if isinstance(predicted, list) and isinstance(live, list) and len(live) == len(predicted):
        items = [
            _without_references(old, new, counts, reveal)
            for old, new in zip(live, predicted, strict=True)
        ]
        return [old for old, _ in items], [new for _, new in items]
    if isinstance(predicted, str) and not same(live, predicted) and has_reference(predicted):
        if reveal is None:
            counts[REFERENCES] = counts.get(REFERENCES, 0) + 1
        elif live != with_references_replaced(predicted, reveal):
            return OTHER_VALUE, predicted
        return live, live
    return live, predicted


def _rebased(  # noqa: PLR0911 - a line per shape
    live: _Value, predicted: _Value, path: _Path, counts: dict[str, int]
) -> _Value:
    name, *rest = path
    if name == ANY_ITEM:
        if not (isinstance(live, list) and isinstance(predicted, list)):
            return predicted
        named = {one.get("name"): one for one in live if isinstance(one, dict)}
        return [
            _rebased(named[one["name"]], one, tuple(rest), counts)
            if isinstance(one, dict) and one.get("name") in named
            else one
            for one in predicted
        ]
    if not (isinstance(live, dict) and isinstance(predicted, dict)) or name not in live:
        return predicted
    if rest:
        if name not in predicted:
            return predicted
        return {**predicted, name: _rebased(live[name], predicted[name], tuple(rest), counts)}
    if name in predicted:
        return predicted
    counts[REBASE] = counts.get(REBASE, 0) + 1
    return {**predicted, name: live[name]}


_MISSING = object()


def _at(value: _Value, path: _Path) -> _Value:
    for name in path:
        value = _step(value, name)
    return None if value is _MISSING else value


def _step(value: _Value, name: str) -> _Value:
    if isinstance(value, dict):
        return value.get(name, _MISSING)
    if isinstance(value, list) and name.isdigit() and int(name) < len(value):
        return value[int(name)]
    return _MISSING


def _removed(value: _Value, path: _Path) -> _Value:
    """A value without what is at a path; a path that leads nowhere changes nothing."""
    if not path:
        return value
    name, *rest = path
    below = _step(value, name)
    if below is _MISSING:
        return value
    if isinstance(value, dict):
        if rest:
            return {**value, name: _removed(below, tuple(rest))}
        return {key: one for key, one in value.items() if key != name}
    at = int(name)
    middle = [_removed(below, tuple(rest))] if rest else []
    return [*value[:at], *middle, *value[at + 1 :]]
