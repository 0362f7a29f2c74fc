"""The journal of steps on checkouts, and how those of a killed run are undone."""

from __future__ import annotations

import hashlib
import json
import re
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from commodore_py.adapters import json_text
from commodore_py.adapters.files import remove, write_if_changed
from commodore_py.adapters.git.program import git, git_bytes, succeeds
from commodore_py.adapters.git.refs import commit_of
from commodore_py.adapters.git.repository import clone_of
from commodore_py.adapters.process import ProgramFailed
from commodore_py.adapters.reading import bytes_of
from commodore_py.errors import CommodoreError
from commodore_py.model.names import problem_of_path

from .local_work import ignored_in_the_way, in_the_way, move_aside, put_aside

if TYPE_CHECKING:
    from collections.abc import Iterator

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


@contextmanager
def journaled(journal: Journal, place: Path, *, before: str | None, after: str) -> Iterator[None]:
    """Run a checkout that is undone if it does not finish, now or by the next run."""
    intent = Intent(journal.name(place), before or "", after)
    file = journal.note(intent)
    try:
        yield
    except ProgramFailed as error:
        # What cannot be undone now stays in the journal.
        with suppress(CommodoreError):
            if not in_the_way(error.stderr):  # Git refuses before it changes anything
                take_back(journal.root, intent)
            remove(file)
        raise
    remove(file)


def take_back(root: Path, intent: Intent) -> None:
    """Restore a checkout as it was before a step, unless that was completed."""
    place = root / intent.place
    clone = clone_of(place) if (place / ".git").exists() and not place.is_symlink() else None
    if clone is None or not clone.resolve().is_relative_to(root.resolve()):
        return  # it was removed or replaced by the user, or is a copy of one elsewhere
    if not intent.after or commit_of(place, intent.after) is None:
        return  # nothing of it can have been written
    if commit_of(place, "HEAD") != (intent.before or None):
        return  # HEAD comes last; since then, changes are the user's
    # The user may have changed files since. Git's own are among what is backed up.
    ignored = ignored_in_the_way(place, intent.after)
    put_aside(place, intent.place, kept_in=clone, ignored=ignored)
    # The second command removes only files that are in the index.
    git(place, "read-tree", "--reset", "-u", intent.after)
    git(place, "reset", "--quiet", "--hard")


def remove_incomplete(place: Path, clone: Path, commit: str) -> None:
    """Remove a worktree that was not completed, and keep what was put there since."""
    if place.is_dir() and not place.is_symlink():
        if _holds_other_files(place, clone, commit):
            remove(place / ".git")
            move_aside("the content of an incomplete checkout", place)
        else:
            remove(place)
    succeeds(clone, "worktree", "remove", "--force", "--force", str(place))


def _holds_other_files(place: Path, clone: Path, commit: str) -> bool:
    """Return whether a folder has files other than those of a commit, some of them cut off."""
    import tempfile  # after a killed run only

    with tempfile.TemporaryDirectory() as scratch:
        # The worktree may not know its clone yet.
        env = {
            "GIT_DIR": str(clone),
            "GIT_WORK_TREE": str(place),
            "GIT_INDEX_FILE": str(Path(scratch) / "index"),
        }
        git(place, "read-tree", commit or "--empty", env=env)
        if git(place, "ls-files", "--others", env=env):
            return True
        changed = git(place, "diff", "--name-only", "--diff-filter=d", "-z", env=env)
        for name in changed.split("\0")[:-1]:
            whole = git_bytes(place, "cat-file", "--filters", f":{name}", env=env)
            file = place / name
            if file.is_symlink() or not whole.startswith(bytes_of(str(file), follow=False)):
                return True
    return False
