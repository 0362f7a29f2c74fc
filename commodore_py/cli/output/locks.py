"""Results of `commodore lock …`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from commodore_py.adapters import escaping

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from commodore_py.dependencies.lock.run import Changes
    from commodore_py.workflows.lock.check import Finding
    from commodore_py.workflows.lock.export import Exported
    from commodore_py.workflows.lock.resolve import Outcome, Step

_SIGNS = {"added": "+", "removed": "-", "changed": "~"}


def changes(found: Changes) -> dict[str, Any]:
    """Render changes of a lock."""
    return {
        "written": found.written,
        "added": list(found.added),
        "changed": list(found.changed),
        "removed": list(found.removed),
    }


def change_lines(found: Changes) -> Iterator[str]:
    """Render it for people."""
    for kind, sign in _SIGNS.items():
        for name in getattr(found, kind):
            yield f" {sign} {escaping.one_line(name)}"


def created(found: Outcome) -> dict[str, Any]:
    """A new lock."""
    return {
        "schema": "lock-create/v1",
        "file": found.file,
        "cluster": found.cluster,
        **changes(found.changes),
        "notices": [notice.message for notice in found.notices],
    }


def exported(found: Exported) -> dict[str, Any]:
    """Render the members of an export."""
    return {
        "schema": "lock-export/v1",
        "file": found.file,
        "cluster": found.cluster,
        "path": found.path,
        "members": list(found.members),
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


def finding_lines(found: Iterable[Finding]) -> Iterator[str]:
    """Render the state of servers, for people."""
    for finding in found:
        details = f": {finding.details}" if finding.details else ""
        yield escaping.one_line(f"{finding.state:<9} {finding.name}{details}")
