"""Read the fields that rules need with the types that Kubernetes gives them (pure)."""

from __future__ import annotations

from typing import Any

from commodore_py.model.names import kind_of

_LARGEST = 2**63


class Undecodable(ValueError):
    """A field has a value of another type."""


class Fields:
    """A part of an object; what is absent or null is zero or empty."""

    def __init__(self, value: Any, path: str = "") -> None:  # noqa: ANN401 - of any type
        self.value, self._path = value, path

    def text(self, *path: str) -> str:
        """A string."""
        return str(_typed(*self._at(path), ""))

    def flag(self, *path: str) -> bool:
        """A boolean."""
        return bool(_typed(*self._at(path), False))  # noqa: FBT003 - what is absent

    def number(self, *path: str) -> int:
        """An integer."""
        return self.number_or_none(*path) or 0

    def number_or_none(self, *path: str) -> int | None:
        """An integer whose absence differs from a zero."""
        value, at = self._at(path)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise _wrong(value, at, 0)
        if -_LARGEST <= value < _LARGEST:
            return int(value)
        raise Undecodable(f"{at} is out of range: {value}")

    def each(self, *path: str) -> list[Fields]:
        """The items of a list."""
        value, at = self._at(path)
        return [Fields(item, f"{at}[{n}]") for n, item in enumerate(_typed(value, at, []))]

    def texts(self, *path: str) -> dict[str, str]:
        """Strings by name, such as annotations."""
        value, at = self._at(path)
        return {n: _typed(text, f"{at}.{n}", "") for n, text in _typed(value, at, {}).items()}

    def below(self, *path: str) -> Fields | None:
        """A mapping whose absence counts."""
        value, at = self._at(path)
        return None if value is None else Fields(_typed(value, at, {}), at)

    def _at(self, path: tuple[str, ...]) -> tuple[object, str]:
        value, at = self.value, self._path
        for name in path:
            value, at = _typed(value, at, {}).get(name), f"{at}.{name}" if at else name
        return value, at


def _typed(value: object, path: str, default: object) -> Any:  # noqa: ANN401 - as the default
    if value is None:
        return default
    if not isinstance(value, type(default)):
        raise _wrong(value, path, default)
    return value


def _wrong(value: object, path: str, default: object) -> Undecodable:
    return Undecodable(f"{path or 'the object'} is {kind_of(value)}, not {kind_of(default)}")
