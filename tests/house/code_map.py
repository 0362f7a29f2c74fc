"""The package as data: its modules and their imports."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = "commodore_py"


@dataclass(frozen=True, slots=True)
class Module:
    """One file of the package."""

    name: str
    path: Path
    imports_at_run_time: frozenset[str]
    """Modules of ours that it imports, without those for type checking."""

    @property
    def room(self) -> str:
        """The part of the package that it belongs to."""
        return room_of(self.name)


def room_of(name: str) -> str:
    """`adapters` for `commodore_py.adapters.git_urls`; empty for the package itself."""
    return name.partition(".")[2].partition(".")[0]


@cache
def modules() -> Mapping[str, Module]:
    """All modules by name."""
    paths = dict(_named(path) for path in sorted((ROOT / PACKAGE).rglob("*.py")))
    return {name: _read(name, path, set(paths)) for name, path in paths.items()}


def modules_by_folder() -> dict[Path, list[Module]]:
    """The modules in each folder."""
    found: dict[Path, list[Module]] = {}
    for module in modules().values():
        found.setdefault(module.path.parent, []).append(module)
    return found


def _named(path: Path) -> tuple[str, Path]:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts), path


def _read(name: str, path: Path, known: set[str]) -> Module:
    is_package = path.name == "__init__.py"
    package = name if is_package else name.rpartition(".")[0]
    tree = _Unchecked().visit(ast.parse(path.read_text("utf-8")))
    return Module(name, path, _ours(_imported(tree, package, known), name))


def _ours(imported: Iterable[str], name: str) -> frozenset[str]:
    return frozenset(
        one for one in imported if one.partition(".")[0] == PACKAGE and one not in (name, PACKAGE)
    )


class _Unchecked(ast.NodeTransformer):
    """Removes what only a type checker sees."""

    def visit_If(self, node: ast.If) -> ast.AST:
        return ast.Pass() if ast.unparse(node.test) == "TYPE_CHECKING" else node


def _imported(tree: ast.AST, package: str, known: set[str]) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*above, *([node.module] if node.module else [])])
            for alias in node.names:
                full = f"{base}.{alias.name}"
                yield full if full in known else base
