"""A request, before it is sent."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from commodore_py.adapters.masking import REDACTOR

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Request:
    """A request, and the credentials that go with it."""

    url: str
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    method: str = "GET"
    params: Mapping[str, str] | None = None
    body: bytes | None = None
    token: str = field(default="", repr=False)
    verify: bool | str = True
    timeout: float = 30
    download: bool = False
    """Whether it is for a file, which takes longer, and comes from a server of a netrc file."""
    raw: bool = False
    """Whether content is taken as it was sent, whatever encoding the server claims for it."""

    @property
    def shown(self) -> str:
        """The URL for messages."""
        return REDACTOR.message(self.url)
