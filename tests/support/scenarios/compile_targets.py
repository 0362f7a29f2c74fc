"""Targets on disk that are compiled again and again: with results of before, and without."""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from commodore_py.adapters.files.reach import Reach
from commodore_py.compiler import Job
from commodore_py.compiler.compile import compile_job
from commodore_py.lib import LIBRARIES
from commodore_py.model.inventory import Instance, Inventory
from commodore_py.model.stages import CompilePlan
from tests.support.builders import make_config, make_node

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from commodore_py.model.secrets import ReferenceFile
    from commodore_py.model.tree import Tree


@dataclass
class CompileTargets:
    """A working directory with targets; edits are made between compiles."""

    root: Path
    store: Path
    parameters: dict[str, dict[str, Any]] = field(default_factory=dict)
    """By target."""
    entries: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    references: tuple[ReferenceFile, ...] = ()
    checkouts: dict[str, Path] = field(default_factory=dict)
    processes: int = 1

    def write(self, name: str, content: str, *, executable: bool = False) -> Path:
        """A file of the working directory."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
        if executable:
            path.chmod(0o755)
        return path

    def entry(self, target: str, *paths: str, kind: str = "jsonnet", **fields: Any) -> None:  # noqa: ANN401 - as people write them
        """One more entry of a target."""
        self.parameters.setdefault(target, {})
        self.entries.setdefault(target, []).append(
            {"input_type": kind, "input_paths": list(paths), "output_path": "out", **fields}
        )

    def job(self, *, bases: Any = None, **settings: Any) -> Job:  # noqa: ANN401 - Config checks them by name
        """What is compiled now."""
        nodes = {
            name: make_node(name, parameters={**values, "kapitan": {"compile": self.entries[name]}})
            for name, values in self.parameters.items()
        }
        self.root.mkdir(parents=True, exist_ok=True)
        search_paths = (self.root / "vendor", self.root, LIBRARIES)
        reach = Reach((self.root, LIBRARIES.parent, *self.checkouts.values()), work=(self.root,))
        return Job(
            make_config(
                self.root, **{"processes": self.processes, "result_cache": self.store, **settings}
            ),
            CompilePlan(self.root, search_paths, self.checkouts),
            Inventory(nodes, tuple(Instance(name, name) for name in sorted(nodes))),
            self.references,
            reach,
            bases,
        )

    def compiled(self) -> list[str]:
        """Compile both ways; the bytes must be the same. Returns which entries were rendered."""
        cached, lines = self._logged()
        assert everything(cached) == everything(trees_of(self.job(result_cache=None)))
        assert len({*lines}) == len(lines), "an entry is reported twice"
        entries = [line.split(": ")[:2] for line in lines]
        return [f"{target} {re.split('[ /]', entry)[-1]}" for target, entry in entries]

    def reasons(self) -> list[str]:
        """Compile, and say why entries were rendered."""
        return [line.split(": ", 3)[-1] for line in self._logged()[1]]

    def _logged(self) -> tuple[Mapping[str, Tree], list[str]]:
        """Compile, with the lines about entries that were rendered; workers write to the file."""
        file = self.root.parent / "rendered.log"
        file.unlink(missing_ok=True)
        handler = logging.FileHandler(file)
        log = logging.getLogger("commodore_py.cache.results")
        before = log.level
        log.setLevel(logging.DEBUG)
        log.addHandler(handler)
        try:
            trees = trees_of(self.job())
        finally:
            log.removeHandler(handler)
            handler.close()
            log.setLevel(before)
        lines = file.read_text().splitlines()
        rendered = (line for line in lines if "taken from the cache" not in line)
        return trees, sorted(rendered, key=lambda line: line.split(": ")[0])


def trees_of(job: Job) -> dict[str, Tree]:
    """Compile, whatever is in the cache."""
    return {name: output.tree for name, output in compile_job(job).items()}


def everything(trees: Mapping[str, Tree]) -> dict[str, Any]:
    """All that there is to know about trees."""
    return {
        name: (
            [(str(path), entry.content, entry.executable) for path, entry in tree.items()],
            sorted(map(str, tree.empty_folders)),
        )
        for name, tree in trees.items()
    }
