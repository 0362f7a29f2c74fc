"""Temporary clones with only the required files of each remote, without history."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commodore_py.adapters.git.program import git, git_bytes, over_network, succeeds
from commodore_py.adapters.git.refs import is_complete
from commodore_py.adapters.process import ProgramFailed
from commodore_py.dependencies.git.clones import init_clone

from .fetch import Clones

if TYPE_CHECKING:
    from pathlib import Path

    from commodore_py.dependencies.git.mirrors import Mirrors

    from .content import Content
    from .remote import Remote

# A clone for one compile needs neither maintenance nor negotiation.
_FETCH = ("-c", "maintenance.auto=false", "-c", "fetch.negotiationAlgorithm=noop", "fetch")
_SPARSE = ("--quiet", "--no-tags", "--filter=blob:none")
_ATTRIBUTES = ".gitattributes"


class PartialClones(Clones):
    """Fetches files on demand; falls back to complete clones."""

    def __init__(
        self, folder: Path, mirrors: Mirrors | None = None, *, offline: bool = False
    ) -> None:
        super().__init__(folder, mirrors, offline=offline)
        self._whole: set[Path] = set()

    def provide(self, remote: Remote, content: Content) -> None:
        """Fetch a commit without its files, and then the required ones at once."""
        bare, url = self._place(remote)
        if bare in self._whole:
            return
        try:
            if not (bare / "HEAD").is_file():
                init_clone(bare, url)
            # In a partial clone, objects may be missing.
            partly = succeeds(bare, "config", "remote.origin.promisor")
            if not partly and is_complete(bare, content.commit):
                return
            over_network(bare, *_FETCH, *_SPARSE, "--depth=1", "origin", content.commit)
            _fetch_files(bare, content)
        except ProgramFailed:
            # Not every server supports filters, or sends commits by their ids.
            self._everything(remote, content.commit)

    def _everything(self, remote: Remote, version: str) -> str:
        found = self.commit(remote, version)
        self._whole.add(self.of(remote))
        return found


def _fetch_files(bare: Path, content: Content) -> None:
    """Fetch all required files at once; Git would fetch them one by one."""
    listing = git_bytes(bare, "ls-tree", "-r", "-z", content.commit)
    wanted = [
        entry.split(b" ", 2)[2]
        for line in listing.split(b"\0")
        if line
        for entry, _, name in [line.partition(b"\t")]
        if entry.split(b" ", 2)[1] == b"blob" and _is_wanted(name.decode(errors="replace"), content)
    ]
    if wanted:
        names = b"\n".join(dict.fromkeys(wanted)) + b"\n"
        noop = ("-c", "fetch.negotiationAlgorithm=noop")
        git(
            bare,
            *noop,
            "fetch",
            *_SPARSE,
            "--no-write-fetch-head",
            "--stdin",
            "origin",
            stdin=names,
        )


def _is_wanted(name: str, content: Content) -> bool:
    # Attributes of outer folders count for the files of inner ones.
    inside = not content.subdir or name.startswith(f"{content.subdir.strip('/')}/")
    return inside or name.rpartition("/")[2] == _ATTRIBUTES
