"""A catalog in a Git repository: files, index, commit and push.

What is committed is made of the compiled bytes, in memory. Files of the checkout are written for
people and for the next run; what anybody else writes to them is never committed.
"""

from __future__ import annotations

import os
import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from commodore_py.adapters import files, git_urls
from commodore_py.adapters.git import staging
from commodore_py.adapters.git.program import git, over_network
from commodore_py.adapters.git.refs import HEADS
from commodore_py.adapters.git.staging import Edit, Leaf
from commodore_py.adapters.masking import without_secrets
from commodore_py.adapters.process import ProgramFailed
from commodore_py.catalog.diff.staged import staged_files
from commodore_py.catalog.identity import committer, signatures
from commodore_py.catalog.layout import OWNED
from commodore_py.errors import CommodoreError
from commodore_py.model.catalog import Change

from .written import report_edits, write_owned

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from commodore_py.adapters.git.staging import Ignored
    from commodore_py.config import Config
    from commodore_py.model.catalog import CatalogHead
    from commodore_py.model.stages import Rendered
    from commodore_py.model.tree import Tree

_FILE, _PROGRAM = 0o100644, 0o100755


class Overtaken(CommodoreError):
    """The branch was pushed to in the meantime: fetching and comparing again helps."""


class GitCatalog:
    """A checkout of the catalog; what is not manifests or refs in it is never written."""

    def __init__(self, config: Config, head: CatalogHead) -> None:
        self.directory = head.directory
        self.branch = head.branch
        self._config, self._head = config, head
        self._pushed_to = git_urls.push_url(head.url)
        self._edit: Edit | None = None
        self._imported = ""
        self._commit = ""

    def stage(self, rendered: Rendered) -> Change:
        """Write `compiled/` and the catalog's files where they differ, and compare the catalog."""
        committed = staging.leaves_of(self.directory, self._head.commit)
        before, algorithm = committed.leaves, committed.algorithm
        entries = {str(path): entry for path, entry in rendered.catalog.items()}
        leaves = dict(_not_ours(before, rendered.catalog))
        for path, entry in entries.items():
            mode = _PROGRAM if entry.executable else _FILE
            leaves[path] = Leaf(mode, staging.blob_id(entry.content, algorithm))
        outdated = {path: leaf for path, leaf in before.items() if leaves.get(path) != leaf}
        old = staging.contents_on_disk(self.directory, outdated, algorithm)
        gone: set[str] = set()
        if not self._config.dry_run:
            files.write_trees(self._config.paths.compiled, rendered.instances)
            for owned in OWNED:
                gone |= write_owned(self.directory, rendered.catalog, owned)
        ignored = staging.ignored_among(
            self.directory, (path for path in entries if path not in before)
        )
        for rule in ignored:
            del leaves[rule.path]
        if not self._config.local:
            report_edits(self.directory, gone, before, leaves)
        if leaves == before:
            return Change(ignored=_rules(ignored))
        written = {path: leaf for path, leaf in leaves.items() if before.get(path) != leaf}
        removed = tuple(path for path in before if path not in leaves)
        new = {leaf.id: entries[path].content for path, leaf in written.items()}
        self._edit = Edit(committed.commit, removed, written, new, algorithm)
        changed = staged_files(self.directory, committed, leaves, {**old, **new}, self._import)
        destination = f"branch {self.branch} of {self._pushed_to}"
        return Change(changed, ignored=_rules(ignored), destination=destination)

    def leave_staged(self) -> None:
        """Have the change in the index, as Commodore leaves it where it does not commit."""
        if not self._config.dry_run:
            # Everything that is tracked, and not HEAD.
            git(self.directory, "reset", "--quiet", self._import(), "--", ":/")

    def unstage(self) -> None:
        """Make the index as the last commit is, or empty before there is one."""
        if not self._config.dry_run:
            git(self.directory, "reset", "--quiet", "--mixed")

    def commit(self, message: str) -> str:
        """Commit what was staged, and return the commit's id."""
        if self._edit is None:
            raise ValueError("nothing was staged")
        branch = f"{HEADS}{self.branch}"
        who = committer(self._config.author, self.directory, self._head.identity)
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
                "the catalog's checkout was changed by someone else during the run:"
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
            raise self._push_failed(error.stderr) from error

    def _push_failed(self, stderr: str) -> CommodoreError:
        """The output of Git and the server as one error."""
        refused = _REFUSED.search(stderr)
        reason = " ".join(filter(None, refused.groups())) if refused else stderr.strip()
        reported = _SERVER_MESSAGE.findall(stderr)
        overtaken = _is_overtaken(reason, reported)
        kind = Overtaken if overtaken else CommodoreError
        shown = without_secrets(self._pushed_to)
        remedy = (
            "the branch was pushed to in the meantime: compile again"
            if overtaken
            else _remedy(stderr, pushed_to=shown, branch=self.branch)
        )
        error = kind(
            f"cannot push the catalog to branch {self.branch}: {without_secrets(reason)}",
            where=without_secrets(self._head.url),
            hint=f"{remedy}; the commit is kept in {self.directory}",
        )
        if reported:
            error.add_note("the server reported: " + without_secrets(" / ".join(reported)))
        return error

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
    """Files of the commit that no compile writes, outside of where this one writes."""
    tops = frozenset(map(str, OWNED))
    for path, leaf in committed.items():
        top, _, rest = path.partition("/")
        if top in tops and not rest.startswith("."):
            continue  # hardly anything else is in a catalog, and paths take time
        inner = PurePosixPath(path)
        if inner in catalog.folders() or any(above in catalog for above in (inner, *inner.parents)):
            continue
        yield path, leaf


