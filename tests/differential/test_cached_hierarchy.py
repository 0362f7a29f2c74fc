"""A hierarchy that was kept is the hierarchy resolved again, whatever is edited in between."""

from __future__ import annotations

import marshal
import random
import re
import shutil
from typing import TYPE_CHECKING, Any

from commodore_py.adapters import yaml
from commodore_py.errors import CommodoreError
from commodore_py.inventory.engine.cached import CachedHierarchy
from commodore_py.inventory.engine.classes import ClassFiles
from commodore_py.inventory.engine.render import render_targets

from .engines import exactly
from .hierarchies import hierarchy
from .inventory import write

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from commodore_py.inventory.engine.reader import ClassFile
    from commodore_py.model.inventory import Node

HIERARCHIES = 60
EDITS = 8


class Counting(ClassFiles):
    """Class files that count how often one of them is parsed."""

    parsed = 0

    def load(self, name: str) -> ClassFile:
        """Count, and go on."""
        Counting.parsed += 1
        return super().load(name)


def targets_in(folder: Path) -> dict[str, Any]:
    """The targets that can be resolved, by what their files say."""
    found = {}
    for file in sorted((folder / "targets").iterdir()):
        try:
            content = yaml.load(file.read_bytes(), name=str(file))
            marshal.dumps(content)  # no dates: our own targets hold none
        except (CommodoreError, ValueError):
            continue
        target = {
            "classes": [str(name) for name in content.get("classes") or ()],
            "parameters": {"_instance": file.stem, **(content.get("parameters") or {})},
        }
        if not isinstance(outcome(render_targets, folder, {file.stem: target}), str):
            found[file.stem] = target
    return found


def outcome(
    render: Callable[..., dict[str, Node]], folder: Path, targets: dict[str, Any]
) -> str | dict[str, Any]:
    """All that targets have, types included; or why they cannot be resolved."""
    try:
        files = Counting([("", folder / "classes")])
        nodes = render(files, targets, dict.fromkeys(targets, "uri"), missing_ok=True)
    except CommodoreError as error:
        return str(error)
    fields = ("applications", "classes", "environment", "exports", "parameters")
    return {
        name: exactly({field: node.raw[field] for field in fields}) for name, node in nodes.items()
    }


def touched_up(rng: random.Random, content: bytes) -> bytes:
    """A small edit: a line gone, twice, indented otherwise, or with another number or letter."""
    lines = content.splitlines(keepends=True) or [b"a: 1\n"]
    at = rng.randrange(len(lines))
    match rng.choice(("value", "value", "value", "gone", "twice", "indented", "comment")):
        case "value":
            lines[at] = re.sub(rb"(\w)(\W*)$", rng.choice((rb"1\2", rb"b\2", rb"\1x\2")), lines[at])
        case "gone":
            del lines[at]
        case "twice":
            lines.insert(at, lines[at])
        case "indented":
            lines[at] = rng.choice((b" ", b"  ")) + lines[at]
        case _:
            lines.insert(at, b"# nothing\n")
    return b"".join(lines)


def edited(rng: random.Random, folder: Path, other: Path) -> None:
    """One edit: a touch of a class, or another class in its place; or a class is gone, or new."""
    files = sorted(path for path in (folder / "classes").rglob("*.yml") if path.is_file())
    others = sorted(path for path in (other / "classes").rglob("*.yml") if path.is_file())
    if not files or not others:
        return
    file = rng.choice(files)
    match rng.choice(("touch up", "touch up", "touch up", "swap", "remove", "add", "same")):
        case "touch up":
            file.write_bytes(touched_up(rng, file.read_bytes()))
        case "swap":
            file.write_bytes(rng.choice(others).read_bytes())
        case "remove":
            file.unlink()
        case "add":
            file.with_name("added.yml").write_bytes(rng.choice(others).read_bytes())


def test_cached_hierarchies_equal_hierarchies_resolved_from_scratch(tmp_path: Path) -> None:
    resolved, idle = 0, 0
    for number in range(HIERARCHIES):
        rng = random.Random(number)  # noqa: S311 - repeatable, not secret
        one, other, good = (tmp_path / name for name in ("one", "other", "good"))
        write(hierarchy(f"kept:{number}"), one)
        write(hierarchy(f"kept:{number + 1}"), other)
        targets = targets_in(one)
        for _ in range(EDITS if targets else 0):
            shutil.copytree(one, good, symlinks=True)
            edited(rng, one, other)
            fresh = outcome(render_targets, one, targets)
            Counting.parsed = 0
            from_cache = CachedHierarchy(tmp_path / "store", tmp_path)
            assert outcome(from_cache.render, one, targets) == fresh, f"hierarchy {number}"
            idle += not Counting.parsed
            if isinstance(fresh, str):  # an error hides what else has changed
                shutil.rmtree(one)
                good.rename(one)
            else:
                resolved += 1
                shutil.rmtree(good)
        shutil.rmtree(one)
        shutil.rmtree(other)
    assert resolved > HIERARCHIES
    assert idle > HIERARCHIES / 8
