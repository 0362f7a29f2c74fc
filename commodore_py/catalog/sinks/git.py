"""A catalog in a Git repository: files, index, commit and push.

What is committed is made of the compiled bytes, in memory. Files of the checkout are written for
people and for the next run; what anybody else writes to them is never committed.
"""

from __future__ import annotations

import logging
import os
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from commodore_py.adapters import files, git_urls
from commodore_py.adapters.git import staging
from commodore_py.adapters.git.program import git, over_network
from commodore_py.adapters.git.refs import HEADS
from commodore_py.adapters.git.staging import Edit, Leaf
from commodore_py.adapters.process import ProgramFailed
from commodore_py.catalog.diff.staged import staged_files
from commodore_py.catalog.identity import committer, signatures
from commodore_py.catalog.layout import OWNED
from commodore_py.errors import CommodoreError
from commodore_py.model.catalog import Change

from .push_errors import push_failed
from .written import write_owned

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping
    from pathlib import Path

    from commodore_py.adapters.git.staging import Ignored
    from commodore_py.config import Author, Config
    from commodore_py.model.catalog import CatalogHead
    from commodore_py.model.stages import Rendered
    from commodore_py.model.tree import Tree

log = logging.getLogger(__name__)

_FILE, _PROGRAM = 0o100644, 0o100755
_SHOWN = 5


def is_chosen(_config: Config) -> bool:
    """Unless the settings name another destination."""
    return True


def folder_of(_config: Config) -> None:
    """It is cloned into the working directory."""


def check(_config: Config, _cluster: str) -> None:
    """Nothing: whether it can be fetched and pushed to shows while gathering."""


def open_catalog(config: Config, _cluster: str, head: CatalogHead) -> GitCatalog:
    """The catalog's checkout."""
    return GitCatalog(
        head,
        compiled=config.paths.compiled,
        author=config.author,
        report_edits=not config.local,
        dry_run=config.dry_run,
    )


class GitCatalog:
    """A checkout of the catalog; what is not manifests or refs in it is never written."""

    def __init__(
        self,
        head: CatalogHead,
        *,
        compiled: Path,
        author: Author,
        report_edits: bool = True,
        dry_run: bool = False,
    ) -> None:
        self.directory = head.directory
        self.branch = head.branch
        self._head = head
        self._pushed_to = git_urls.push_url(head.url)
        self._compiled = compiled
        self._author = author
        self._report_edits = report_edits
        self._dry_run = dry_run
        self._edit: Edit | None = None
        self._imported = ""
        self._commit = ""

    @property
    def repository(self) -> GitCatalog:
        """Itself."""
        return self

    def stage(self, rendered: Rendered) -> Change:
        """Write `compiled/` and the catalog's files where they differ, and compare the catalog."""
        committed = staging.leaves_of(self.directory, self._head.commit)
        files.write_trees(self._compiled, rendered.instances, dry_run=self._dry_run)
        gone: set[str] = set()
        for folder in OWNED:
            gone |= write_owned(
                self.directory, rendered.catalog, folder, dry_run=self._dry_run
            ).keys()
        entries = {str(path): entry for path, entry in rendered.catalog.items()}
        new = (path for path in entries if path not in committed.leaves)
        ignored = staging.ignored_among(self.directory, new)
        for rule in ignored:
            del entries[rule.path]
        ours = {
            path: Leaf(
                _PROGRAM if entry.executable else _FILE,
                staging.blob_id(entry.content, committed.algorithm),
            )
            for path, entry in entries.items()
        }
        wanted = {**dict(_not_ours(committed.leaves, rendered.catalog)), **ours}
        if self._report_edits:
            _report_edits(self.directory, gone, committed.leaves, wanted)
        if wanted == committed.leaves:
            return Change(ignored=_rules(ignored))
        written = {path: leaf for path, leaf in ours.items() if committed.leaves.get(path) != leaf}
        removed = tuple(path for path in committed.leaves if path not in wanted)
        present = {leaf.id for leaf in committed.leaves.values()}
        contents = {
            leaf.id: entries[path].content
            for path, leaf in written.items()
            if leaf.id not in present
        }
        self._edit = Edit(committed.commit, removed, written, contents, committed.algorithm)
        changed = staged_files(self.directory, committed, wanted, contents, self._import)
        destination = f"branch {self.branch} of {self._pushed_to}"
        return Change(changed, ignored=_rules(ignored), destination=destination)

    def leave_staged(self) -> None:
        """Have the change in the index, as Commodore leaves it where it does not commit."""
        if not self._dry_run:
            # Everything that is tracked, and not HEAD.
            git(self.directory, "reset", "--quiet", self._import(), "--", ":/")

    def unstage(self) -> None:
        """Make the index as the last commit is, or empty before there is one."""
        if not self._dry_run:
            git(self.directory, "reset", "--quiet", "--mixed")

    def commit(self, message: str) -> str:
        """Commit what was staged, and return the commit's id."""
        if self._edit is None:
            raise ValueError("nothing was staged")
        branch = f"{HEADS}{self.branch}"
        who = committer(self._author, self.directory, self._head.identity)
        by = signatures(who, self.directory)
        if self._edit.parent is None:
            git(self.directory, "symbolic-ref", "HEAD", branch)
        try:
            # Unlike `git commit`, it uses neither hooks nor signatures.
            self._commit = staging.import_commit(self.directory, branch, self._edit, message, by)
        except ProgramFailed as error:
            if not staging.is_moved(error):
                raise
            raise CommodoreError(
                "the catalog's checkout was changed by somebody else during the run:"
                f" {error.stderr.strip()}",
                where=str(self.directory),
                hint="compile again",
            ) from error
        git(self.directory, "reset", "--quiet", "--mixed")
        return self._commit

    def push(self) -> None:
        """Push the commit; it stays here if that fails."""
        target = f"{self._commit}:{HEADS}{self.branch}"
        try:
            over_network(self.directory, "push", "origin", target)
        except ProgramFailed as error:
            raise push_failed(
                error.stderr,
                url=self._head.url,
                pushed_to=self._pushed_to,
                branch=self.branch,
                kept_in=str(self.directory),
            ) from error

    def take_back(self) -> None:
        """Undo the commit, but not the files: to commit again on top of what others pushed."""
        ref = f"{HEADS}{self.branch}"
        if self._head.commit is None:
            git(self.directory, "update-ref", "-d", ref)
        else:
            git(self.directory, "update-ref", ref, self._head.commit)

    def _import(self) -> str:
        if not self._imported:
            if self._edit is None:
                raise ValueError("nothing was staged")
            self._imported = staging.import_unreferenced(self.directory, self._edit)
        return self._imported


