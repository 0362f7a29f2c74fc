"""What an entry did to its target's output, as bytes and back."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from commodore_py.cache.packing import pack, unpack

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from commodore_py.cache.roots import Roots
    from commodore_py.compiler.output import Output
    from commodore_py.model.tree import Entry

# How the names of scratch folders begin.
_SCRATCH = b"commodore-"


@dataclass(frozen=True, slots=True)
class Change:
    """Files that an entry wrote, and folders that it made; names of others are portable."""

    files: Mapping[str, Entry]
    folders: Iterable[str] = ()

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
        files = {
            str(path): entry
            for path, entry in after.tree.items()
            if (old := before.tree.get(path)) is not entry and not (by_content and old == entry)
        }
        for place, written in after.written.items():
            if place not in before.written or before.written[place] is not written:
                if written is None:
                    return None
                files[f"/{roots.portable(str(place))}"] = written
        made = after.tree.empty_folders - before.tree.folders() if by_content else ()
        return cls(files, sorted(map(str, made)))

    @classmethod
    def of(cls, packed: bytes) -> Change:
        """The change that was packed."""
        return cls(*unpack(packed))

    def packed(self) -> bytes:
        """The change as bytes."""
        return pack(self.files, self.folders)

    def applied(self, output: Output, roots: Roots) -> Output:
        """The output with the change."""
        files = {
            output.place(roots.absolute(name[1:]) if name.startswith("/") else name): entry
            for name, entry in self.files.items()
        }
        output = output.with_files(files) if files else output
        for folder in self.folders:
            output = output.with_folder(PurePosixPath(folder))
        return output

    def names_scratch_folder(self) -> bool:
        """Whether the files hold a path of a scratch folder."""
        needle = os.fsencode(Path(tempfile.gettempdir()).resolve()) + b"/" + _SCRATCH
        return any(needle in entry.content for entry in self.files.values())
