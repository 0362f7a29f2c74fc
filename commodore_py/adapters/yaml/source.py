"""A YAML text that is edited: its parts, how it is laid out, and what cannot be edited in it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from commodore_py.errors import CommodoreError

from .parts import Part, parts_of
from .pieces import Layout

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    Path = Sequence[str | int]

MARKS = "=~"
"""What a key may begin with in a hierarchy."""
_MERGE = "<<"


class Refused(CommodoreError):
    """A change that cannot be made without touching something else."""


class Absent(CommodoreError):
    """There is nothing at this path."""


@dataclass(frozen=True, slots=True)
class Place:
    """A value, and where it is in what holds it."""

    container: Part
    position: int
    part: Part
    key: Part | None

    @property
    def siblings(self) -> Sequence[Part | tuple[Part, Part]]:
        """Everything directly in the container, this place included."""
        return self.container.pairs or self.container.items

    @property
    def first(self) -> Part:
        """Its key, or the value of an item."""
        return self.part if self.key is None else self.key

    @property
    def following(self) -> Part:
        """Where the next value begins: at its key, if it has one."""
        sibling = self.siblings[self.position + 1]
        return sibling[0] if isinstance(sibling, tuple) else sibling


class Source:
    """A text, its parts, and how it is laid out."""

    def __init__(self, text: str, name: str) -> None:
        self.text = text
        self.name = name
        self.root = parts_of(text, name=name)
        parts = list(self.root.all()) if self.root else []
        self.aliases = [part for part in parts if part.kind == "alias"]
        self.scalars = [part for part in parts if part.kind == "scalar"]
        for part in parts:
            if part.tag:
                raise self.refused(f"tag {part.tag} cannot be edited around", part)

    @property
    def layout(self) -> Layout:
        """How the text indents, by the first mapping and the first list below a key."""
        steps: dict[str, int] = {}
        for part in self.root.all() if self.root else ():
            for key, value in part.pairs if part.style != "flow" else ():
                if value.is_block and self.line(value.start) > self.line(key.end):
                    first = value.pairs[0][0].start if value.pairs else self.dash(value.items[0])
                    steps.setdefault(value.kind, self.column(first) - self.column(key.start))
        return Layout(steps.get("mapping", 2), steps.get("list", 2))

    def follow(self, path: Path) -> list[Place]:
        """The places on the way, as far as there are any."""
        trail: list[Place] = []
        if self.root is None:
            return trail
        part = self.root
        for step in path:
            place = self._below(part, step)
            if place is None:
                break
            trail.append(place)
            part = place.part
            if place.key is not None:
                self.refuse_odd_key(place.key)
            if self._uses(part.anchor):
                raise self._shared(part)
        left = len(path) - len(trail)
        if left > 1 and any(key.text == _MERGE for key, _ in part.pairs):
            raise self.refused(f"`{_MERGE}` merges a mapping here", part)
        return trail

    def _below(self, part: Part, step: str | int) -> Place | None:
        if isinstance(step, int):
            if part.kind != "list":
                raise self.refused("this is not a list", part)
            if step >= len(part.items):
                raise self.refused(f"the list has {len(part.items)} items, and no [{step}]", part)
            return Place(part, step, part.items[step], None)
        if part.kind == "alias":
            raise self.refused(f"alias *{part.text} stands for the value of another place", part)
        if part.kind != "mapping":
            if part.is_null or part.is_empty_list:
                return None
            raise self.refused("this is not a mapping", part)
        positions = [
            index for index, (key, _) in enumerate(part.pairs) if key.text.lstrip(MARKS) == step
        ]
        if len(positions) > 1:
            raise self.refused(f"key `{step}` stands here twice", part.pairs[positions[1]][0])
        if not positions:
            return None
        key, value = part.pairs[positions[0]]
        return Place(part, positions[0], value, key)

    def refuse_odd_key(self, key: Part) -> None:
        """Refuse keys that are not followed by a colon, or that another place may refer to."""
        if (
            key.kind != "scalar"
            or key.anchor
            or not re.match(r"[ \t]*:", self.text[key.end : key.end + 80])
            or self.text[: key.start].rstrip(" ").endswith("?")
        ):
            raise self.refused("this form of a key cannot be edited", key)

    def refuse_uses(self, part: Part) -> None:
        """Refuse to remove what aliases elsewhere lead to, or an alias."""
        if part.kind == "alias":
            raise self.refused(f"alias *{part.text} stands for the value of another place", part)
        for inner in part.all():
            outside = [
                use for use in self._uses(inner.anchor) if not part.start <= use.start < part.end
            ]
            if outside:
                raise self._shared(inner)

    def _uses(self, anchor: str) -> list[Part]:
        return [alias for alias in self.aliases if anchor and alias.text == anchor]

    def _shared(self, part: Part) -> Refused:
        lines = ", ".join(str(self.line(use.start)) for use in self._uses(part.anchor))
        return self.refused(f"anchor &{part.anchor} is used in line {lines}, too", part)

    def refused(self, problem: str, part: Part) -> Refused:
        """An error with the line of a part."""
        return Refused(problem, where=f"{self.name}:{self.line(part.start)}")

    def line(self, index: int) -> int:
        """The number of the line of a character."""
        return self.text.count("\n", 0, index) + 1

    def column(self, index: int) -> int:
        """How far to the right a character stands."""
        return index - self.line_start(index)

    def line_start(self, index: int) -> int:
        """Where the line of a character begins."""
        return self.text.rfind("\n", 0, index) + 1

    def line_end(self, index: int) -> int:
        """Where the line of a character ends, before its line break."""
        end = self.text.find("\n", index)
        if end < 0:
            return len(self.text)
        return end - 1 if self.text[end - 1 : end] == "\r" and end > index else end

    def starts_line(self, index: int) -> bool:
        """Return whether only blanks stand before a character."""
        return not self.text[self.line_start(index) : index].strip(" ")

    def dash(self, item: Part) -> int:
        """Where the dash of an item of a list stands."""
        return self.text.rindex("-", 0, max(item.start, 1))

    def head_end(self, place: Place) -> int:
        """Behind the colon or the dash of a value."""
        if place.key is None:
            return self.dash(place.part) + 1
        return self.text.index(":", place.key.end) + 1

    def line_break(self, index: int) -> str:
        """The line break of a line, or that of the line before if it has none."""
        end = self.text.find("\n", index)
        if end < 0:
            end = self.text.rfind("\n", 0, index)
        return "\r\n" if end > 0 and self.text[end - 1] == "\r" else "\n"

    def comments(self, start: int, end: int) -> Iterator[str]:
        """The comment lines between two places, but for the rest of the first line."""
        at = self.text.find("\n", start) + 1
        while 0 < at < end:
            stop = self.line_end(at)
            line = self.text[at:stop]
            if line.lstrip().startswith("#") and not any(
                part.start < at < part.end for part in self.scalars
            ):
                yield line
            at = self.text.find("\n", stop) + 1

    def layout_before(self, index: int, indent: int, layout: Layout, kept: Sequence[str]) -> Layout:
        """How to lay out what ends before the rest of the text.

        A block of text would swallow comments that stand as far to the right as it does, and lacks
        its last line break where the file does.
        """
        stop = self.line_end(index)
        following = "\n".join([*kept, self.text[stop:]]).split("\n")
        comment = next((line for line in following if line.strip()), "")
        swallowed = re.match(f" {{{indent + layout.step},}}#", comment)
        ends = stop < len(self.text) or bool(kept)
        return layout._replace(blocks_of_text=ends and not swallowed)

    def with_lines(self, index: int, lines: Iterable[str]) -> str:
        """The text with more lines below that of a character."""
        end = self.line_end(index)
        last = self.scalars[-1] if self.scalars else None
        if last and end == last.end == len(self.text) and last.style in {"|", ">"}:
            # It would get a line break that the file does not have.
            raise self.refused("the file ends in this text, without a line break; add one", last)
        breaks = self.line_break(index)
        return f"{self.text[:end]}{''.join(breaks + line for line in lines)}{self.text[end:]}"
