"""A catalog in a Git repository: files, index, commit and push.

What is committed is made of the compiled bytes, in memory. Files of the checkout are written for
people and for the next run; what anybody else writes to them is never committed.
"""

from __future__ import annotations

import logging
import os
import stat
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from commodore_py.adapters import files, git_urls
from commodore_py.adapters.git import staging
from commodore_py.adapters.git.index import seen_of
from commodore_py.adapters.git.program import git, over_network, succeeds
from commodore_py.adapters.git.written import Leaf
from commodore_py.adapters.process import ProgramFailed
from commodore_py.catalog.diff.staged import is_compared_by_git, staged_files
from commodore_py.catalog.identity import committer
from commodore_py.catalog.layout import OWNED
from commodore_py.errors import CommodoreError
from commodore_py.model.catalog import Change

from .written import write_owned

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from commodore_py.adapters.git.staging import Ignored, State
    from commodore_py.config import Author, Config
    from commodore_py.model.catalog import CatalogHead
    from commodore_py.model.stages import Rendered
    from commodore_py.model.tree import Entry, Tree

log = logging.getLogger(__name__)

_FILE, _PROGRAM = 0o100644, 0o100755
_SHOWN = 5
# Git looks into one of 256 folders of objects to find out whether there are more than 6,700.
_SAMPLE, _MANY = "objects/17", 27


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
        directory=head.directory,
        url=head.url,
        pushed_to=git_urls.push_url(head.url),
        branch=head.branch,
        compiled=config.paths.compiled,
        author=config.author,
        commit_before=head.commit,
        report_edits=not config.local,
        dry_run=config.dry_run,
    )


