"""Results of `commodore lock …`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from commodore_py.adapters import escaping

from .formats import readable_size

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from commodore_py.dependencies.lock.run import Changes
    from commodore_py.workflows.lock.check import Finding
    from commodore_py.workflows.lock.compare import InputDifference
    from commodore_py.workflows.lock.export import Exported
    from commodore_py.workflows.lock.from_catalog import Outcome as FromCatalog
    from commodore_py.workflows.lock.resolve import Outcome, Step
    from commodore_py.workflows.lock.several import ShownLock
    from commodore_py.workflows.lock.show import LockedInput

_SIGNS = {"added": "+", "removed": "-", "changed": "~"}


def changes(found: Changes) -> dict[str, Any]:
    """What a run changed in a lock."""
    return {
        "written": found.written,
        "added": list(found.added),
        "changed": list(found.changed),
        "removed": list(found.removed),
    }


def change_lines(found: Changes) -> Iterator[str]:
    """The same for people."""
    for kind, sign in _SIGNS.items():
        for name in getattr(found, kind):
            yield f" {sign} {escaping.one_line(name)}"


def outcome(schema: str, found: Outcome) -> dict[str, Any]:
    """What became of a file."""
    return {
        "schema": schema,
        "file": found.file,
        "cluster": found.cluster,
        **changes(found.changes),
        "notices": [one.message for one in found.notices],
    }


def exported(found: Exported) -> dict[str, Any]:
    """What was written for a machine without a network."""
    return {
        "schema": "lock-export/v1",
        "file": found.file,
        "cluster": found.cluster,
        "path": found.path,
        "shallow": found.shallow,
        "members": list(found.members),
    }


def from_catalog(found: FromCatalog) -> dict[str, Any]:
    """The lock of a commit of a catalog."""
    return {
        "schema": "lock-from-catalog/v1",
        "file": found.file,
        "guessed": list(found.guessed),
        "left_out": [str(one) for one in found.left_out],
        "differing": list(found.differing) if found.differing is not None else None,
    }


def step(found: Step) -> dict[str, Any]:
    """The update of one input."""
    return {
        "name": found.name,
        "before": found.before,
        "after": found.after,
        **{key: one for key, one in changes(found.changes).items() if key != "written"},
        "error": str(found.error) if found.error is not None else None,
    }


def shown(found: Sequence[ShownLock]) -> dict[str, Any]:
    """What is locked, in one or several files."""
    rows = [
        {
            "name": one.name,
            "requested": one.requested,
            "pin": one.pin,
            "bytes": one.size,
            "requested_by": list(one.askers),
            "values": dict(one.block.values),
            "lock": lock.file,
        }
        for lock in found
        for one in lock.inputs
    ]
    return {"schema": "lock-show/v1", "cluster": found[0].cluster, "inputs": rows}


def input_lines(inputs: Iterable[LockedInput]) -> Iterator[str]:
    """The same for people."""
    for one in inputs:
        line = f"{one.name}  {one.pin}".rstrip()
        if one.requested and not one.pin.startswith(one.requested):
            line += f"  for {one.requested}"
        if one.size is not None:
            line += f"  ({readable_size(one.size)})"
        yield escaping.one_line(line)
        for key, value in (
            one.block.values.items() if one.name in ("facts", "dynamic_facts") else ()
        ):
            yield escaping.one_line(f"    {key}: {_fact(value)}")
        for place in one.askers:
            yield escaping.one_line(f"    {place}")


def difference(found: InputDifference) -> dict[str, Any]:
    """An input that differs."""
    return {
        "name": found.name,
        "kind": found.kind,
        "fields": [
            {"key": key, "old": old, "new": new} for key, (old, new) in found.fields.items()
        ],
        "commits": found.commits,
    }


def difference_lines(found: Iterable[InputDifference]) -> Iterator[str]:
    """The same for people."""
    for one in found:
        between = f" ({one.commits} commits)" if one.commits is not None else ""
        yield f"{_SIGNS[one.kind]} {escaping.one_line(one.name)}{between}"
        if one.kind == "changed":
            for key, (old, new) in one.fields.items():
                yield escaping.one_line(f"    {key}: {_value(old)} -> {_value(new)}")


def findings(found: Iterable[Finding]) -> list[dict[str, str]]:
    """What servers have now."""
    return [{"name": one.name, "state": one.state, "details": one.details} for one in found]


def finding_lines(found: Iterable[Finding]) -> Iterator[str]:
    """The same for people."""
    for one in found:
        details = f": {one.details}" if one.details else ""
        yield escaping.one_line(f"{one.state:<9} {one.name}{details}")


def _fact(value: object) -> str:
    return str(value["json"] if isinstance(value, dict) and "json" in value else value)


def _value(value: object) -> str:
    return "none" if value is None else str(value)
