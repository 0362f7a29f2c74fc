"""A folder of classes and targets through both engines, and where they part."""

from __future__ import annotations

import signal
import traceback
from typing import TYPE_CHECKING, Any

from commodore_py.errors import CommodoreError
from commodore_py.inventory.engine.classes import ClassFiles
from commodore_py.inventory.engine.reader import read
from commodore_py.inventory.engine.render import Engine

if TYPE_CHECKING:
    from pathlib import Path

    from .oracle import Oracle, Outcome

_CPU_SECONDS = 10


def ours(folder: Path, *, missing_ok: bool) -> dict[str, Outcome]:
    """What our engine makes of every target."""
    files = {one.name.rpartition(".")[0]: one for one in (folder / "targets").iterdir()}
    try:
        engine = Engine(ClassFiles([("", folder / "classes")]), missing_ok=missing_ok)
    except CommodoreError as error:
        return dict.fromkeys(files, ("refused", str(error)))
    return {name: _in_time(engine, name, files[name]) for name in sorted(files)}


def _in_time(engine: Engine, name: str, file: Path) -> Outcome:
    signal.signal(signal.SIGVTALRM, _too_long)
    signal.setitimer(signal.ITIMER_VIRTUAL, _CPU_SECONDS)
    try:
        return _outcome(engine, name, file)
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def _too_long(*_: object) -> None:
    raise TimeoutError


def _outcome(engine: Engine, name: str, file: Path) -> Outcome:
    try:
        content = read(file.read_bytes(), name=str(file))
        node = engine.render_content(name, content, f"yaml_fs://{file}")
    except CommodoreError as error:
        return "refused", str(error)
    except Exception:  # noqa: BLE001 - whatever else it raises is what we are looking for
        return "crashed", traceback.format_exc()
    fields = ("applications", "classes", "environment", "exports", "parameters")
    return "rendered", {field: node.raw[field] for field in fields}


def difference(
    folder: Path, oracle: Oracle, *, missing_ok: bool
) -> tuple[dict[str, Outcome], list[str]]:
    """What the oracle makes of every target, and where ours is something else."""
    oracle.ask(folder, missing_ok=missing_ok)
    mine = ours(folder, missing_ok=missing_ok)
    theirs = oracle.answer()
    return theirs, [line for name in theirs for line in _apart(name, mine[name], theirs[name])]


def _apart(name: str, mine: Outcome, theirs: Outcome) -> list[str]:
    if mine[0] == "crashed":
        return [f"{name}: ours crashed: {mine[1]}"]
    if theirs[0] == "crashed":
        # There is nothing to be equal to: a value or an understood error will do.
        return []
    if mine[0] != theirs[0]:
        return [f"{name}: reclass-rs {_said(theirs)}\n  ours {_said(mine)}"]
    if mine[0] == "refused":
        return []
    return [
        f"{name}: {line}"
        for field in theirs[1]
        for line in _unlike(mine[1][field], theirs[1][field], field)
    ]


def _unlike(mine: Any, theirs: Any, path: str) -> list[str]:  # noqa: ANN401 - whatever a hierarchy holds
    """The innermost places where two values are not exactly alike."""
    if exactly(mine) == exactly(theirs):
        return []
    if (
        isinstance(mine, dict)
        and isinstance(theirs, dict)
        and exactly([*mine]) == exactly([*theirs])
    ):
        return [line for key in mine for line in _unlike(mine[key], theirs[key], f"{path}.{key}")]
    return [f"{path}\n  reclass-rs {theirs!r}\n  ours       {mine!r}"]


def _said(outcome: Outcome) -> str:
    kind, what = outcome
    return f"{kind}: {what['parameters'] if kind == 'rendered' else what}"


def exactly(value: Any) -> Any:  # noqa: ANN401 - whatever a hierarchy holds
    """A value such that two are equal only if types, order and the sign of zero are."""
    if isinstance(value, dict):
        return [(type(key), repr(key), exactly(child)) for key, child in value.items()]
    if isinstance(value, list):
        return ["list", *map(exactly, value)]
    return type(value), repr(value)
