"""A target as natives see it, with the files of the table of calls."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from commodore_py.adapters.files.view import Files
from commodore_py.compiler.inputs.jsonnet import evaluate_file
from tests.support.calls import COMPILING

if TYPE_CHECKING:
    from pathlib import Path

    from commodore_py.adapters.jsonnet.inventory import InventoryImports

PREAMBLE = """
local kap = import 'lib/kapitan.libjsonnet';
local native = std.native;
"""


@dataclass(frozen=True)
class Component:
    """Evaluates Jsonnet as for a target."""

    folder: Path
    search_paths: tuple[Path, ...]
    target: str
    imports: InventoryImports

    def file(self, text: str) -> Path:
        """A file of the component."""
        file = self.folder / "case.jsonnet"
        file.write_text(text, newline="")
        return file

    def run(self, expression: str) -> str:
        """JSON text of what an expression gives."""
        files = Files(self.folder / "compiled", self.folder / "catalog", {}, self.search_paths)
        file = self.file(f"{PREAMBLE}{expression}\n")
        return evaluate_file(file, files, self.imports, target=self.target)


def lay_out(root: Path) -> tuple[Path, ...]:
    """The files, and the search paths where they are."""
    empty, first, later = (root / name for name in ("empty", "first", "later"))
    empty.mkdir(parents=True)
    for folder, files in ((first, COMPILING["files"]), (later, COMPILING["later"])):
        for name, content in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            data = content if isinstance(content, bytes) else content.encode()
            (folder / name).write_bytes(data)
    return empty, first, later
