"""Temporary clones with only the required files of each remote, without history."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commodore_py.adapters.git.program import over_network
from commodore_py.adapters.process import ProgramFailed
from commodore_py.dependencies.git.clones import has_commit, init_clone

from .fetch import Clones

if TYPE_CHECKING:
    from pathlib import Path

    from commodore_py.dependencies.git.mirrors import Mirrors

    from .content import Content
    from .remote import Remote

# A clone for one compile needs neither maintenance nor negotiation.
_FETCH = ("-c", "maintenance.auto=false", "-c", "fetch.negotiationAlgorithm=noop", "fetch")
_SHALLOW = ("--quiet", "--no-tags", "--no-write-fetch-head", "--filter=blob:none", "--depth=1")


class PartialClones(Clones):
    """Fetches files when they are written; falls back to complete clones."""

    def __init__(
        self, folder: Path, mirrors: Mirrors | None = None, *, offline: bool = False
    ) -> None:
        super().__init__(folder, mirrors, offline=offline)
        self._partial: set[Path] = set()
        self._present: set[tuple[Path, str]] = set()

    def provide(self, remote: Remote, content: Content) -> None:
        """Fetch a commit without its files, which Git fetches when they are written."""
        bare, url = self._place(remote)
        if (bare, content.commit) in self._present:
            return
        if bare in self._partial or not has_commit(bare, url, content.commit, self._mirrors):
            try:
                if not (bare / "HEAD").is_file():
                    init_clone(bare, url)
                    self._partial.add(bare)
                over_network(bare, *_FETCH, *_SHALLOW, "origin", content.commit)
            except ProgramFailed:
                # Not every server supports filters, or sends commits by their ids.
                self.commit(remote, content.commit)
        self._present.add((bare, content.commit))
