"""Questions about references to secrets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commodore_py.cache.digests import NOTHING

from .base import Question

if TYPE_CHECKING:
    from commodore_py.cache.roots import Roots

    from .base import View


class Reference(Question):
    """The hash of a reference to a secret, by its backend and path."""

    kind = "reference"

    def ask(self, view: View) -> str:
        """Its hash."""
        return view.references.get(self.about, NOTHING)

    def describe(self, _: Roots) -> str:
        """Its path."""
        return f"the reference {self.about.partition(':')[2]} has changed"
