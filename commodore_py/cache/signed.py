"""Who may write to a cache of results that machines share: keys and signatures."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

_MOST_RECORDS = 16
_PURPOSE = b"commodore result\0"


@dataclass(frozen=True, slots=True)
class RemoteCache:
    """The address of the cache, whose results count, and what its own are signed with."""

    url: str
    trusted: tuple[str, ...] = ()
    """Public keys of writers, Ed25519 in base64."""
    signing_key: Path | None = None
    """A private key in PEM; without one, results are only read."""


def is_public_key(text: str) -> bool:
    """Return whether a string is a public key as the settings have it."""
    try:
        return len(base64.b64decode(text, validate=True)) == 32  # noqa: PLR2004 - of Ed25519
    except ValueError:
        return False


@dataclass(frozen=True, slots=True)
class Signed:
    """A record, who wrote it, and the proof."""

    writer: str
    signature: str
    content: bytes

    @classmethod
    def by(cls, private: Ed25519PrivateKey, key: str, content: bytes) -> Signed:
        """The record of a key, signed."""
        signature = private.sign(_signed_bytes(key, content))
        return cls(public_key(private), _base64(signature), content)

    @classmethod
    def all_in(cls, packed: bytes) -> tuple[Signed, ...]:
        """The records in a file, of which anybody may be the author."""
        try:
            return tuple(
                cls(str(part["writer"]), str(part["signature"]), str(part["record"]).encode())
                for part in json.loads(packed)[:_MOST_RECORDS]
            )
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            return ()

    @staticmethod
    def packed(signed: Iterable[Signed]) -> bytes:
        """A file of records, the newest first."""
        parts = [
            {"writer": each.writer, "signature": each.signature, "record": each.content.decode()}
            for each in signed
        ]
        return json.dumps(parts[:_MOST_RECORDS]).encode()

    def is_valid(self, key: str) -> bool:
        """Return whether its writer has signed it for this key."""
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

        try:
            public = Ed25519PublicKey.from_public_bytes(base64.b64decode(self.writer))
            public.verify(base64.b64decode(self.signature), _signed_bytes(key, self.content))
        except (InvalidSignature, ValueError):
            return False
        return True


def public_key(private: Ed25519PrivateKey) -> str:
    """The public key of a private one, as the settings have it."""
    return _base64(private.public_key().public_bytes_raw())


def private_key(file: Path) -> Ed25519PrivateKey:
    """The private key in a file."""
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    hint = "make one: openssl genpkey -algorithm ed25519 -out FILE"
    try:
        private = load_pem_private_key(file.read_bytes(), password=None)
    except OSError as error:
        raise CommodoreError(f"cannot read the key: {error.strerror}", where=str(file)) from error
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise CommodoreError("not a private key in PEM", where=str(file), hint=hint) from error
    if not isinstance(private, Ed25519PrivateKey):
        raise CommodoreError("not a key of type Ed25519", where=str(file), hint=hint)
    return private


def _signed_bytes(key: str, content: bytes) -> bytes:
    return _PURPOSE + key.encode() + b"\0" + content


def _base64(content: bytes) -> str:
    return base64.b64encode(content).decode()