def _not_ours(committed: Mapping[str, Leaf], catalog: Tree) -> Iterator[tuple[str, Leaf]]:
    """What the commit has besides what compiles write, and not where they write now."""
    tops = frozenset(map(str, OWNED))
    folders: frozenset[PurePosixPath] | None = None
    for path, leaf in committed.items():
        top, _, rest = path.partition("/")
        if top in tops and not rest.startswith("."):
            continue  # hardly anything else is in a catalog, and paths take time
        inner = PurePosixPath(path)
        folders = catalog.folders() if folders is None else folders
        if inner in folders or any(above in catalog for above in (inner, *inner.parents)):
            continue
        yield path, leaf


def _report_edits(
    directory: Path,
    gone: Collection[str],
    committed: Mapping[str, Leaf],
    wanted: Mapping[str, Leaf],
) -> None:
    """Warn of files that were not as they had been committed, and had to be for this catalog."""
    edited = [path for path in sorted(gone) if _is_edited(path, committed, wanted)]
    if edited:
        more = f" and {len(edited) - _SHOWN} more" if edited[_SHOWN:] else ""
        log.warning(
            "removed or overwritten in %s, as no commit has it: %s%s",
            directory,
            ", ".join(edited[:_SHOWN]),
            more,
        )


def _is_edited(path: str, committed: Mapping[str, Leaf], wanted: Mapping[str, Leaf]) -> bool:
    """Whether a path that was replaced had something else than the commit."""
    if path in committed:
        # A file that the compile changes is replaced anyway.
        return committed[path] == wanted.get(path)
    # Or a folder that held files of the commit.
    return not any(other.startswith(f"{path}/") for other in committed)


def _rules(ignored: Iterable[Ignored]) -> tuple[str, ...]:
    return tuple(
        f"{one.path} ({one.source}:{one.line}: {one.pattern})"
        for one in sorted(ignored, key=lambda one: os.fsencode(one.path))
    )
