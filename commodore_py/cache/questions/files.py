"""Questions about single files and paths."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from commodore_py.adapters.files.view import Files
from commodore_py.adapters.reading import NotReadable
from commodore_py.cache import digests
from commodore_py.cache.digests import NOTHING, UNKNOWN, UNREADABLE

from .base import Question

if TYPE_CHECKING:
    from collections.abc import Callable

    from commodore_py.cache.roots import Roots
    from commodore_py.model.tree import Entry

    from .base import View


class PathQuestion(Question):
    """A question about a file or a folder; its path is portable, see `Roots`."""

    @property
    def name(self) -> str:
        """The path without its root."""
        return self.about.partition(":")[2] or self.about

    def ask(self, view: View) -> str:
        """The answer for what is on disk, or for what this run wrote there."""
        if not view.roots.knows(self.about):
            return UNKNOWN
        path = view.roots.absolute(self.about)
        shared = view.disk_only and not view.files.hides(path) and not self.is_own(path)
        try:
            if shared:
                answer = self.on_disk(path, view)
            else:
                answer = self.of(type(self).find(view.files, Path(path)), view.roots)
        except (NotReadable, OSError):
            answer = UNREADABLE
        if shared:
            view.answers[str(self)] = answer
        return answer

    find: ClassVar[Callable[[Files, Path], object]]
    """How the view looks it up."""

    @staticmethod
    def of(answer: Any, roots: Roots) -> str:  # noqa: ANN401 - what `find` returns
        """The digest of an answer."""
        raise NotImplementedError

    def on_disk(self, path: str, view: View) -> str:
        """The digest where only the disk counts: the most frequent kinds have a faster way."""
        return self.of(type(self).find(view.files, Path(path)), view.roots)

    def is_own(self, path: str) -> bool:  # noqa: ARG002 - for patterns
        """Return whether different work may find something else on the same disk."""
        return False

    def describe(self, roots: Roots) -> str:
        """Which file it is."""
        return f"{roots.absolute(self.about)} has changed"


class Content(PathQuestion):
    """The content of a file."""

    kind = "content"

    find = Files.read

    @staticmethod
    def of(answer: bytes | None, roots: Roots) -> str:
        """Its content."""
        return digests.of_content(answer, roots)

    def on_disk(self, path: str, view: View) -> str:
        """Its content."""
        try:
            return digests.of_content(view.files.reach.read(path), view.roots)
        except (FileNotFoundError, NotADirectoryError):
            return NOTHING


class FileEntry(PathQuestion):
    """The content of a file, and whether it is executable."""

    kind = "file"

    find = Files.entry

    @staticmethod
    def of(answer: Entry | None, _: Roots) -> str:
        """Its content and mode."""
        return digests.of_entry(answer)


class PathKind(PathQuestion):
    """Whether a path is a file, a folder, or nothing."""

    kind = "kind"

    find = Files.kind

    @staticmethod
    def of(answer: str | None, _: Roots) -> str:
        """Its kind."""
        return answer or NOTHING

    def on_disk(self, path: str, _: View) -> str:
        """Its kind."""
        if os.path.isdir(path):  # noqa: PTH112 - very many
            return "folder"
        return "file" if os.path.exists(path) else NOTHING  # noqa: PTH110 - as above

    def describe(self, roots: Roots) -> str:
        """Another kind of file is there now."""
        return f"something else is found at {roots.absolute(self.about)}"


class Judged(PathQuestion):
    """Whether content may see a path: where it leads to is reported each time."""

    kind = "judged"
    find = Files.judge

    @staticmethod
    def of(_: object, __: Roots) -> str:
        """The one answer that is no error."""
        return "allowed"

    def describe(self, roots: Roots) -> str:
        """It leads elsewhere now."""
        return f"{roots.absolute(self.about)} must not be read"


class Location(Question):
    """The absolute path of something, for code that can see it."""

    kind = "location"

    @staticmethod
    def of(answer: str, _: Roots) -> str:
        """The path."""
        return answer

    def ask(self, view: View) -> str:
        """The path."""
        known = view.roots.knows(self.about)
        return view.roots.absolute(self.about) if known else UNKNOWN

    def describe(self, roots: Roots) -> str:
        """It is elsewhere now."""
        return f"the code uses its own path, which was not {roots.absolute(self.about)}"
