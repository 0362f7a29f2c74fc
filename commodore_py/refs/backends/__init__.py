"""The kinds of secret references."""

from . import vaultkv
from .base import RefBackend

__all__ = ["REF_BACKENDS", "RefBackend"]

REF_BACKENDS: dict[str, RefBackend] = {
    "vaultkv": vaultkv,
}
