"""The package as data: its modules, their lines and imports, and the layers in pyproject.toml."""

from __future__ import annotations

import ast
import re
import tomllib
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
    is_package: bool
    lines: int
    imports: frozenset[str]
    """Modules of ours that it imports, those for type checking included."""
    imports_at_run_time: frozenset[str]
    """The same without those for type checking."""
    foreign: frozenset[str]
    """Top-level packages of others that it imports."""

    @property
    def room(self) -> str:
        """The part of the package that it belongs to."""
        return room_of(self.name)

    @property
    def summary(self) -> str:
        """The first line of its docstring."""
        text = ast.get_docstring(ast.parse(self.path.read_text("utf-8"))) or ""
        return text.partition("\n")[0].rstrip(".")


def room_of(name: str) -> str:
    """`adapters` for `commodore_py.adapters.git_urls`; empty for the package itself."""
    return name.partition(".")[2].partition(".")[0]


@cache
def modules() -> Mapping[str, Module]:
    """All modules by name."""
    paths = dict(_named(path) for path in sorted((ROOT / PACKAGE).rglob("*.py")))
    return {name: _read(name, path, set(paths)) for name, path in paths.items()}


@cache
def layers() -> tuple[tuple[str, ...], ...]:
    """The rooms by layer, the highest first, as import-linter has them."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    wanted = next(one for one in contracts if one["type"] == "layers")
    return tuple(
        tuple(name.strip() for name in layer.split("|") if not name.strip().startswith("("))
        for layer in wanted["layers"]
    )


def imports_between_rooms() -> dict[tuple[str, str], int]:
    """How many imports lead from one room to another."""
    found: dict[tuple[str, str], int] = {}
    for module in modules().values():
        for other in module.imports:
            pair = module.room, room_of(other)
            if all(pair) and pair[0] != pair[1]:
                found[pair] = found.get(pair, 0) + 1
    return found


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
    text = path.read_text("utf-8")
    is_package = path.name == "__init__.py"
    package = name if is_package else name.rpartition(".")[0]
    tree = ast.parse(text)
    imported = set(_imported(tree, package, known))
    foreign = {one.partition(".")[0] for one in imported} - {PACKAGE}
    return Module(
        name,
        path,
        is_package,
        len(text.splitlines()),
        _ours(imported, name),
        _ours(_imported(_Unchecked().visit(tree), package, known), name),
        frozenset(foreign),
    )


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


# What a module does to the outside world, by what stands in its text. Names of modules only: which
# function does it is for the reader to see.
EFFECTS: Mapping[str, re.Pattern[str]] = {
    "screen": re.compile(r"^\s*import click\b", re.MULTILINE),
    "programs": re.compile(r"^\s*import subprocess\b", re.MULTILINE),
    "network": re.compile(
        r"^\s*(import|from) (socket|ssl|urllib3|requests|http\.(client|server))\b", re.MULTILINE
    ),
    "clock": re.compile(r"\b(datetime\.now|date\.today|time\.time(_ns)?)\("),
    "threads and processes": re.compile(
        r"^\s*(import|from) (threading|concurrent|multiprocessing)\b|\bos\.fork\(", re.MULTILINE
    ),
    "locks of files": re.compile(r"^\s*import fcntl\b", re.MULTILINE),
    "environment variables": re.compile(r"\bos\.(environ|getenv)\b"),
}


def modules_with(effect: str) -> set[str]:
    """Files with an effect, by their paths in the package."""
    pattern, root = EFFECTS[effect], ROOT / PACKAGE
    return {
        module.path.relative_to(root).as_posix()
        for module in modules().values()
        if pattern.search(module.path.read_text("utf-8"))
    }
