"""What an entry did to its target's output, as bytes and back."""

from __future__ import annotations

import marshal
import os
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, NamedTuple

from commodore_py.cache.digests import BY_VALUE
from commodore_py.model.tree import Entry

if TYPE_CHECKING:
    from commodore_py.cache.roots import Roots
    from commodore_py.compiler.output import Output, Place

# How the names of scratch folders begin.
_SCRATCH = b"commodore-"


class Change(NamedTuple):
    """Files that an entry wrote, and folders that it made."""

    files: tuple[tuple[str, bytes, bool], ...]
    folders: tuple[str, ...] = ()

    @classmethod
    def between(
        cls, before: Output, after: Output, roots: Roots, *, by_content: bool = False
    ) -> Change | None:
        """The difference of two states; None if it cannot be repeated, as something was removed.

        A file that was written with the bytes it had counts, unless `by_content`: the next time,
        it may hold something else.
        """
        # Folders in the checkout are not stored either: only programs make and remove those.
        if before.tree.keys() - after.tree.keys() or before.made != after.made:
            return None
        files = []
        for path, entry in after.tree.items():
            old = before.tree.get(path)
            if old is not entry and not (by_content and old == entry):
                files.append((str(path), entry.content, entry.executable))
        for place, written in after.written.items():
            if place not in before.written or before.written[place] is not written:
                if written is None:
                    return None
                files.append(
                    (f"/{roots.portable(str(place))}", written.content, written.executable)
                )
        made = after.tree.empty_folders - before.tree.folders() if by_content else ()
        return cls(tuple(files), tuple(sorted(map(str, made))))

    @classmethod
    def of(cls, text: bytes) -> Change:
        """What was packed."""
        files, folders = marshal.loads(text)  # noqa: S302 - the store gives what was put there
        return cls(tuple(tuple(one) for one in files), tuple(folders))

    def packed(self) -> bytes:
        """The change as bytes."""
        packed: bytes = marshal.dumps((self.files, self.folders), BY_VALUE)
        return packed

    def applied(self, output: Output, roots: Roots) -> Output:
        """The output with the change."""
        files: dict[Place, Entry] = {
            _place(name, output, roots): Entry(content, executable=executable)
            for name, content, executable in self.files
        }
        output = output.with_files(files) if files else output
        for folder in self.folders:
            output = output.with_folder(PurePosixPath(folder))
        return output

    def places_in(self, roots: Roots) -> list[str]:
        """Roots whose paths the files hold: the result is valid for these only."""
        found = []
        for folder in roots.folders().values():
            needle = os.fsencode(folder)
            if any(needle in content for _, content, _ in self.files):
                found.append(folder)
        return found

    def names_scratch_folder(self) -> bool:
        """Whether the files hold a path of a scratch folder."""
        suspects = [content for _, content, _ in self.files if _SCRATCH in content]
        if not suspects:
            return False
        import tempfile

        needle = os.fsencode(Path(tempfile.gettempdir()).resolve()) + b"/" + _SCRATCH
        return any(needle in content for content in suspects)

    def differing(self, other: Change) -> str:
        """The first file that differs in the other change; nothing if they are equal."""
        mine, others = (_by_name(one) for one in (self, other))
        for name in sorted(mine.keys() | others.keys()):
            if mine.get(name) != others.get(name):
                return name
        return "" if self.folders == other.folders else "its folders"


def _by_name(change: Change) -> dict[str, Any]:
    return {name: rest for name, *rest in change.files}


def _place(name: str, output: Output, roots: Roots) -> Place:
    return output.place(roots.absolute(name[1:]) if name.startswith("/") else name)
