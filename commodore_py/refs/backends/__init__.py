"""The kinds of secret references."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from . import vaultkv

if TYPE_CHECKING:
    from commodore_py.model.secrets import SecretRef

__all__ = ["REF_BACKENDS", "RefBackend"]


class RefBackend(Protocol):
    """A module below `refs/backends/`.

    A reference file has a line `data: <base64>`; tags carry the hash of what it encodes.
    """

    def check(self, ref: SecretRef) -> None:
        """Refuse a reference path that the backend can make nothing of."""

    def render(self, ref: SecretRef, settings: object) -> bytes:
        """The content of the reference file; settings are those of the bootstrap target."""


REF_BACKENDS: dict[str, RefBackend] = {
    "vaultkv": vaultkv,
}
