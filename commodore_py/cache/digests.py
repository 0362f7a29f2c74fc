"""Digests: short strings that are equal where contents and values are equal."""

from __future__ import annotations

import functools
import marshal
import os
import sys
from contextlib import suppress
from hashlib import blake2b
from typing import TYPE_CHECKING

import commodore_py
from commodore_py.adapters.reading import bytes_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from commodore_py.model.tree import Entry, Tree

    from .roots import Roots

NOTHING = ""
"""There is none."""
UNREADABLE = "!"
"""Something of another kind, or not readable."""
UNKNOWN = "?"
"""The question has no answer that can be compared; no record holds this."""

# Later versions write shared values as references, so equal values may give other bytes.
_BY_VALUE = 2
_SIZE = 32
_HEX = frozenset("0123456789abcdef")
# Libraries for components are left out: what is used of them is recorded.
_CODE = (".py", ".toml")
_PACKAGES = (".dist-info", ".egg-info")


def digest(content: bytes) -> str:
    """The digest of some bytes: strong, and fast on machines without instructions for SHA."""
    return blake2b(content, digest_size=_SIZE).hexdigest()


def is_digest(text: str) -> bool:
    """Return whether a text has the form of a digest."""
    return len(text) == 2 * _SIZE and _HEX.issuperset(text)


def of_value(value: object) -> str | None:
    """The digest of a value; None if it holds what is not plain data."""
    try:
        return digest(marshal.dumps(value, _BY_VALUE))  # type: ignore[arg-type] # tried here
    except ValueError:
        return None


def of_inventory(value: object, roots: Roots) -> str:
    """The digest of a value of the hierarchy; unknown if it is not plain data."""
    try:
        return of_content(marshal.dumps(value, _BY_VALUE), roots)  # type: ignore[arg-type] # as above
    except ValueError:
        return UNKNOWN


def of_content(content: bytes | None, roots: Roots) -> str:
    """The digest of a file's content, with the roots whose paths it holds."""
    return NOTHING if content is None else digest(content) + "|".join(roots.named_in(content))


def of_entry(entry: Entry | None) -> str:
    """The digest of a file with its mode."""
    return NOTHING if entry is None else f"{digest(entry.content)}{'x' * entry.executable}"


def of_names(names: Iterable[str]) -> str:
    """The digest of a list of names."""
    return digest(marshal.dumps(tuple(names), _BY_VALUE))


def of_tree(tree: Tree) -> str:
    """The digest of a whole folder."""
    files = [f"{path}\0{of_entry(entry)}" for path, entry in tree.items()]
    return of_names([*files, "", *sorted(map(str, tree.empty_folders))])


@functools.cache
def program_digest() -> str:
    """The digest of our code, Python and its packages, on which all cached results depend.

    Equal for equal programs, wherever they are installed.
    """
    hashed = blake2b(sys.version.encode(), digest_size=_SIZE)
    # Names and versions, from the names of metadata folders: reading metadata is slow.
    packages = set[str]()
    for folder in sys.path:
        with suppress(OSError):
            names = os.listdir(folder)  # noqa: PTH208 - names are wanted
            packages |= {name for name in names if name.endswith(_PACKAGES)}
    hashed.update("\n".join(sorted(packages)).encode(errors="surrogateescape"))
    root = os.path.dirname(commodore_py.__file__)  # noqa: PTH120 - a text
    files = [
        f"{folder}/{name}"
        for folder, _, names in os.walk(root)
        for name in names
        if name.endswith(_CODE)
    ]
    for path in sorted(files):
        hashed.update(path.removeprefix(root).encode() + b"\n" + bytes_of(path))
    return hashed.hexdigest()
