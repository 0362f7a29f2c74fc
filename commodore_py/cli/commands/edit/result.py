"""What an edit changes, as text and as JSON."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any

from commodore_py.cli.output import messages, streams

if TYPE_CHECKING:
    from commodore_py.catalog.diff.objects import ObjectDiff
    from commodore_py.workflows.editing.plan import Planned


def show(planned: Planned, diff: ObjectDiff | None, output: str, number: str) -> None:
    """Print an edit; the number is that of its entry in the log, if it was written."""
    if output != "text":
        from commodore_py.cli.output import formats

        streams.data(formats.structured(_content(planned, diff, number), output))
        return
    choice = planned.choice
    messages.info(f"{choice.shown}:{planned.line} ({choice.reason})")
    streams.result("\n".join(_lines(planned)))
    if planned.now:
        messages.info(f"Now applies: {planned.now}")
    if diff is not None:
        from commodore_py.cli.output import differences

        streams.result(differences.shown(diff))
    if number:
        messages.info(f"Edit {number} written; `commodore edit undo` takes it back")


def _content(planned: Planned, diff: ObjectDiff | None, number: str) -> dict[str, Any]:
    from commodore_py.cli.output.differences import as_json

    choice = planned.choice
    return {
        "schema": "edit/v1",
        "id": number or None,
        "file": choice.shown,
        "line": planned.line,
        "class": choice.name,
        "reason": choice.reason,
        "others": list(choice.others),
        "diff": _lines(planned),
        "problems": [
            {
                "code": one.code,
                "severity": one.severity,
                "message": one.message,
                "where": one.where or None,
                "remedy": one.remedy or None,
            }
            for one in planned.problems
        ],
        "catalog": None if diff is None else as_json.object_diff(diff),
    }


def _lines(planned: Planned) -> list[str]:
    """The lines of the class file that change."""
    before = planned.before.decode(errors="replace").splitlines()
    after = planned.after.decode(errors="replace").splitlines()
    return list(difflib.unified_diff(before, after, lineterm="", n=1))[2:]
