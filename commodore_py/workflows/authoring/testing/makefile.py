"""Variables of a Makefile, as far as they can be read without running make."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from commodore_py.adapters.reading import content_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

_INCLUDE = re.compile(r"(?:-|s)?include\s+(?P<names>.+)")
_ASSIGNMENT = re.compile(
    r"(?:(?P<targets>[^\s:#=][^:#=]*?)\s*:\s*)?(?:(?:export|override|private)\s+)*"
    r"(?P<name>[A-Za-z_][\w.-]*)\s*(?P<how>\?=|\+=|:{1,3}=|=)\s*(?P<text>.*)"
)
_REFERENCE = re.compile(r"\$(?:\$|\((?P<round>[^()$]*)\)|\{(?P<curly>[^{}$]*)\}|(?P<other>.?))")
_COMMENT = re.compile(r"(?<!\\)#.*")
_CONTINUED = re.compile(r"\s*\\\n\s*")
_MOST_LEVELS = 20
_LONGEST = 100_000


class Unknowable(ValueError):
    """A text with calls of make's functions, or with variables that are set nowhere."""


@dataclass(frozen=True, slots=True)
class Assignment:
    """A line that sets a variable, for everything or for a target."""

    name: str
    how: str
    text: str


@dataclass(slots=True)
class Variables:
    """Variables, unexpanded; both branches of conditions count."""

    everywhere: dict[str, str] = field(default_factory=dict)
    for_targets: dict[str, list[Assignment]] = field(default_factory=dict)

    @classmethod
    def read(cls, folder: Path) -> Variables:
        """What the Makefile of a folder sets, and the files that it includes."""
        found = cls()
        found._take(folder / "Makefile", ())
        return found

    def _take(self, file: Path, above: tuple[Path, ...]) -> None:
        if file in above or not file.is_file():
            return
        for line in _lines(content_of(file).decode(errors="replace")):
            if included := _INCLUDE.fullmatch(line):
                for name in included["names"].split():
                    # In its place: the lines below may add to what it sets.
                    self._take(
                        above[0].parent / name if above else file.parent / name, (*above, file)
                    )
            elif found := _ASSIGNMENT.fullmatch(line):
                one = Assignment(found["name"], found["how"], found["text"].strip())
                for target in (found["targets"] or "").split():
                    self.for_targets.setdefault(target, []).append(one)
                if not found["targets"]:
                    _assign(self.everywhere, one)

    def text(self, name: str, *, targets: Iterable[str] = (), **given: str) -> str:
        """A variable's value for a target, and for one that this is needed for."""
        known = dict(self.everywhere)
        for target in targets:
            for one in self.for_targets.get(target, ()):
                _assign(known, one)
        return expanded(known.get(name, ""), {**known, **given})


def _lines(text: str) -> Iterator[str]:
    for line in _CONTINUED.sub(" ", text).splitlines():
        if not line.startswith("\t"):
            yield _COMMENT.sub("", line).strip()


def _assign(known: dict[str, str], one: Assignment) -> None:
    before = known.get(one.name)
    if one.how == "?=":
        known.setdefault(one.name, one.text)
    elif one.how == "+=" and before:
        known[one.name] = f"{before} {one.text}"
    else:
        known[one.name] = one.text


def expanded(text: str, known: Mapping[str, str]) -> str:
    """The text with the values of its variables (pure)."""
    values: dict[str, str] = {}

    def of_text(one: str, level: int) -> str:
        length = 0

        def of_reference(found: re.Match[str]) -> str:
            nonlocal length
            name = found["round"] or found["curly"] or ""
            if found[0] == "$$":
                return "$"
            if name not in known or level > _MOST_LEVELS:
                raise Unknowable(found[0])
            if name not in values:
                values[name] = of_text(known[name], level + 1)
            length += len(values[name])
            if length > _LONGEST:
                raise Unknowable(f"{found[0]} makes a text of more than {_LONGEST} characters")
            return values[name]

        return _REFERENCE.sub(of_reference, one)

    return of_text(text, 0)
