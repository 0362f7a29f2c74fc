"""Digest of what all cached results depend on: our code, Python, and its packages."""

from __future__ import annotations

import functools
import os
import sys
from contextlib import suppress
from hashlib import blake2b

import commodore_py
from commodore_py.adapters.reading import bytes_of

# Libraries for components are left out: what is used of them is recorded.
_CODE = (".py", ".toml")
_PACKAGES = (".dist-info", ".egg-info")


@functools.cache
def program_digest() -> str:
    """Equal for equal programs, wherever they are installed."""
    digest = blake2b(sys.version.encode(), digest_size=32)
    # Names and versions, from the names of metadata folders: reading metadata is slow.
    packages = set[str]()
    for folder in sys.path:
        with suppress(OSError):
            names = os.listdir(folder)  # noqa: PTH208 - names are wanted
            packages |= {name for name in names if name.endswith(_PACKAGES)}
    digest.update("\n".join(sorted(packages)).encode(errors="surrogateescape"))
    root = os.path.dirname(commodore_py.__file__)  # noqa: PTH120 - a text
    files = [
        f"{folder}/{name}"
        for folder, _, names in os.walk(root)
        for name in names
        if name.endswith(_CODE)
    ]
    for path in sorted(files):
        digest.update(path.removeprefix(root).encode() + b"\n" + bytes_of(path))
    return digest.hexdigest()
