"""The journal: steps on checkouts that have begun, for the run that follows a killed one."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from commodore_py.adapters import json_text
from commodore_py.adapters.files import remove, write_if_changed
from commodore_py.model.names import problem_of_path

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from commodore_py.config import WorkPaths


_COMMIT = re.compile(r"(?:[0-9a-f]{40}|[0-9a-f]{64})?")


class Intent(NamedTuple):
    """One checkout, and the step that it is taking."""

    place: str
    """Relative to the working directory, which may be moved."""
    before: str = ""
    """The commit that its files are of, if there is one."""
    after: str = ""
    """The commit that its files will be of, if there will be one."""


@dataclass(frozen=True, slots=True)
class Journal:
    """A file per checkout that is being changed; there are none while nothing happens."""

    root: Path
    folder: Path

    @classmethod
    def of(cls, paths: WorkPaths) -> Journal:
        """The journal of a working directory."""
        return cls(paths.root, paths.state / "journal")

    def note(self, intent: Intent) -> Path:
        """Write down what is about to happen; the file goes when it has happened."""
        if not self.folder.is_dir():
            prepare(self.folder.parent)
        digest = hashlib.sha256(intent.place.encode(errors="surrogateescape")).hexdigest()[:16]
        file = self.folder / f"files-{digest}.json"
        write_if_changed(file, json.dumps(intent._asdict()).encode())
        return file

    def name(self, place: Path) -> str:
        """A path as it is written down."""
        return str(place.relative_to(self.root))

    def open_intents(self) -> Iterator[tuple[Path, Intent]]:
        """Steps that were begun and not ended, each with its file."""
        for file in sorted(self.folder.glob("*.json")):
            try:
                intent = Intent(**json_text.load(file.read_bytes(), name=str(file)))
            except OSError:  # not a file, or not ours to read
                continue
            except (ValueError, TypeError):  # of another version of ours: nothing to go by
                remove(file)
                continue
            if _is_ours(intent):
                yield file, intent
            else:
                remove(file)


def _is_ours(intent: Intent) -> bool:
    """Return whether its folders are below the working directory: nothing else is undone."""
    values: tuple[object, ...] = intent
    if not all(isinstance(value, str) and not problem_of_path(value) for value in values):
        return False
    if not all(_COMMIT.fullmatch(commit) for commit in (intent.before, intent.after)):
        return False
    place = PurePosixPath(intent.place)
    return bool(intent.place) and not place.is_absolute() and ".." not in place.parts


def prepare(state: Path) -> None:
    """Make our own folder in the working directory; it has its own ignore rules."""
    write_if_changed(state / ".gitignore", b"*\n")
