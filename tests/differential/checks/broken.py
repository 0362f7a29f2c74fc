"""Objects with one difference from a good one: most are broken by it, some are not."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator

    from commodore_py.manifests.objects import Content

Path: TypeAlias = "tuple[str | int, ...]"


class Sample(NamedTuple):
    """An object, and what is different in it."""

    content: Content
    change: str


_VALUES: tuple[Any, ...] = (
    None,
    True,
    0,
    -1,
    7,
    1.5,
    3_000_000_000,
    10**20,
    "",
    "a",
    "Other Word",
    "5",
    "1e3",
    "100m",
    "1Gb",
    "1 Gi",
    "50%",
    "2026-01-01",
    "2026-01-01T00:00:00Z",
    "@@@",
    [],
    ["a"],
    [1],
    [None],
    [{}],
    {},
    {"a": "b"},
    {"a": 1},
)
_EMPTY: tuple[Any, ...] = (None, "", [], [None], {})
_NAMES = (
    *("a", "a.b", "-a", "a-", "A", "a_b", "a/b", "a%b", "", "..", "9", "ä", "a..b", "a b"),
    *("x" * 63, "x" * 64, "x" * 253, "x" * 254, "system:one", "v1.example.org"),
)
_KEYS = ("", "a", "a b", "example.com/a", "/a", "a/", "x" * 64, "A/b", "a/b/c", "-a", "ä")
_WORDS = ("", "a", "a b", "-a", "a-", "x" * 63, "x" * 64, "A.b_c", 1, True, None, ["a"])


def samples(good: Content, chance: random.Random, count: int) -> Iterator[Sample]:
    """The good object, and `count` others, each with one change."""
    yield Sample(good, "good")
    kinds = (_value, _value, _value, _without, _without, _more, _misspelt, _named, _labelled)
    for number in range(count):
        content = copy.deepcopy(good)
        yield Sample(content, kinds[number % len(kinds)](content, chance))


def emptied(good: Content) -> Iterator[Sample]:
    """Each field of an object with each value that may mean that it is absent."""
    for path in _paths(good):
        for value in _EMPTY:
            content = copy.deepcopy(good)
            _at(content, path[:-1])[path[-1]] = value
            yield Sample(content, f"{_text(path)} = {value!r}")


def _paths(value: Any, path: Path = ()) -> Iterator[Path]:  # noqa: ANN401 - any value
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in pairs:
        if (*path, key) not in (("apiVersion",), ("kind",), ("metadata",), ("metadata", "name")):
            yield (*path, key)
        if isinstance(inner, dict | list):
            yield from _paths(inner, (*path, key))


def _at(content: Any, path: Path) -> Any:  # noqa: ANN401 - as above
    for step in path:
        content = content[step]
    return content


def _value(content: Any, chance: random.Random) -> str:  # noqa: ANN401 - as above
    path = chance.choice(list(_paths(content)))
    value = chance.choice(_VALUES)
    _at(content, path[:-1])[path[-1]] = value
    return f"{_text(path)} = {value!r}"


def _without(content: Any, chance: random.Random) -> str:  # noqa: ANN401 - as above
    path = chance.choice(list(_paths(content)))
    del _at(content, path[:-1])[path[-1]]
    return f"without {_text(path)}"


def _more(content: Any, chance: random.Random) -> str:  # noqa: ANN401 - as above
    places = [
        path
        for path in [(), ("metadata",), *_paths(content)]
        if isinstance(_at(content, path), dict)
    ]
    path = chance.choice(places)
    _at(content, path)["surplus"] = chance.choice(["a", 1, None, {}])
    return f"{_text(path)}.surplus"


def _misspelt(content: Any, chance: random.Random) -> str:  # noqa: ANN401 - as above
    path = chance.choice([path for path in _paths(content) if isinstance(path[-1], str)])
    last = str(path[-1])
    name = chance.choice([last + "s", last.upper(), last.title(), last[:-1], "surplus"])
    holder = _at(content, path[:-1])
    holder[name] = holder.pop(last)
    return f"{_text(path)} written {name}"


def _named(content: Any, chance: random.Random) -> str:  # noqa: ANN401 - as above
    name = chance.choice(_NAMES)
    content["metadata"]["name"] = name
    return f"name {name!r}"


def _labelled(content: Any, chance: random.Random) -> str:  # noqa: ANN401 - as above
    field = chance.choice(["labels", "annotations", "finalizers", "ownerReferences"])
    key, value = chance.choice(_KEYS), chance.choice(_WORDS)
    made: Any = {key: value}
    if field == "finalizers":
        made = [chance.choice([key, value])]
    elif field == "ownerReferences":
        made = [{"apiVersion": "v1", "kind": "Pod", "name": "a", "uid": value}]
    content["metadata"][field] = made
    return f"{field} {made!r}"


def _text(path: Path) -> str:
    return ".".join(map(str, path))
