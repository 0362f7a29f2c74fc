"""YAML files as filters see them: read once in a run, however many filters read them."""

from __future__ import annotations

from commodore_py.adapters import yaml
from commodore_py.adapters.jsonnet.evaluate import Inexpressible, Json, to_jsonnet

# Parsed, a text takes some twenty times its size.
_MOST_BYTES = 2 * 2**20


class Documents:
    """Documents by the content of their files. They are shared and must not be changed."""

    def __init__(self, most_bytes: int = _MOST_BYTES) -> None:
        self._most_bytes = most_bytes
        self._single: dict[bytes, Json] = {}
        self._all: dict[bytes, tuple[Json, ...]] = {}
        self._kept = 0

    def single(self, content: bytes, *, name: str) -> Json:
        """The only document of a file; `name` is its path."""
        if content not in self._single:
            self._make_room(content)
            self._single[content] = _converted(yaml.load(content, name=name), content, name, 0)
        return self._single[content]

    def all(self, content: bytes, *, name: str) -> tuple[Json, ...]:
        """Every document of a file, empty ones as None."""
        if content not in self._all:
            self._make_room(content)
            self._all[content] = tuple(
                _converted(document, content, name, number)
                for number, document in enumerate(yaml.load_all(content, name=name))
            )
        return self._all[content]

    def _make_room(self, content: bytes) -> None:
        """Forget all rather than grow with the cluster: most files are read by one filter."""
        self._kept += len(content)
        if self._kept > self._most_bytes:
            self._single.clear()
            self._all.clear()
            self._kept = len(content)


def _converted(value: object, content: bytes, name: str, number: int) -> Json:
    """A document as Jsonnet holds it; an error has the line of what it cannot hold."""
    try:
        return to_jsonnet(value)
    except Inexpressible as error:
        line = yaml.line_at(content, (number, *error.path))
        error.where = f"{name}:{line}"
        raise
