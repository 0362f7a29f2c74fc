"""A catalog in a Git repository: files, index, commit and push."""

from __future__ import annotations

import os
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from commodore_py.adapters import files, git_urls
from commodore_py.adapters.git.program import git, git_bytes, over_network
from commodore_py.adapters.git.refs import commit_of
from commodore_py.adapters.process import ProgramFailed
from commodore_py.catalog.diff.staged import staged_files
from commodore_py.catalog.identity import committer
from commodore_py.catalog.layout import OWNED
from commodore_py.errors import CommodoreError
from commodore_py.model.catalog import Change

from .written import compiled_tree, write_owned

if TYPE_CHECKING:
    from pathlib import Path

    from commodore_py.config import Author, Config
    from commodore_py.model.catalog import CatalogHead
    from commodore_py.model.stages import Rendered
    from commodore_py.model.tree import Tree


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
        pushed_to=git_urls.push_url(head.url, config.push_url),
        branch=head.branch,
        compiled=config.paths.compiled,
        author=config.author,
        commit_before=head.commit,
    )


class GitCatalog(NamedTuple):
    """A checkout of the catalog; what is not manifests or refs in it is never written."""

    directory: Path
    url: str
    pushed_to: str
    branch: str
    compiled: Path
    author: Author
    commit_before: str | None = None

    @property
    def repository(self) -> GitCatalog:
        """Itself."""
        return self

    def stage(self, rendered: Rendered) -> Change:
        """Write `compiled/` and the catalog's files where they differ, and stage the catalog."""
        self._refuse_conflicts()
        files.write_tree(self.compiled, compiled_tree(rendered))
        for folder in OWNED:
            write_owned(self.directory, rendered.catalog, folder)
        # What was compiled is committed to the byte, whatever line ends the user likes.
        as_they_are = ("-c", "core.autocrlf=false", "-c", "core.safecrlf=false")
        git(self.directory, *as_they_are, "add", "--all")
        return Change(staged_files(self.directory), ignored=self._ignored(rendered.catalog))

    def unstage(self) -> None:
        """Make the index as the last commit is, or empty before there is one."""
        git(self.directory, "reset", "--quiet", "--mixed")

    def commit(self, message: str) -> str:
        """Commit what is staged, and return the commit's id."""
        who = committer(self.author, self.directory)
        if commit_of(self.directory, "HEAD") is None:
            # A catalog's history begins with an empty commit, as Commodore's do.
            git(self.directory, "symbolic-ref", "HEAD", f"refs/heads/{self.branch}")
            _commit(self.directory, "Initial commit", who, "--allow-empty", "--only")
        _commit(self.directory, message, who)
        return git(self.directory, "rev-parse", "HEAD")

    def push(self) -> None:
        """Push the commit; it stays here if that fails."""
        target = f"HEAD:refs/heads/{self.branch}"
        try:
            over_network(self.directory, "push", "origin", target)
        except ProgramFailed as error:
            from .push_errors import push_failed  # noqa: PLC0415 - rarely needed

            raise push_failed(
                error.stderr,
                url=self.url,
                pushed_to=self.pushed_to,
                branch=self.branch,
                kept_in=str(self.directory),
            ) from error
        # A branch for review is deleted eventually: commits pushed to it are still not local work.
        name = self.branch.replace("/", "%")  # a branch may be below another's name
        git(self.directory, "update-ref", f"refs/commodore/pushed/{name}", "HEAD")

    def take_back(self) -> None:
        """Undo the commit, but not the files: to commit again on top of what others pushed."""
        ref = f"refs/heads/{self.branch}"
        if self.commit_before is None:
            git(self.directory, "update-ref", "-d", ref)
        else:
            git(self.directory, "update-ref", ref, self.commit_before)

    def _refuse_conflicts(self) -> None:
        # Staging everything would declare conflicts solved, markers and all.
        listing = _names(git_bytes(self.directory, "ls-files", "--unmerged", "-z"))
        conflicts = sorted({line.partition("\t")[2] for line in listing})
        if conflicts:
            raise CommodoreError(
                f"the catalog has unresolved merge conflicts: {', '.join(conflicts)}",
                where=str(self.directory),
                hint="resolve or abort the merge in the catalog's checkout",
            )

    def _ignored(self, catalog: Tree) -> tuple[str, ...]:
        """Compiled files that ignore rules keep out of the index, each with its rule."""
        arguments = ("--others", "--ignored", "--exclude-standard", "-z")
        found = git_bytes(self.directory, "ls-files", *arguments, "--", *map(str, OWNED))
        hidden = [name for name in _names(found) if PurePosixPath(name) in catalog]
        if not hidden:
            return ()
        stdin = "".join(f"{name}\0" for name in hidden)
        rules = git_bytes(
            self.directory, "check-ignore", "-v", "-z", "--stdin", stdin=os.fsencode(stdin)
        )
        fields = iter(_names(rules))
        return tuple(
            f"{name} ({source}:{line}: {pattern})"
            for source, line, pattern, name in zip(fields, fields, fields, fields, strict=True)
        )


def _commit(directory: Path, message: str, who: Author, *options: str) -> None:
    # No hook and no signature: an automated commit cannot prompt, and programs read the message.
    git(
        directory,
        *("-c", "core.hooksPath=/dev/null", "commit", "--quiet", "--no-verify", "--no-gpg-sign"),
        *("--cleanup=verbatim", "--file=-", *options),
        stdin=message.encode(),
        env={
            "GIT_AUTHOR_NAME": who.name,
            "GIT_AUTHOR_EMAIL": who.email,
            "GIT_COMMITTER_NAME": who.name,
            "GIT_COMMITTER_EMAIL": who.email,
        },
    )


def _names(output: bytes) -> list[str]:
    return [name for name in os.fsdecode(output).split("\0") if name]
