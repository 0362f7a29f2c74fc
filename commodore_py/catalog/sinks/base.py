"""The interface of a destination of catalogs, and of the module that offers it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from pathlib import Path

    from commodore_py.config import Config
    from commodore_py.model.catalog import CatalogHead, Change
    from commodore_py.model.stages import Rendered


class Overtaken(CommodoreError):
    """The branch was pushed to in the meantime: fetching and comparing again helps."""


class CatalogSink(Protocol):
    """A destination: everything is laid out there, and compared with what was there before."""

    @property
    def repository(self) -> RepositorySink | None:
        """The destination as a repository to commit and push to; None if it is none."""
        ...

    def stage(self, rendered: Rendered) -> Change:
        """Write the compiled files, and return what that changes."""
        ...


class RepositorySink(CatalogSink, Protocol):
    """A destination that is committed and pushed."""

    @property
    def branch(self) -> str:
        """The branch to push to."""
        ...

    def leave_staged(self) -> None:
        """Leave what was staged to the user, who does not want it to be committed now."""
        ...

    def unstage(self) -> None:
        """Forget what was staged; the files stay as they were written."""
        ...

    def commit(self, message: str) -> str:
        """Commit what is staged, and return the commit's id."""
        ...

    def push(self) -> None:
        """Push the commit; raise `Overtaken` if the branch has moved on."""
        ...

    def take_back(self) -> None:
        """Forget the commit, but not the files."""
        ...


class SinkKind(Protocol):
    """A module below `catalog/sinks/`."""

    def is_chosen(self, config: Config) -> bool:
        """Return whether the settings name this destination; the first one of the table is used."""

    def folder_of(self, config: Config) -> Path | None:
        """The path of the catalog; None for a repository, which is fetched while gathering."""

    def check(self, config: Config, cluster: str) -> None:
        """Refuse a destination that cannot be written to, before there is any work."""

    def open_catalog(self, config: Config, cluster: str, head: CatalogHead) -> CatalogSink:
        """The destination as it is now."""
