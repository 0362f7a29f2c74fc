"""Hide values of Secrets and references, and ignored differences (pure)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, TypeAlias

from commodore_py.manifests.secrets import has_reference, with_references_replaced
from commodore_py.manifests.values import same

from . import managed
from .predict import normalised

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from commodore_py.manifests.objects import Content, ObjectId
    from commodore_py.manifests.settings import Ignored

_Value: TypeAlias = Any
_Path: TypeAlias = tuple[str, ...]
Reveal: TypeAlias = "Callable[[str], str]"
"""What a reference stands for."""

OTHER_VALUE = "***"
"""In place of a live value that is not the one of its reference."""
REFERENCES, IGNORED = "references", "ignored"
_FIRST, _MORE = "+" * 8, "+" * 4


@dataclass(frozen=True, slots=True)
class Settled:
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
    reveal: Reveal | None = None,
) -> Settled:
    """Give what is not compared in a prediction its live value.

    Rules about managers need the live object as it was served. With `reveal`, values of
    references are compared, but not shown.
    """
    counts: Counter[str] = Counter()
    live, predicted = _without_references(live, predicted, counts, reveal)
    for rule in rules:
        if not applies(rule, id_):
            continue
        for pointer in rule.pointers:
            before, predicted = predicted, _as_live(live, predicted, parsed(pointer))
            counts[IGNORED] += not same(before, predicted)
        if rule.managers:
            predicted, count = managed.with_fields_of(rule.managers, served or {}, live, predicted)
            counts[IGNORED] += count
    return Settled(live, predicted, {name: count for name, count in counts.items() if count})


def applies(rule: Ignored, id_: ObjectId) -> bool:
    """Return whether a rule is for an object."""
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
    live: _Value, predicted: _Value, counts: Counter[str], reveal: Reveal | None
) -> tuple[_Value, _Value]:
    """A value that a reference stands for equals anything, or what it stands for."""
    if isinstance(predicted, dict) and isinstance(live, dict):
        pairs = {
            key: _without_references(live[key], new, counts, reveal)
            for key, new in predicted.items()
            if key in live
        }
        olds = {key: pairs[key][0] if key in pairs else old for key, old in live.items()}
        news = {key: pairs[key][1] if key in pairs else new for key, new in predicted.items()}
        return olds, news
    if isinstance(predicted, list) and isinstance(live, list) and len(live) == len(predicted):
        items = [
            _without_references(old, new, counts, reveal)
            for old, new in zip(live, predicted, strict=True)
        ]
        return [old for old, _ in items], [new for _, new in items]
    if isinstance(predicted, str) and not same(live, predicted) and has_reference(predicted):
        if reveal is None:
            counts[REFERENCES] += 1
        elif live != with_references_replaced(predicted, reveal):
            return OTHER_VALUE, predicted
        return live, live
    return live, predicted


_MISSING = object()


def _as_live(live: _Value, predicted: _Value, path: _Path) -> _Value:
    """A prediction with the live value at a path; a path that leads nowhere changes nothing."""
    if not path:
        return live
    name, *rest = path
    now, then = _step(live, name), _step(predicted, name)
    if rest:
        if now is _MISSING or then is _MISSING:
            return predicted
        now = _as_live(now, then, tuple(rest))
    if isinstance(predicted, dict):
        others = {
            key: value for key, value in predicted.items() if now is not _MISSING or key != name
        }
        return others if now is _MISSING else {**others, name: now}
    if isinstance(predicted, list) and name.isdigit():
        at = int(name)
        return [*predicted[:at], *([] if now is _MISSING else [now]), *predicted[at + 1 :]]
    return predicted


def _step(value: _Value, name: str) -> _Value:
    if isinstance(value, dict):
        return value.get(name, _MISSING)
    if isinstance(value, list) and name.isdigit() and int(name) < len(value):
        return value[int(name)]
    return _MISSING


def is_secret(group: str, kind: str) -> bool:
    """Return whether an object has values that are not shown."""
    return (group, kind) == ("", "Secret")


def hidden_values(versions: Iterable[Content]) -> tuple[dict[str, Any], ...]:
    """Versions of one Secret: each distinct value of a key is another run of `+`."""
    runs: dict[str, list[str]] = {}
    return tuple(_masked(normalised(version), runs) for version in versions)


def _masked(content: dict[str, Any], runs: dict[str, list[str]]) -> dict[str, Any]:
    masked = dict(content)
    for name in ("data", "stringData"):
        fields = content.get(name)
        if isinstance(fields, dict):
            masked[name] = {
                key: _run(runs.setdefault(key, []), value) for key, value in fields.items()
            }
        elif fields is not None:
            masked[name] = _FIRST  # what is not a mapping is hidden as a whole
    return masked


def _run(values: list[str], value: object) -> str:
    text = "" if value is None else repr(value)
    if text not in values:
        values.append(text)
    return _FIRST + _MORE * values.index(text)
