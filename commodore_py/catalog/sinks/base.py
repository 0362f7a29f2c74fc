"""What every destination of a catalog can do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from commodore_py.model.catalog import Change
    from commodore_py.model.stages import Rendered


class CatalogSink(Protocol):
    """A destination: everything is laid out there, and compared with what was there before."""

    def stage(self, rendered: Rendered) -> Change:
        """Write the compiled files, and say what that changes."""
        ...

    def unstage(self) -> None:
        """Forget what was staged; the files stay as they were written."""
        ...
