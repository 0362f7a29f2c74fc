"""A catalog in a Git repository: files, index, commit and push."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from commodore_py.adapters import files, git_urls
from commodore_py.adapters.git import commit_of, git, git_bytes
from commodore_py.adapters.process import ProgramFailed
from commodore_py.catalog.identity import committer
from commodore_py.catalog.layout import OWNED, is_hidden
from commodore_py.errors import CommodoreError
from commodore_py.model import Change, Tree

from .staged import staged_files

if TYPE_CHECKING:
    from pathlib import Path

    from commodore_py.config import Author, Config
    from commodore_py.model import CatalogHead, Rendered

_REFUSED = re.compile(r"^ ! (\[[^\]]+\]).* -> \S+(?: (\(.*\)))?$", re.MULTILINE)
_SAID_BY_SERVER = re.compile(r"^remote: (.*\S)\s*$", re.MULTILINE)
_OVERTAKEN = ("fetch first", "non-fast-forward", "stale info")


def open_sink(config: Config, head: CatalogHead) -> GitCatalog:
    """The catalog's checkout as a place to write to."""
    return GitCatalog(
        directory=head.directory,
        url=head.url,
        pushed_to=git_urls.push_url(head.url, config.push_url),
        branch=head.branch,
        compiled=config.paths.compiled,
        author=config.author,
    )


@dataclass(frozen=True, slots=True)
class GitCatalog:
    """A checkout of the catalog; what is not manifests or refs in it is never written."""

    directory: Path
    url: str
    pushed_to: str
    branch: str
    compiled: Path
    author: Author

    def stage(self, rendered: Rendered) -> Change:
        """Write `compiled/` and the catalog's files where they differ, and stage the catalog."""
        self._refuse_conflicts()
        files.write_tree(self.compiled, _compiled_tree(rendered))
        for folder in OWNED:
            _write_owned(self.directory / folder, rendered.catalog.subtree(folder))
        git(self.directory, "add", "--all")
        return Change(staged_files(self.directory), ignored=self._ignored(rendered.catalog))

    def unstage(self) -> None:
        """Make the index as the last commit is, or empty before there is one."""
        git(self.directory, "reset", "--quiet", "--mixed")

    def commit_and_push(self, message: str) -> str:
        """Commit what is staged and push it; the commit stays here if the push fails."""
        who = committer(self.author, self.directory)
        if commit_of(self.directory, "HEAD") is None:
            # A catalog's history begins with an empty commit, as Commodore's do.
            git(self.directory, "symbolic-ref", "HEAD", f"refs/heads/{self.branch}")
            _commit(self.directory, "Initial commit", who, "--allow-empty", "--only")
        _commit(self.directory, message, who)
        try:
            git(self.directory, "push", "origin", f"HEAD:refs/heads/{self.branch}")
        except ProgramFailed as error:
            raise _push_failed(self, error.stderr) from error
        return git(self.directory, "rev-parse", "HEAD")

    def _refuse_conflicts(self) -> None:
        # Staging everything would declare conflicts solved, markers and all.
        listing = _names(git_bytes(self.directory, "ls-files", "--unmerged", "-z"))
        conflicts = sorted({line.partition("\t")[2] for line in listing})
        if conflicts:
            raise CommodoreError(
                f"the catalog has unsolved merge conflicts: {', '.join(conflicts)}",
                where=str(self.directory),
                hint="solve or abort the merge in the catalog's checkout",
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


def _compiled_tree(rendered: Rendered) -> Tree:
    folders = {PurePosixPath(name): tree for name, tree in rendered.instances.items()}
    empty = {folder / path for folder, tree in folders.items() for path in tree.empty_folders}
    return Tree(
        {folder / path: entry for folder, tree in folders.items() for path, entry in tree.items()},
        frozenset(empty | {folder for folder, tree in folders.items() if not tree}),
    )


def _write_owned(folder: Path, tree: Tree) -> None:
    if folder.is_symlink() or not folder.is_dir():
        files.remove(folder)
        folder.mkdir()
    keep = frozenset(
        PurePosixPath(child.name)
        for child in folder.iterdir()
        if is_hidden(child.name) and not _in_the_way(child, tree)
    )
    files.write_tree(folder, tree, keep=keep)


def _in_the_way(child: Path, tree: Tree) -> bool:
    """Whether a hidden entry is where a compiled folder has to be."""
    is_folder = child.is_dir() and not child.is_symlink()
    return not is_folder and PurePosixPath(child.name) in tree.folders()


def _commit(directory: Path, message: str, who: Author, *options: str) -> None:
    # No hook and no signature: nobody sits in front of an automated commit, and the message is
    # read by programs.
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


def _push_failed(catalog: GitCatalog, stderr: str) -> CommodoreError:
    where = git_urls.without_password(catalog.url)
    refused = _REFUSED.search(stderr)
    reason = " ".join(filter(None, refused.groups())) if refused else stderr.strip()
    error = CommodoreError(
        f"cannot push the catalog to branch {catalog.branch}: {git_urls.without_password(reason)}",
        where=where,
        hint=f"{_remedy(catalog.pushed_to, reason)}; the commit is kept in {catalog.directory}",
    )
    if said := _SAID_BY_SERVER.findall(stderr):
        error.add_note("the server said: " + " / ".join(said))
    return error


def _remedy(pushed_to: str, reason: str) -> str:
    if any(word in reason for word in _OVERTAKEN):
        return "somebody pushed in the meantime: compile again"
    if reason.startswith("["):
        return "the server refuses this push: see its rules for the branch"
    shown = git_urls.without_password(pushed_to)
    return f"check the network and your access to {shown}"


def _names(output: bytes) -> list[str]:
    return [name for name in os.fsdecode(output).split("\0") if name]
