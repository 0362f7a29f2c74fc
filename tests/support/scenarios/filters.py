"""Instances whose compiled files go through filters."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from commodore_py.model.inventory import Instance, Inventory
from commodore_py.model.spot import Nowhere
from commodore_py.postprocess import apply_filters
from tests.support.builders import make_config, make_dependency, make_node, make_sources, make_tree

if TYPE_CHECKING:
    from pathlib import Path

    from commodore_py.model.problem import Problem
    from commodore_py.model.spot import ParameterPath

JSONNET = {"type": "jsonnet", "path": "out", "filter": "filter.jsonnet"}
HELM = {
    "type": "builtin",
    "path": "out",
    "filter": "helm_namespace",
    "filterargs": {"namespace": "ns"},
}


class Lines(Nowhere):
    """Every definition on a line of its own, from the seventh on."""

    def parameter(self, _target: str, path: ParameterPath) -> str:
        return f"tenant/common.yml:{7 + int(str(path[-1])[1:-1])}" if len(path) == 4 else ""


@dataclass
class FilteredInstances:
    """A working directory with instances, their compiled files and their filters."""

    root: Path
    filters: dict[str, Any] = field(default_factory=dict)
    compiled: dict[str, dict[str, str]] = field(default_factory=dict)
    component: str = "app"
    raw: dict[str, Any] = field(default_factory=dict)

    def write(self, path: str, text: str) -> Path:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def run(self, **settings: object) -> tuple[dict[str, dict[str, str]], tuple[Problem, ...]]:
        compiled = {name: make_tree(files) for name, files in self.compiled.items()}
        nodes = {
            name: make_node(
                name, parameters={"commodore": {"postprocess": {"filters": found}}}, raw=self.raw
            )
            for name, found in self.filters.items()
        }
        checkouts = [
            make_dependency(name, self.root / "dependencies" / name) for name in self.filters
        ]
        inventory = Inventory(nodes, tuple(Instance(n, self.component) for n in self.filters))
        sources = make_sources(self.root, inventory, checkouts, places=Lines())
        filtered, notices = apply_filters(make_config(self.root, **settings), compiled, sources)
        texts = {
            name: {str(path): entry.content.decode() for path, entry in tree.items()}
            for name, tree in filtered.items()
        }
        return texts, notices
