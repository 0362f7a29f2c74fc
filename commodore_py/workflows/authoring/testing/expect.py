"""What a case expects besides its golden output: a failure, or objects with certain fields."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from commodore_py.adapters import yaml
from commodore_py.adapters.jsonnet.cpu_limit import TookTooLong, cpu_limit
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

_KEYS = {"fails": str, "golden": bool, "objects": list}
_OBJECT_KEYS = {
    "kind": str,
    "apiVersion": str,
    "namespace": str,
    "name": str,
    "count": int,
    "has": dict,
    "lacks": list,
}
_WORDS = {
    str: "a string",
    bool: "true or false",
    list: "a list",
    dict: "a mapping",
    int: "a number",
}
_MOST_SECONDS = 5
"""CPU time for the pattern of an expected failure."""
_SELECTING = ("kind", "apiVersion", "namespace", "name")


@dataclass(frozen=True, slots=True)
class ObjectExpectation:
    """Objects that must exist, and their expected fields."""

    selects: Mapping[str, str]
    count: int | None
    has: Mapping[str, object]
    lacks: tuple[str, ...]
    at: int
    """Its place in the list."""

    def __str__(self) -> str:
        return " ".join(self.selects[key] for key in _SELECTING if key in self.selects)


@dataclass(frozen=True, slots=True)
class Expectations:
    """The content of `tests/<case>.expect.yml`; without that file, golden output alone."""

    fails: str = ""
    golden: bool | None = None
    objects: tuple[ObjectExpectation, ...] = ()
    file: Path | None = None
    text: bytes = b""

    @classmethod
    def read(cls, file: Path) -> Expectations:
        """Read the file; reports all mistakes at once, with their lines."""
        text = content_of(file)
        content = yaml.load(text, name=str(file))
        found = cls(file=file, text=text)
        if content is None:
            return found
        if not isinstance(content, dict):
            raise CommodoreError("expectations must be a mapping", where=f"{file}:1")
        raise_collected(found._problems(content), "invalid expectations")
        return cls(
            content.get("fails", ""),
            content.get("golden"),
            tuple(
                _object_expectation(at, one) for at, one in enumerate(content.get("objects", ()))
            ),
            file,
            text,
        )

    @property
    def needs_golden(self) -> bool:
        """Whether the case is to have expected output."""
        return not self.fails if self.golden is None else self.golden

    def of_failure(self, error: CommodoreError) -> Iterator[CommodoreError]:
        """Problems of a compile that failed."""
        if not self.fails:
            yield error
            return
        try:
            with cpu_limit(_MOST_SECONDS, "its pattern"):
                found = re.search(self.fails, "\n".join(_texts_of(error)), re.MULTILINE)
        except TookTooLong as out:
            yield self._unmet(f"fails cannot be compared: {out}", "fails")
            return
        if not found:
            yield self._unmet(f"did not fail as expected: nothing matches {self.fails!r}", "fails")
            yield error

    def of_output(self, tree: Tree) -> Iterator[CommodoreError]:
        """Problems of the compiled output."""
        if self.fails:
            yield self._unmet(f"compiled, but was expected to fail: {self.fails!r}", "fails")
        if not self.objects:
            return
        there = [
            one
            for path, entry in tree.items()
            if may_hold_objects(str(path))
            for part in split_documents(entry.content)
            for document in [read(part, str(path))]
            if document is not None
            for one in document.objects
        ]
        for expectation in self.objects:
            found = [one for one in there if _selected(expectation, one)]
            yield from self._of_objects(expectation, found)

    def _of_objects(
        self, expectation: ObjectExpectation, found: Sequence[KubeObject]
    ) -> Iterator[CommodoreError]:
        if expectation.count is not None and len(found) != expectation.count:
            text = f"{len(found)} objects match {expectation}, expected {expectation.count}"
            yield self._unmet(text, "objects", expectation.at, "count")
        if expectation.count is None and not found:
            yield self._unmet(f"no object matches {expectation}", "objects", expectation.at)
        for one in found:
            for path, value in expectation.has.items():
                there = list(values_at(one.content, parse_path(path)))
                if not any(_holds(actual, value) for actual in there):
                    seen = f"is {_shown_at(one, path)}" if there else "is missing"
                    text = f"{one.id}: {path} {seen}, expected {_shown([value])}"
                    yield self._unmet(
                        f"{text} ({one.file})", "objects", expectation.at, "has", path
                    )
            for at, path in enumerate(expectation.lacks):
                there = list(values_at(one.content, parse_path(path)))
                if there:
                    text = f"{one.id}: {path} exists: {_shown_at(one, path)} ({one.file})"
                    yield self._unmet(text, "objects", expectation.at, "lacks", at)

    def _problems(self, content: Mapping[Any, Any]) -> Iterator[CommodoreError]:
        yield from self._wrong_keys(content, _KEYS)
        pattern = content.get("fails")
        try:
            re.compile(pattern if isinstance(pattern, str) else "")
        except re.error as error:
            yield self._unmet(f"fails is not a valid regular expression: {error}", "fails")
        objects = content.get("objects")
        for at, one in enumerate(objects if isinstance(objects, list) else ()):
            if not isinstance(one, dict):
                yield self._unmet("an entry of objects must be a mapping", "objects", at)
                continue
            yield from self._wrong_keys(one, _OBJECT_KEYS, "objects", at)
            if not {*one} & {*_SELECTING}:
                yield self._unmet(
                    "an entry needs kind, apiVersion, namespace or name", "objects", at
                )
            for key in ("has", "lacks"):
                paths = one.get(key)
                for step, path in enumerate(paths if isinstance(paths, dict | list) else ()):
                    place = path if key == "has" else step
                    yield from self._wrong_path(path, "objects", at, key, place)

    def _wrong_keys(
        self, content: Mapping[Any, Any], known: Mapping[str, type], *path: object
    ) -> Iterator[CommodoreError]:
        for key, value in content.items():
            kind = known.get(key) if isinstance(key, str) else None
            if kind is None:
                yield self._unmet(
                    f"unknown key {key}: expected one of {', '.join(known)}", *path, key
                )
            elif not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
                yield self._unmet(f"{key} must be {_WORDS[kind]}", *path, key)

    def _wrong_path(self, path: object, *place: object) -> Iterator[CommodoreError]:
        try:
            parse_path(path if isinstance(path, str) else "")
        except BadPattern:
            yield self._unmet(f"{path!r} is not a valid field path", *place)

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
        for one in _below(value):
            yield from values_at(one, path)
    elif isinstance(value, Mapping):
        for key, below in value.items():
            if not word.startswith("[") and fnmatchcase(str(key), word.replace("[", "[[]")):
                yield from values_at(below, rest)
    elif isinstance(value, list) and word.startswith("["):
        for at, below in enumerate(value):
            if _is_item(word[1:], at, below):
                yield from values_at(below, rest)


def _below(value: object) -> Iterator[object]:
    if isinstance(value, Mapping):
        yield from value.values()
    elif isinstance(value, list):
        yield from value


def _is_item(word: str, at: int, item: object) -> bool:
    if "=" not in word:
        return word == "*" or word == str(at)
    known = item if isinstance(item, Mapping) else {}
    pairs = (pair.partition("=") for pair in word.split(","))
    return all(fnmatchcase(str(known.get(name)), wanted) for name, _, wanted in pairs)


def _holds(actual: object, wanted: object) -> bool:
    """Whether a value is the wanted one; of a mapping, whether it has these keys."""
    if isinstance(wanted, Mapping) and isinstance(actual, Mapping):
        return all(key in actual and _holds(actual[key], one) for key, one in wanted.items())
    return type(actual) is type(wanted) and actual == wanted


def _selected(expectation: ObjectExpectation, one: KubeObject) -> bool:
    known = {
        "kind": one.id.kind,
        "apiVersion": str(one.content.get("apiVersion")),
        "namespace": one.id.namespace,
        "name": one.id.name,
    }
    return all(fnmatchcase(known[key], wanted) for key, wanted in expectation.selects.items())


def _object_expectation(at: int, one: Mapping[str, Any]) -> ObjectExpectation:
    return ObjectExpectation(
        {key: one[key] for key in _SELECTING if key in one},
        one.get("count"),
        one.get("has", {}),
        tuple(one.get("lacks", ())),
        at,
    )


def _texts_of(error: CommodoreError) -> Iterator[str]:
    yield str(error)
    yield error.where
    yield from notes_of(error)
    for one in error.errors if isinstance(error, SeveralErrors) else ():
        yield from _texts_of(one)


def _shown_at(one: KubeObject, path: str) -> str:
    (content,) = hidden([one.content], b"Secret")
    return _shown([masked_value(value) for value in values_at(content, parse_path(path))])


def _shown(values: Sequence[object]) -> str:
    return ", ".join(yaml.dump([one]).decode()[2:].strip() for one in values[:3])