def _rules(ignored: Iterable[Ignored]) -> tuple[str, ...]:
    return tuple(
        f"{rule.path} ({rule.source}:{rule.line}: {rule.pattern})"
        for rule in sorted(ignored, key=lambda ignored: os.fsencode(ignored.path))
    )


_REFUSED = re.compile(r"^ ! (\[[^\]]+\]).* -> \S+(?: (\(.*\)))?$", re.MULTILINE)
_SERVER_MESSAGE = re.compile(r"^remote: (.*\S)\s*$", re.MULTILINE)
# The last two: two pushes at the same moment, of which the server takes one.
_OVERTAKEN = ("fetch first", "non-fast-forward", "stale info", "cannot lock ref", "incorrect old")
_LOST_RACE = re.compile(r"failed to update ref|reference already exists")
# What Git or the server reports, and what to do about it; the first match is used.
_REMEDIES = (
    (
        r"protected branch|GH006|GH013|not allowed to (?:force )?push|rule violations",
        "branch {branch} is protected on the server: let this account push to it",
    ),
    (
        r"currently checked out",
        "the remote is not a bare repository, and that branch is checked out there: make it bare",
    ),
    (r"hook declined", "a hook of the server rejects this push to {branch}"),
    (r"^ ! \[", "the server rejects this push: see its rules for the branch"),
    (
        (
            r"Permission denied|Authentication failed|could not read (?:Username|Password)"
            r"|returned error: 40[13]|access denied|denied to|read.only"
        ),
        "authentication failed: check the key or the token for {pushed_to}",
    ),
    (
        r"does not appear to be a git repository|not found|does not exist",
        "there is no repository to push to at {pushed_to}: create it, or correct the URL",
    ),
    (r"", "check the network and your access to {pushed_to}"),
)


def _is_overtaken(reason: str, reported: list[str]) -> bool:
    if any(word in reason for word in _OVERTAKEN):
        return True
    return bool(_LOST_RACE.search(reason)) and any("cannot lock ref" in line for line in reported)


def _remedy(stderr: str, **words: str) -> str:
    flags = re.IGNORECASE | re.MULTILINE
    remedy = next(remedy for sign, remedy in _REMEDIES if re.search(sign, stderr, flags))
    return remedy.format(**words)
