"""Fingerprints of values before they are resolved: equal ones mean equal values, in any run.

The fingerprint of a value is that of its text where the text alone decides, else that of its file:
so no value has to be traversed.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from .values import Map, Sequence, Stack, Token, Value

if TYPE_CHECKING:
    from .reader import ClassFile

MISSING: Any = object()
"""Stands for a parameter that does not exist, which is not the same as one that is null."""

_IN_FILES = (Map, list, Sequence)
_SCALARS = (str, int, float, bool, type(None))


class Fingerprints:
    """Fingerprints of top-level parameters and of their layers."""

    def __init__(self) -> None:
        # By identity; the values are held, so that their addresses are not reused.
        self._known: dict[int, tuple[Value, bytes | None]] = {}
        self._files: dict[int, ClassFile] = {}

    def add(self, content: ClassFile, digest: bytes) -> None:
        """The parameters of a file, which has this digest."""
        if id(content) in self._files:
            return
        self._files[id(content)] = content
        for key, value in content.parameters.items.items():
            if type(key) is str and type(value) in _IN_FILES:
                text = content.texts.get(key)
                fingerprint = (
                    _digest(b"f", digest, key.encode()) if text is None else _digest(b"w", text)
                )
                self._known[id(value)] = (value, fingerprint)

    def add_value(self, value: Map, digest: bytes) -> None:
        """A mapping that is in no file."""
        self._known[id(value)] = (value, digest)

    def of(self, value: Value) -> bytes | None:
        """The fingerprint of a value, None if it has none."""
        kind = type(value)
        if kind is Token:
            return _digest(b"t", value.text.encode(errors="surrogatepass"))
        if kind in _SCALARS:
            text = f"{kind.__name__}:{value!r}"
            return _digest(b"s", text.encode(errors="surrogatepass"))
        if value is MISSING:
            return b"missing"
        known = self._known.get(id(value))
        if known is None and kind is Stack:
            layers = [self.of(layer) for layer in value.layers]
            fingerprint = None if None in layers else _digest(b"l", *filter(None, layers))
            known = self._known[id(value)] = (value, fingerprint)
        return known[1] if known else None


def _digest(kind: bytes, *parts: bytes) -> bytes:
    digest = blake2b(kind, digest_size=16)
    for part in parts:
        digest.update(len(part).to_bytes(8, "big") + part)
    return digest.digest()
