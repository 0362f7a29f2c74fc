"""Jsonnet as component code expects it: external variables, libraries, natives, the inventory."""

from __future__ import annotations

import functools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from commodore_py.adapters.jsonnet.captured import captured
from commodore_py.adapters.jsonnet.evaluate import JsonnetError, evaluate
from commodore_py.lib import KAPITAN_LIBRARIES

from .natives import natives

if TYPE_CHECKING:
    from pathlib import Path

    from commodore_py.adapters.files.view import Files
    from commodore_py.adapters.jsonnet.inventory import InventoryImports


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Evaluates the files of one target."""

    target: str
    inventory: InventoryImports
    traces: list[bytes] = field(default_factory=list)
    """Collects the traces of the code."""

    def run(self, source: Path, files: Files) -> str:
        """The value of a file as JSON text."""
        content = files.read(source)
        if content is None:
            raise JsonnetError("cannot read the file: it is not there", where=str(source))
        with captured(self.traces):
            return evaluate(
                source,
                content=content,
                import_folders=(KAPITAN_LIBRARIES, *files.search_paths),
                ext_vars={"target": self.target},
                natives=natives(files, self.inventory, target=self.target),
                read=functools.partial(self._read, files),
            )

    def _read(self, files: Files, path: str) -> bytes | None:
        generated = self.inventory.read(path, self.target)
        if generated is not None:
            return generated
        content = files.read(path)
        return content if content is None or b"\r" not in content else _as_text(content)


def _as_text(content: bytes) -> bytes:
    """With the line ends that Python's text files have; everything else is unchanged."""
    try:
        content.decode()
    except UnicodeDecodeError:
        return content
    return content.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
