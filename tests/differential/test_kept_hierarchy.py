"""A hierarchy that was kept is the hierarchy resolved anew, whatever is edited in between."""

from __future__ import annotations

import random
import shutil
from typing import TYPE_CHECKING, Any

from commodore_py.adapters import yaml
from commodore_py.errors import CommodoreError
from commodore_py.inventory.classes import ClassFiles
from commodore_py.inventory.kept import KeptHierarchy
from commodore_py.inventory.native import render_targets

from .engines import exactly
from .hierarchies import hierarchy
from .inventory import write

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from commodore_py.inventory.reader import ClassFile
    from commodore_py.model import Node

HIERARCHIES = 60
EDITS = 5


class Counting(ClassFiles):
    """Class files that count how often one of them is parsed."""

    parsed = 0

    def load(self, name: str) -> ClassFile:
        """Count, and go on."""
        Counting.parsed += 1
        return super().load(name)


def outcome(render: Callable[..., dict[str, Node]], folder: Path, *, missing_ok: bool) -> Any:  # noqa: ANN401 - whatever a hierarchy holds
    try:
        files = Counting([("", folder / "classes")])
        targets = {
            file.stem: {"classes": classes_of(file), "parameters": {"_instance": file.stem}}
            for file in sorted((folder / "targets").iterdir())
        }
        nodes = render(files, targets, dict.fromkeys(targets, "uri"), missing_ok=missing_ok)
    except CommodoreError as error:
        return str(error)
    fields = ("applications", "classes", "environment", "exports", "parameters")
    return {
        name: exactly({field: node.raw[field] for field in fields}) for name, node in nodes.items()
    }


def classes_of(target: Path) -> list[str]:
    content = yaml.load(target.read_bytes(), name=str(target))
    return [str(name) for name in content.get("classes") or ()]


def edits(rng: random.Random, folder: Path, other: Path) -> Iterator[None]:
    """One edit after the other: contents, files that go and come back, and the same once more."""
    gone: list[tuple[Path, bytes]] = []
    for _ in range(EDITS):
        files = sorted(path for path in (folder / "classes").rglob("*.yml") if path.is_file())
        others = sorted(path for path in (other / "classes").rglob("*.yml") if path.is_file())
        match rng.choice(("edit", "edit", "same", "remove", "add")):
            case "edit" if files and others:
                rng.choice(files).write_bytes(rng.choice(others).read_bytes())
            case "remove" if files:
                file = rng.choice(files)
                gone.append((file, file.read_bytes()))
                file.unlink()
            case "add" if gone:
                file, content = gone.pop()
                file.write_bytes(content)
        yield


def test_kept_is_as_resolved_anew(tmp_path: Path) -> None:
    found = 0
    for number in range(HIERARCHIES):
        rng = random.Random(number)  # noqa: S311 - repeatable, not secret
        made = hierarchy(f"kept:{number}")
        write(made, tmp_path / "one")
        write(hierarchy(f"kept:{number + 1}"), tmp_path / "other")
        for _ in edits(rng, tmp_path / "one", tmp_path / "other"):
            kept = KeptHierarchy(tmp_path / "store", tmp_path)
            Counting.parsed = 0
            mine = outcome(kept.render, tmp_path / "one", missing_ok=made.missing_ok)
            found += not Counting.parsed
            anew = outcome(render_targets, tmp_path / "one", missing_ok=made.missing_ok)

            assert mine == anew, f"hierarchy {number}"
        shutil.rmtree(tmp_path / "one")
        shutil.rmtree(tmp_path / "other")
    assert found > HIERARCHIES / 8
