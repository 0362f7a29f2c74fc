"""The part of a lock file that was read: blocks, and the comments about them (pure)."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from commodore_py.dependencies.lock.document import Block, Comment, Lock
from commodore_py.dependencies.lock.renovate import RENOVATE

if TYPE_CHECKING:
    from commodore_py.dependencies.lock.document import Path

_FORMER = re.compile(
    r"# Lock of (?:cluster .*|a component or a package)\."
    r" Made by commodore; your comments are kept\."
)


class Reading:
    """Blocks and comments in the order of the lines."""

    def __init__(self) -> None:
        self.blocks: dict[Path, Block] = {}
        self.top: dict[str, Any] = {}
        self.top_comments: dict[str, Comment] = {}
        self._above: list[str] = []
        self._path: Path | None = None
        self._hint = ""

    def comment(self, line: str) -> None:
        """A line with a comment; it is about the next entry or block."""
        if line.startswith(f"{RENOVATE} "):
            self._hint = line.removeprefix(f"{RENOVATE} ")
        elif not _FORMER.fullmatch(line):
            self._above.append(line)

    def begin(self, path: Path, beside: str, line: int) -> bool:
        """A block begins; False if it is there already."""
        if path in self.blocks:
            return False
        self._path = path
        self.blocks[path] = Block({}, self._taken("", beside, {}), line=line)
        return True

    def entry(self, key: str, value: object, beside: str) -> None:
        """A value of the block."""
        block = self.blocks[self._path] if self._path else None
        values: dict[str, Any] = block.values if block else self.top  # type: ignore[assignment]
        values.setdefault(key, value)
        if self._above or beside or self._hint:
            if block is None or self._path is None:
                self.top_comments = self._taken(key, beside, self.top_comments)
            else:
                comments = self._taken(key, beside, dict(block.comments))
                hint = self._hint if key == "version" else block.hint
                self.blocks[self._path] = replace(block, comments=comments, hint=hint)
            self._hint = ""

    def lock(self) -> tuple[Lock, object]:
        """All of it, and the schema."""
        self.top_comments = self._taken("", "", self.top_comments)
        schema = self.top.pop("schema", None)
        return Lock(self.blocks, self.top, self.top_comments), schema

    def _taken(self, key: str, beside: str, comments: dict[str, Comment]) -> dict[str, Comment]:
        if self._above or beside:
            comments[key] = Comment(tuple(self._above), beside)
            self._above = []
        return comments
