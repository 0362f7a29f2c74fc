"""Files as bytes and back: how results are stored."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from commodore_py.model.tree import Entry

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


def pack(files: Mapping[str, Entry], folders: Iterable[str] = ()) -> bytes:
    """Files and folders as bytes: a line of JSON, and the contents one after the other."""
    header = {
        "files": [[name, len(file.content), file.executable] for name, file in files.items()],
        "folders": list(folders),
    }
    return b"\n".join(
        (json.dumps(header).encode(), b"".join(file.content for file in files.values()))
    )


def unpack(packed: bytes) -> tuple[dict[str, Entry], list[str]]:
    """The files and folders in such bytes."""
    first, _, contents = packed.partition(b"\n")
    header = json.loads(first)
    files, start = {}, 0
    for name, size, executable in header["files"]:
        files[name] = Entry(contents[start : start + size], executable=executable)
        start += size
    return files, header["folders"]
