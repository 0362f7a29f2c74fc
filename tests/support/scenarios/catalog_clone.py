"""The checkout of a catalog and its remote, written and pushed without a compile."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from commodore_py.adapters.git.program import git_bytes
from commodore_py.catalog.assemble import assemble
from commodore_py.catalog.sinks.git import GitCatalog
from commodore_py.config import Author, Config, WorkPaths
from commodore_py.model.catalog import CatalogHead
from commodore_py.model.secrets import ReferenceFile
from commodore_py.model.stages import Rendered
from commodore_py.model.tree import Entry, Tree
from tests.support.builders import git, git_succeeds

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

MESSAGE = "Subject\n\n# kept, although it looks like a comment\n\n\nEmpty lines above, none below\n"

AUTHOR = Author("Ann Author", "ann@example.org")


@dataclass(frozen=True)
class CatalogClone:
    """A bare remote, and a working directory with a clone of it."""

    root: Path
    branch: str = "master"
    author: Author = AUTHOR

    @classmethod
    def make(
        cls, root: Path, files: Mapping[str, bytes] | None = None, *, branch: str = "master"
    ) -> CatalogClone:
        """A clone; with files, others have pushed them."""
        clone = cls(root, branch)
        git(root, "init", "--quiet", "--bare", "--initial-branch", branch, str(clone.remote))
        clone.paths.root.mkdir()
        git(root, "clone", "--quiet", f"file://{clone.remote}", str(clone.catalog))
        if files:
            clone.commit(files)
        return clone

    @property
    def remote(self) -> Path:
        return self.root / "remote.git"

    @property
    def paths(self) -> WorkPaths:
        return WorkPaths(self.root / "work")

    @property
    def catalog(self) -> Path:
        return self.paths.catalog

    def commit(self, files: Mapping[str, bytes]) -> None:
        """What others committed and pushed, as it is."""
        for name, content in files.items():
            path = self.catalog / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        git(self.catalog, "add", "--all", "--force")
        self.commit_index()

    def commit_index(self) -> None:
        who = ("-c", "user.name=x", "-c", "user.email=x")
        git(self.catalog, *who, "commit", "--quiet", "--message", "others")
        git(self.catalog, "push", "--quiet", "origin", self.branch)

    def sink(self) -> GitCatalog:
        """The catalog as a run opens it."""
        has_commits = git_succeeds(self.catalog, "rev-parse", "--verify", "--quiet", "HEAD")
        commit = git(self.catalog, "rev-parse", "HEAD") if has_commits else None
        head = CatalogHead(self.catalog, f"file://{self.remote}", self.branch, commit)
        return GitCatalog(Config(self.paths, author=self.author), head)

    def push(self, compiled: Rendered) -> list[str]:
        """Publish what was compiled, if that is a change; the files that change."""
        sink = self.sink()
        change = sink.stage(compiled)
        if change:
            sink.commit(MESSAGE)
            sink.push()
        return [file.path for file in change.files]

    def pushed(self, *arguments: str) -> str:
        """What the remote reports about the branch of the catalog."""
        return git(self.remote, *arguments, self.branch)

    def content(self) -> dict[str, tuple[str, bytes]]:
        """Mode and content of what the remote has."""
        found = {}
        for line in filter(None, self.pushed("ls-tree", "-r", "-z").split("\0")):
            about, _, path = line.partition("\t")
            mode, kind, id_ = about.split(" ")
            is_module = kind == "commit"
            content = b"" if is_module else git_bytes(self.remote, "cat-file", "blob", id_)
            found[path] = (mode, content)
        return found


def rendered(
    files: Mapping[str, str | bytes], references: Mapping[str, str] | None = None
) -> Rendered:
    """One instance, foo, with these files."""
    contents = {
        PurePosixPath(path): Entry(text.encode() if isinstance(text, str) else text)
        for path, text in files.items()
    }
    instances = {"foo": Tree(contents)}
    refs = tuple(
        ReferenceFile(path, text.encode(), "vaultkv") for path, text in (references or {}).items()
    )
    return Rendered(instances, refs, assemble(instances, refs))
