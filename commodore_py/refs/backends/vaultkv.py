"""Secrets in a key-value engine of Vault: the last segment of a path is the key in the secret."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

from commodore_py.adapters import yaml
from commodore_py.refs.errors import BadReference

if TYPE_CHECKING:
    from commodore_py.model.secrets import SecretRef


class NoKey(BadReference):
    """A path without a slash cannot be split into secret and key."""


def check(ref: SecretRef) -> None:
    """Refuse a path without a slash."""
    if "/" not in ref.path:
        raise NoKey.of(
            f"reference ?{{vaultkv:{ref.path}}} does not say which key of which secret it means",
            ref,
            hint="write ?{vaultkv:<secret>/<key>}",
        )


def render(ref: SecretRef, settings: object) -> bytes:
    """A reference as Kapitan reads it."""
    secret, _, key = ref.path.rpartition("/")
    return yaml.dump(
        {
            "data": base64.b64encode(f"{secret}:{key}".encode()).decode(),
            "encoding": "original",
            "type": "vaultkv",
            "vault_params": settings,
        }
    )
