"""A YAML file that is edited: its parts, how it is laid out, and what cannot be edited in it."""

from __future__ import annotations

import codecs
import re
from typing import TYPE_CHECKING

from commodore_py.errors import CommodoreError

from .parts import parts_of, text_of
from .pieces import Layout

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .parts import Part

    Path = Sequence[str | int]

_MERGE = "<<"


class Refused(CommodoreError):
    """A change that cannot be made without touching something else."""


class Absent(CommodoreError):
    """There is nothing at this path."""


class Source:
    """A file as text with line feeds, the last line included, and its parts."""

    def __init__(self, data: bytes, name: str) -> None:
        self.data = data
        self.name = name
        self.text = text_of(data, name=name)
        self._is_open = bool(self.text.strip()) and not self.text.endswith("\n")
        if self._is_open:
            self.text += "\n"
        self.root = parts_of(self.text, name=name)
        self.parts = list(self.root.all()) if self.root else []
        if self._is_open and self.root is not None and _needs_line_break(self.root):
            last = self.parts[-1]
            raise self.refused("the file ends in this text, without a line break; add one", last)

    def bytes_of(self, text: str) -> bytes:
        """A text that was edited as it is stored: the rest of the file keeps its form."""
        root = parts_of(text, name=self.name) if self._is_open and self.root else None
        if root is not None and not _needs_line_break(root):
            text = text.removesuffix("\n")
        if b"\r\n" in self.data:
            text = text.replace("\n", "\r\n")
        mark = codecs.BOM_UTF8 if self.data.startswith(codecs.BOM_UTF8) else b""
        return mark + text[1 if mark else 0 :].encode()

    def follow(self, path: Path) -> list[Part]:
        """The parts on the way, as far as there are any."""
        trail: list[Part] = []
        part = self.root
        while part is not None and len(trail) < len(path):
            item = self._below(part, path[len(trail)])
            if item is None:
                keys = [item.key.text for item in part.items if item.key]
                if len(path) - len(trail) > 1 and _MERGE in keys:
                    raise self.refused(f"`{_MERGE}` merges a mapping here", part)
                break
            self.refuse_odd_key(item)
            self.refuse_uses(item, (item,))
            trail.append(item)
            part = item
        return trail

    def _below(self, part: Part, step: str | int) -> Part | None:
        if isinstance(step, int):
            if part.kind != "list":
                raise self.refused("this is not a list", part)
            if step >= len(part.items):
                raise self.refused(f"the list has {len(part.items)} items, and no [{step}]", part)
            return part.items[step]
        if part.kind != "mapping":
            if part.is_null or (part.kind == "list" and not part.items):
                return None
            raise self.refused("this is not a mapping", part)
        named = [item for item in part.items if item.name == step]
        if len(named) > 1:
            raise self.refused(f"key `{step}` stands here twice", named[1].first)
        return named[0] if named else None

    def refuse_odd_key(self, item: Part) -> None:
        """Refuse keys that are not followed by a colon, or that another place may refer to."""
        key = item.key
        if key is not None and (
            key.kind != "scalar"
            or key.anchor
            or not re.match(r"[ \t]*:", self.text[key.end : key.end + 80])
            or self.text[: key.start].rstrip(" ").endswith("?")
        ):
            raise self.refused("this form of a key cannot be edited", key)

    def refuse_uses(self, part: Part, anchored: Iterable[Part]) -> None:
        """Refuse to change an alias, or what aliases outside of the part refer to."""
        if part.kind == "alias":
            raise self.refused(f"alias *{part.text} stands for the value of another place", part)
        anchors = {inner.anchor for inner in anchored} - {""}
        uses = [use for use in self.parts if use.kind == "alias" and use.text in anchors]
        if any(not part.start <= use.start < part.end for use in uses):
            lines = ", ".join(str(self.line(use.start)) for use in uses)
            raise self.refused(f"anchor &{uses[0].text} is used in line {lines}, too", part)

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
        return self.text.index("\n", index)

    def starts_line(self, index: int) -> bool:
        """Return whether only blanks stand before a character."""
        return not self.text[self.line_start(index) : index].strip(" ")

    def comments(self, start: int, end: int) -> list[str]:
        """The comment lines between two places, but for the rest of the first line."""
        lines = []
        at = self.text.find("\n", start) + 1
        while 0 < at < end:
            line = self.text[at : self.line_end(at)]
            if line.lstrip().startswith("#") and not any(
                part.kind == "scalar" and part.start < at < part.end for part in self.parts
            ):
                lines.append(line)
            at += len(line) + 1
        return lines

    def layout_at(
        self, index: int, indent: int, kept: Sequence[str] = (), *, in_list: bool = False
    ) -> Layout:
        """How to lay out what ends in a line: as the first mapping and the first list below a key.

        A block of text would swallow comments that stand as far to the right as it does.
        """
        steps: dict[str, int] = {}
        for part in () if in_list else (item for holder in self.parts for item in holder.items):
            if part.key is None or part.in_brackets or not part.is_block:
                continue
            if self.line(part.start) > self.line(part.key.end):
                step = self.column(part.items[0].lead) - self.column(part.lead)
                steps.setdefault(part.kind, step)
        layout = Layout(steps.get("mapping", 2), steps.get("list", 2))
        following = [*kept, *self.text[self.line_end(index) :].split("\n")]
        comment = next((line for line in following if line.strip()), "")
        swallowed = re.match(f" {{{indent + layout.step},}}#", comment)
        return layout._replace(blocks_of_text=not swallowed)

    def with_lines(self, index: int, lines: Sequence[str]) -> str:
        """The text with more lines below that of a character."""
        end = self.line_end(index)
        return self.text[:end] + "\n".join(["", *lines]) + self.text[end:]


def _needs_line_break(root: Part) -> bool:
    """Return whether the last line break of a file is part of a block of text."""
    *_, last = root.all()
    return last.style in {"|", ">"} and last.text.endswith("\n")
