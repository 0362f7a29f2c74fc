"""What a case expects besides its golden output: a failure, or objects with certain fields."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, Final

from commodore_py.adapters import yaml
from commodore_py.adapters.reading import content_of
from commodore_py.errors import CommodoreError, SeveralErrors, notes_of, raise_collected
from commodore_py.manifests.documents import may_hold_objects, read, split_documents
from commodore_py.manifests.paths import ANY_DEPTH, BadPattern, parse_path
from commodore_py.manifests.secrets import hidden, masked_value

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from commodore_py.manifests.objects import KubeObject
    from commodore_py.model.tree import Tree

_SELECTING: Final = ("kind", "apiVersion", "namespace", "name")
_PATH: Final = {"type": "string", "format": "field-path"}
_SCHEMA: Final = {
    "type": ["object", "null"],
    "additionalProperties": False,
    "properties": {
        "fails": {"type": "string", "format": "regex"},
        "golden": {"type": "boolean"},
        "objects": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "minProperties": 1,
                "properties": {
                    **{key: {"type": "string"} for key in _SELECTING},
                    "count": {"type": "integer"},
                    "has": {"type": "object", "propertyNames": _PATH},
                    "lacks": {"type": "array", "items": _PATH},
                },
            },
        },
    },
}


@dataclass(frozen=True, slots=True)
class Expectations:
    """The content of `tests/<case>.expect.yml`; without that file, golden output alone."""

    fails: str = ""
    golden: bool | None = None
    objects: tuple[Mapping[str, Any], ...] = ()
    file: Path | None = None
    text: bytes = b""

    @classmethod
    def read(cls, file: Path) -> Expectations:
        """Read the file; reports all mistakes at once, with their lines."""
        from jsonschema import Draft202012Validator, FormatChecker

        text = content_of(file)
        content = yaml.load(text, name=str(file))
        formats = FormatChecker(("regex",))
        formats.checks("field-path", raises=BadPattern)(_is_path)
        validator = Draft202012Validator(_SCHEMA, format_checker=formats)
        place = cls(file=file, text=text)
        raise_collected(
            [
                place._unmet(error.message, *error.absolute_path)
                for error in validator.iter_errors(content)
            ],
            "invalid expectations",
        )
        content = content or {}
        objects = tuple(content.get("objects", ()))
        return cls(content.get("fails", ""), content.get("golden"), objects, file, text)

    @property
    def needs_golden(self) -> bool:
        """Whether the case is to have expected output."""
        return not self.fails if self.golden is None else self.golden

    def of_failure(self, error: CommodoreError) -> Iterator[CommodoreError]:
        """Problems of a compile that failed."""
        if not self.fails:
            yield error
        elif not re.search(self.fails, "\n".join(_texts_of(error)), re.MULTILINE):
            yield self._unmet(f"did not fail as expected: nothing matches {self.fails!r}", "fails")
            yield error

    def of_output(self, tree: Tree) -> Iterator[CommodoreError]:
        """Problems of the compiled output."""
        if self.fails:
            yield self._unmet(f"compiled, but was expected to fail: {self.fails!r}", "fails")
        objects = list(_objects_in(tree)) if self.objects else []
        for at, expected in enumerate(self.objects):
            selected = [each for each in objects if _is_selected(expected, each)]
            subject = " ".join(expected[key] for key in _SELECTING if key in expected) or "anything"
            count = expected.get("count")
            if count is not None and len(selected) != count:
                text = f"{len(selected)} objects match {subject}, expected {count}"
                yield self._unmet(text, "objects", at, "count")
            elif count is None and not selected:
                yield self._unmet(f"no object matches {subject}", "objects", at)
            for each in selected:
                yield from self._of_object(expected, each, at)

    def _of_object(
        self, expected: Mapping[str, Any], each: KubeObject, at: int
    ) -> Iterator[CommodoreError]:
        for path, value in expected.get("has", {}).items():
            values = list(values_at(each.content, parse_path(path)))
            if not any(_contains(actual, value) for actual in values):
                actual = f"is {_shown_at(each, path)}" if values else "is missing"
                text = f"{each.id}: {path} {actual}, expected {_shown([value])} ({each.file})"
                yield self._unmet(text, "objects", at, "has", path)
        for step, path in enumerate(expected.get("lacks", ())):
            if any(True for _ in values_at(each.content, parse_path(path))):
                text = f"{each.id}: {path} exists: {_shown_at(each, path)} ({each.file})"
                yield self._unmet(text, "objects", at, "lacks", step)

    def _unmet(self, text: str, *path: object) -> CommodoreError:
        line = yaml.line_at(self.text, (0, *path))
        return CommodoreError(text, where=f"{self.file}:{line}")


def values_at(value: object, path: Sequence[str]) -> Iterator[object]:
    """Everything that a path of patterns leads to (pure)."""
    if not path:
        yield value
        return
    word, *rest = path
    if word == ANY_DEPTH:
        yield from values_at(value, rest)
        inner = value.values() if isinstance(value, Mapping) else value
        for each in inner if isinstance(inner, Iterable) and not isinstance(inner, str) else ():
            yield from values_at(each, path)
    elif isinstance(value, Mapping):
        for key, below in value.items():
            if not word.startswith("[") and fnmatchcase(str(key), word.replace("[", "[[]")):
                yield from values_at(below, rest)
    elif isinstance(value, list) and word.startswith("["):
        for at, below in enumerate(value):
            if _is_item(word[1:], at, below):
                yield from values_at(below, rest)


def _is_item(word: str, at: int, item: object) -> bool:
    if "=" not in word:
        return word in ("*", str(at))
    fields = item if isinstance(item, Mapping) else {}
    pairs = (pair.partition("=") for pair in word.split(","))
    return all(fnmatchcase(str(fields.get(name)), wanted) for name, _, wanted in pairs)


def _is_path(value: object) -> bool:
    return not isinstance(value, str) or bool(parse_path(value))


def _contains(actual: object, expected: object) -> bool:
    """Whether a value is the expected one; of a mapping, whether it has these keys."""
    if isinstance(expected, Mapping) and isinstance(actual, Mapping):
        return all(key in actual and _contains(actual[key], v) for key, v in expected.items())
    return type(actual) is type(expected) and actual == expected


def _objects_in(tree: Tree) -> Iterator[KubeObject]:
    for path, entry in tree.items():
        if may_hold_objects(str(path)):
            for part in split_documents(entry.content):
                document = read(part, str(path))
                yield from document.objects if document is not None else ()


def _is_selected(expected: Mapping[str, Any], each: KubeObject) -> bool:
    values = {
        "kind": each.id.kind,
        "apiVersion": str(each.content.get("apiVersion")),
        "namespace": each.id.namespace,
        "name": each.id.name,
    }
    return all(fnmatchcase(values[key], expected.get(key, "*")) for key in _SELECTING)


def _texts_of(error: CommodoreError) -> Iterator[str]:
    yield from (str(error), error.where, *notes_of(error))
    for each in error.errors if isinstance(error, SeveralErrors) else ():
        yield from _texts_of(each)


def _shown_at(each: KubeObject, path: str) -> str:
    (content,) = hidden([each.content], b"Secret")
    return _shown([masked_value(value) for value in values_at(content, parse_path(path))])


def _shown(values: Sequence[object]) -> str:
    return ", ".join(yaml.dump([value]).decode()[2:].strip() for value in values[:3])
