"""How rules about several fields report what is wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from commodore_py.checks.base import Issue, items, mapping

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from commodore_py.checks.base import Content

    Rule = Callable[[Content], Iterator[Issue]]

_AREA = "kubernetes-schema"


def wrong(
    field: str, text: str, remedy: str = "", *, subject: str = "", options: tuple[str, ...] = ()
) -> Issue:
    """A value that does not fit the others."""
    return Issue(f"{_AREA}/wrong-value", text, field, remedy, subject or field, options=options)


def missing(field: str, name: str, why: str = "") -> Issue:
    """A field that others require."""
    text = f"the required field {name} is missing{why}"
    return Issue(f"{_AREA}/missing-field", text, field, subject=name)


def twice(field: str, names: Iterable[object], word: str) -> Iterator[Issue]:
    """Names that are in a list more than once."""
    seen = set()
    for name in names:
        if isinstance(name, str) and name:
            if name in seen:
                yield wrong(field, f"the {word} {name} is there twice", subject=name)
            seen.add(name)


def spec_of(content: Content) -> Mapping[str, Any]:
    """The specification of an object."""
    return mapping(content.get("spec"))


def each(values: object) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """The mappings in a list, with their numbers."""
    return ((number, mapping(one)) for number, one in enumerate(items(values)))


def fields_of(values: object, key: str) -> list[object]:
    """One field of each mapping in a list."""
    return [one.get(key) for _, one in each(values)]


def is_set(value: object) -> bool:
    """Whether a field has a value for the server."""
    return value not in (None, "", 0, [], {})
