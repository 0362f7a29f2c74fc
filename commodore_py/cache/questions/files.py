"""Questions about files, folders and paths."""

from __future__ import annotations

import glob
import os
from pathlib import Path
from typing import TYPE_CHECKING

from commodore_py.adapters.reading import NotReadable
from commodore_py.cache import digests
from commodore_py.cache.digests import NOTHING, UNKNOWN, UNREADABLE

from .base import Question

if TYPE_CHECKING:
    from commodore_py.adapters.files.overlay import Kind, Overlay
    from commodore_py.cache.roots import Roots

    from .base import View


class PathQuestion(Question):
    """A question about a file or a folder; its path is portable, see `Roots`."""

    @property
    def name(self) -> str:
        """The path without its root."""
        return self.about.partition(":")[2] or self.about

    def ask(self, view: View) -> bytes:
        """The answer for what is on disk, or for what this run wrote there."""
        if not view.roots.knows(self.about):
            return UNKNOWN
        path = view.roots.absolute(self.about)
        hidden = view.files.hides(path)
        try:
            quick = None if hidden or not view.disk_only else self.on_disk(path, view)
            answer = self.look(view.files, Path(path), view.roots) if quick is None else quick
        except (NotReadable, OSError):
            answer = UNREADABLE
        if view.disk_only and not hidden and not self.is_own(path):
            view.known[str(self)] = answer
        return answer

    def look(self, files: Overlay, path: Path, roots: Roots) -> bytes:
        """The digest of what is found."""
        raise NotImplementedError

    def on_disk(self, path: str, view: View) -> bytes | None:  # noqa: ARG002 - for the most frequent kinds
        """The same, faster, where only the disk counts; None if there is no faster way."""
        return None

    def is_own(self, path: str) -> bool:  # noqa: ARG002 - for patterns
        """Whether different work may find something else on the same disk."""
        return False

    def absolute(self, roots: Roots) -> PathQuestion:
        """The same question about an absolute path."""
        return type(self)(roots.absolute(self.about))

    def describe(self, roots: Roots) -> str:
        """Which file it is."""
        return f"{roots.absolute(self.about)} has changed"


class Content(PathQuestion):
    """What a file holds."""

    kind = "content"

    def look(self, files: Overlay, path: Path, roots: Roots) -> bytes:
        """Its content."""
        return digests.of_content(files.read(path), roots)

    def on_disk(self, path: str, view: View) -> bytes | None:
        """Its content."""
        try:
            return digests.of_content(view.files.reach.read(path), view.roots)
        except (FileNotFoundError, NotADirectoryError):
            return NOTHING


class FileEntry(Content):
    """What a file holds, and whether it is executable."""

    kind = "file"

    def look(self, files: Overlay, path: Path, _: Roots) -> bytes:
        """Its content and mode."""
        return digests.of_entry(files.entry(path))

    def on_disk(self, path: str, view: View) -> None:  # noqa: ARG002 - no faster way
        """Only by the overlay."""
        return


class PathKind(PathQuestion):
    """Whether a path is a file, a folder, or nothing."""

    kind = "kind"

    @staticmethod
    def of(kind: Kind | None) -> bytes:
        """The digest of a kind."""
        return kind.encode() if kind else NOTHING

    def look(self, files: Overlay, path: Path, _: Roots) -> bytes:
        """Its kind."""
        return self.of(files.kind(path))

    def on_disk(self, path: str, _: View) -> bytes | None:
        """Its kind."""
        if os.path.isdir(path):  # noqa: PTH112 - very many
            return b"folder"
        return b"file" if os.path.exists(path) else NOTHING  # noqa: PTH110 - as above

    def describe(self, roots: Roots) -> str:
        """What is there now is of another kind."""
        return f"something else is found at {roots.absolute(self.about)}"


class Judged(PathQuestion):
    """Whether content may see a path: where it leads to is reported each time."""

    kind = "judged"
    ALLOWED = b"allowed"

    def look(self, files: Overlay, path: Path, _: Roots) -> bytes:
        """An error unless it may."""
        files.judge(str(path))
        return self.ALLOWED

    def describe(self, roots: Roots) -> str:
        """It leads elsewhere now."""
        return f"{roots.absolute(self.about)} must not be read"


class Listing(PathQuestion):
    """The names of the files in a folder."""

    kind = "listing"

    def look(self, files: Overlay, path: Path, _: Roots) -> bytes:
        """Its names."""
        return digests.of_names(files.files_in(path))


class FolderTree(PathQuestion):
    """Everything in a folder."""

    kind = "tree"

    def look(self, files: Overlay, path: Path, _: Roots) -> bytes:
        """All files in it."""
        return digests.of_tree(files.tree_at(path))


class Expansion(PathQuestion):
    """The paths that match a pattern."""

    kind = "pattern"

    @staticmethod
    def of(paths: list[Path], roots: Roots) -> bytes:
        """The digest of some paths."""
        names = tuple(roots.portable(str(path)) for path in paths)
        return digests.of_names(names) if names else NOTHING

    def look(self, files: Overlay, path: Path, roots: Roots) -> bytes:
        """Its paths."""
        return self.of(files.expand(path), roots)

    def is_own(self, path: str) -> bool:
        """Patterns match output of the own target."""
        return glob.has_magic(path)

    def describe(self, roots: Roots) -> str:
        """It matches other paths now."""
        return f"something else is found at {roots.absolute(self.about)}"


class Location(Question):
    """The absolute path of something: for code that can see it."""

    kind = "location"

    @staticmethod
    def of(path: str) -> bytes:
        """The path as it is."""
        return path.encode(errors="surrogateescape")

    def ask(self, view: View) -> bytes:
        """The path."""
        if not view.roots.knows(self.about):
            return UNKNOWN
        return self.of(view.roots.absolute(self.about))

    def describe(self, roots: Roots) -> str:
        """It is elsewhere now."""
        return f"the code uses its own path, which was not {roots.absolute(self.about)}"


class CurrentDirectory(Question):
    """Where relative paths begin."""

    kind = "cwd"

    def ask(self, view: View) -> bytes:
        """The portable path."""
        here = view.roots.portable(os.getcwd())  # noqa: PTH109 - a text
        return here.encode(errors="surrogateescape")

    def describe(self, _: Roots) -> str:
        """Relative paths begin elsewhere now."""
        return "its paths begin in another current directory"
