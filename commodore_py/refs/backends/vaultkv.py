"""Secrets in a key-value engine of Vault: the last segment of a path is the key in the secret."""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass
from typing import TYPE_CHECKING

from commodore_py.adapters import yaml
from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from commodore_py.model.secrets import ReferenceFile, SecretRef

# As in Kapitan, if nothing is set.
_MOUNT = "secret"


@dataclass(frozen=True, slots=True)
class Described:
    """The place of a value, by its reference file."""

    secret: str
    key: str
    mount: str
    address: str
    namespace: str


def check(ref: SecretRef) -> None:
    """Refuse a path without a slash."""
    if "/" not in ref.path:
        raise CommodoreError(
            f"reference ?{{vaultkv:{ref.path}}} does not say which key of which secret it means",
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


def read(file: ReferenceFile) -> Described | None:
    """The place that a reference file names; None if `render` did not write it."""
    content = yaml.load(file.content, name=file.path)
    data = content.get("data") if isinstance(content, dict) else None
    settings = content.get("vault_params") if isinstance(content, dict) else None
    if not isinstance(data, str) or not isinstance(settings, dict):
        return None
    try:
        secret, colon, key = base64.b64decode(data, validate=True).decode().rpartition(":")
    except (binascii.Error, ValueError):
        return None
    if not (colon and secret and key):
        return None
    text = {name: str(settings.get(name) or "") for name in ("VAULT_ADDR", "VAULT_NAMESPACE")}
    return Described(
        secret,
        key,
        str(settings.get("mount") or _MOUNT),
        text["VAULT_ADDR"].rstrip("/"),
        text["VAULT_NAMESPACE"],
    )