class GitCatalog:
    """A checkout of the catalog; what is not manifests or refs in it is never written."""

    def __init__(
        self,
        *,
        directory: Path,
        url: str,
        pushed_to: str,
        branch: str,
        compiled: Path,
        author: Author,
        commit_before: str | None = None,
        report_edits: bool = True,
        dry_run: bool = False,
    ) -> None:
        self.directory = directory
        self.branch = branch
        self._url = url
        self._pushed_to = pushed_to
        self._compiled = compiled
        self._author = author
        self._commit_before = commit_before
        self._report_edits = report_edits
        self._dry_run = dry_run
        self._tree = ""
        self._commit = ""

    @property
    def repository(self) -> GitCatalog:
        """Itself."""
        return self

    def stage(self, rendered: Rendered) -> Change:
        """Write `compiled/` and the catalog's files where they differ, and stage the catalog."""
        state = staging.state_of(self.directory, self._commit_before)
        self._refuse_merges(state)
        files.write_trees(self._compiled, rendered.instances, dry_run=self._dry_run)
        gone: dict[str, os.stat_result] = {}
        for folder in OWNED:
            gone |= write_owned(self.directory, rendered.catalog, folder, dry_run=self._dry_run)
        return self._staged(state, rendered.catalog, gone)

    def _staged(self, state: State, catalog: Tree, gone: Mapping[str, os.stat_result]) -> Change:
        """Have the compiled files in the index, and those of the commit that are not ours."""
        entries = {str(path): entry for path, entry in catalog.items()}
        compiled = {
            path: Leaf(
                _PROGRAM if entry.executable else _FILE,
                staging.blob_id(entry.content, state.algorithm),
            )
            for path, entry in entries.items()
        }
        new = (path for path in compiled if path not in state.staged)
        ignored = staging.ignored_among(self.directory, new)
        left_out = {one.path for one in ignored}
        ours = {path: leaf for path, leaf in compiled.items() if path not in left_out}
        wanted = {**dict(_not_ours(state.committed, catalog)), **ours}
        contents = {
            leaf.id: entries[path].content
            for path, leaf in ours.items()
            if state.committed.get(path) != leaf
        }
        if self._report_edits:
            _report_edits(self.directory, state, wanted, gone)
        if wanted == state.committed == state.staged:
            return Change(ignored=_rules(ignored))
        if not self._dry_run or is_compared_by_git(state.committed, wanted):
            self._tree = staging.replace(
                self.directory,
                state,
                wanted,
                contents,
                status=lambda path: (
                    _status(f"{self.directory}/{path}", entries[path]) if path in ours else None
                ),
            )
        changed = staged_files(self.directory, state.committed, wanted, contents)
        destination = f"branch {self.branch} of {self._pushed_to}"
        return Change(changed, ignored=_rules(ignored), destination=destination)

    def unstage(self) -> None:
        """Make the index as the last commit is, or empty before there is one."""
        if self._dry_run:
            return
        git(self.directory, "reset", "--quiet", "--mixed")

    def commit(self, message: str) -> str:
        """Commit what was staged, and return the commit's id."""
        if not self._tree:
            raise ValueError("nothing was staged")
        who = committer(self._author, self.directory)
        parent = self._commit_before
        if parent is None:
            # A catalog's history begins with an empty commit, as Commodore's do.
            git(self.directory, "symbolic-ref", "HEAD", f"refs/heads/{self.branch}")
            nothing = git(self.directory, "hash-object", "-t", "tree", "-w", "--stdin")
            parent = self._commit_tree("Initial commit", nothing, None, who)
        self._commit = self._commit_tree(message, self._tree, parent, who)
        self._move_head(message)
        if _has_many_objects(self.directory / ".git"):
            succeeds(self.directory, "maintenance", "run", "--auto", "--quiet")
        return self._commit

    def _commit_tree(self, message: str, tree: str, parent: str | None, who: Author) -> str:
        # Unlike `git commit`, it knows neither hooks nor signatures.
        return git(
            self.directory,
            "commit-tree",
            *(("-p", parent) if parent else ()),
            tree,
            stdin=message.encode(),
            env={
                "GIT_AUTHOR_NAME": who.name,
                "GIT_AUTHOR_EMAIL": who.email,
                "GIT_COMMITTER_NAME": who.name,
                "GIT_COMMITTER_EMAIL": who.email,
            },
        )

    def _move_head(self, message: str) -> None:
        before = self._commit_before or "0" * len(self._commit)
        why = f"commit: {message.partition(chr(10))[0]}"
        try:
            git(self.directory, "update-ref", "-m", why, "HEAD", self._commit, before)
        except ProgramFailed as error:
            raise CommodoreError(
                "the catalog's checkout was changed by somebody else during the run:"
                f" {error.stderr.strip()}",
                where=str(self.directory),
                hint="compile again",
            ) from error

    def push(self) -> None:
        """Push the commit; it stays here if that fails."""
        target = f"{self._commit}:refs/heads/{self.branch}"
        try:
            over_network(self.directory, "push", "origin", target)
        except ProgramFailed as error:
            from .push_errors import push_failed  # rarely needed

            raise push_failed(
                error.stderr,
                url=self._url,
                pushed_to=self._pushed_to,
                branch=self.branch,
                kept_in=str(self.directory),
            ) from error
        # A branch for review is deleted eventually: commits pushed to it are still not local work.
        name = self.branch.replace("/", "%")  # a branch may be below another's name
        git(self.directory, "update-ref", f"refs/commodore/pushed/{name}", self._commit)

    def take_back(self) -> None:
        """Undo the commit, but not the files: to commit again on top of what others pushed."""
        ref = f"refs/heads/{self.branch}"
        if self._commit_before is None:
            git(self.directory, "update-ref", "-d", ref)
        else:
            git(self.directory, "update-ref", ref, self._commit_before)

    def _refuse_merges(self, state: State) -> None:
        # Conflict markers would be overwritten, or the merge forgotten.
        conflicts = f": {', '.join(sorted(state.unmerged))}" if state.unmerged else ""
        if conflicts or staging.is_merging(self.directory):
            raise CommodoreError(
                f"the catalog has unresolved merge conflicts{conflicts}"
                if conflicts
                else "the catalog is in the middle of a merge",
                where=str(self.directory),
                hint="resolve or abort the merge in the catalog's checkout",
            )


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
    state: State,
    wanted: Mapping[str, Leaf],
    gone: Mapping[str, os.stat_result],
) -> None:
    """Warn of files that were not as they had been committed, and had to be for this catalog."""
    if state.seen is None or not gone:
        return
    edited = [
        path for path, found in sorted(gone.items()) if _is_edited(path, found, state, wanted)
    ]
    if edited:
        more = f" and {len(edited) - _SHOWN} more" if edited[_SHOWN:] else ""
        log.warning(
            "removed or overwritten in %s, as no commit has it: %s%s",
            directory,
            ", ".join(edited[:_SHOWN]),
            more,
        )


def _is_edited(path: str, found: os.stat_result, state: State, wanted: Mapping[str, Leaf]) -> bool:
    if path not in state.staged:
        # Or a folder that held files of the commit.
        return not any(one.startswith(f"{path}/") for one in state.staged)
    now = seen_of(found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)
    untouched = state.seen is not None and state.seen.get(path) == now
    return not untouched and state.staged[path] == wanted.get(path)


def _status(path: str, entry: Entry) -> os.stat_result | None:
    """What a file is like that was just written, if nobody else has written to it since."""
    try:
        found = os.lstat(path)
    except OSError:
        return None
    runs = bool(found.st_mode & stat.S_IXUSR)
    same = found.st_size == len(entry.content) and runs == entry.executable
    return found if same and stat.S_ISREG(found.st_mode) else None


def _rules(ignored: Iterable[Ignored]) -> tuple[str, ...]:
    return tuple(
        f"{one.path} ({one.source}:{one.line}: {one.pattern})"
        for one in sorted(ignored, key=lambda one: os.fsencode(one.path))
    )


def _has_many_objects(git_folder: Path) -> bool:
    """Whether it is time for Git's housekeeping, by the measure that Git itself takes."""
    try:
        return sum(1 for _ in (git_folder / _SAMPLE).iterdir()) >= _MANY
    except OSError:
        return False
