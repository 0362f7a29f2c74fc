"""Replace the values of a Secret: equal ones stay equal, and nothing else is seen (pure)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from .predict import normalised

if TYPE_CHECKING:
    from collections.abc import Iterable

    from commodore_py.manifests.objects import Content

_Object: TypeAlias = dict[str, Any]

FIRST, MORE = "+" * 8, "+" * 4


def is_secret(group: str, kind: str) -> bool:
    """Whether an object has values that are not shown."""
    return (group, kind) == ("", "Secret")


def hidden_values(versions: Iterable[Content]) -> tuple[_Object, ...]:
    """Versions of one Secret: each distinct value of a key is another run of `+`."""
    runs: dict[str, list[str]] = {}
    return tuple(_masked(normalised(one), runs) for one in versions)


def _masked(content: _Object, runs: dict[str, list[str]]) -> _Object:
    found = dict(content)
    for name in ("data", "stringData"):
        fields = content.get(name)
        if isinstance(fields, dict):
            found[name] = {
                key: _run(runs.setdefault(key, []), value) for key, value in fields.items()
            }
        elif fields is not None:
            found[name] = FIRST  # what is not a mapping is hidden as a whole
    return found


def _run(values: list[str], value: object) -> str:
    text = "" if value is None else repr(value)
    if text not in values:
        values.append(text)
    return FIRST + MORE * values.index(text)
