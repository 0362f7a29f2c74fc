"""Any two states of a catalog's checkout: commits, or the files as they are."""

from __future__ import annotations

import shutil
import stat
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from commodore_py.adapters.files import read_tree
from commodore_py.adapters.git.program import git, git_bytes, succeeds
from commodore_py.adapters.git.refs import RevisionNotFound, commit_of
from commodore_py.adapters.git.repository import is_repository
from commodore_py.adapters.git.staging import leaves_of
from commodore_py.catalog.layout import MANIFESTS
from commodore_py.errors import CommodoreError
from commodore_py.model.catalog import Change
from commodore_py.model.tree import Entry, Tree

from .staged import contents_of, file_changes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from commodore_py.config import Config
    from commodore_py.model.catalog import CatalogHead


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two states of a catalog side by side."""

    old: str | None
    """The commit on the one side; None before there is any."""
    new: str | None
    """The commit on the other side; None for the files as they are."""
    change: Change
    tree: str


def manifests_at(directory: Path, commit: str | None) -> Tree:
    """The manifests of a commit by their paths below `manifests/`; none without a commit."""
    if commit is None:
        return Tree()
    folder = f"{MANIFESTS}/"
    ids = {
        PurePosixPath(path.removeprefix(folder)): leaf.id
        for path, leaf in leaves_of(directory, commit).leaves.items()
        if path.startswith(folder) and stat.S_ISREG(leaf.mode)
    }
    contents = contents_of(directory, ids.values())
    return Tree({path: Entry(contents[id_]) for path, id_ in ids.items()})


def published_manifests(config: Config, head: CatalogHead) -> Tree:
    """The manifests that are published before a run: of a plain folder, or of the branch."""
    folder = head.directory / MANIFESTS
    if config.output_dir is not None:
        return read_tree(folder) if folder.is_dir() else Tree()
    return manifests_at(head.directory, head.commit)


def is_lost(head: CatalogHead, commit: str) -> bool:
    """Return whether a commit cannot be reached in the published branch."""
    return not succeeds(head.directory, "merge-base", "--is-ancestor", commit, str(head.commit))


@contextmanager
def compared(
    directory: Path, old: str, new: str | None = None, *, renames: bool = False
) -> Iterator[Comparison]:
    """Compare a commit with another one, or with the files as they are; nothing is written."""
    if not is_repository(directory):
        raise CommodoreError(
            "this is not a checkout of a catalog",
            where=str(directory),
            hint="compile a cluster first, or name a checkout with --catalog",
        )
    before = _commit(directory, old) if old != "HEAD" or commit_of(directory, old) else None
    after = _commit(directory, new) if new else None
    with tempfile.TemporaryDirectory(prefix="commodore-diff-") as scratch:
        env = {} if after else _aside(directory, Path(scratch))
        if not after:
            git(directory, "add", "--all", env=env)
        tree = after or git(directory, "write-tree", env=env)
        pairing = "--find-renames" if renames else "--no-renames"
        words = (
            "diff-tree",
            "-r",
            "--raw",
            "-z",
            "--no-abbrev",
            pairing,
            before or git(directory, "hash-object", "-t", "tree", "--stdin", stdin=b""),
            tree,
        )
        raw = git_bytes(directory, *words, env=env)
        change = Change(file_changes(directory, raw, env=env))
        yield Comparison(before, after, change, tree)


def _commit(directory: Path, revision: str) -> str:
    commit = commit_of(directory, revision)
    if commit is None:
        raise RevisionNotFound.named(revision, url=str(directory))
    return commit


def _aside(directory: Path, scratch: Path) -> dict[str, str]:
    """Where Git may write while it looks at files: not in the repository."""
    folder = Path(git(directory, "rev-parse", "--path-format=absolute", "--git-path", "objects"))
    index = Path(git(directory, "rev-parse", "--path-format=absolute", "--git-path", "index"))
    if index.exists():
        # With its time, which tells Git the files whose content it has to compare.
        shutil.copy2(index, scratch / "index")
    (scratch / "objects").mkdir()
    return {
        "GIT_INDEX_FILE": str(scratch / "index"),
        "GIT_OBJECT_DIRECTORY": str(scratch / "objects"),
        "GIT_ALTERNATE_OBJECT_DIRECTORIES": str(folder),
    }
