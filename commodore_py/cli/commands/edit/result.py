"""What an edit changes, as text and as JSON."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any

from commodore_py.cli.output import messages, streams

if TYPE_CHECKING:
    from collections.abc import Iterator

    from commodore_py.model.verdict import Verdict
    from commodore_py.workflows.editing.transaction import Result


def show(found: Result, output: str) -> None:
    """Print an edit."""
    show_problems(found.verdict)
    if output != "text":
        from commodore_py.cli.output import formats

        streams.data(formats.structured(_content(found), output))
        return
    for one in found.plan.planned:
        if one.line:
            messages.info(f"{one.choice.shown}:{one.line} ({one.choice.reason})")
    streams.result("\n".join(line for _, lines in _diffs(found) for line in lines))
    for text in found.now:
        messages.info(f"Now applies: {text}")
    if found.diff is not None:
        from commodore_py.cli.output import differences

        streams.result(differences.shown(found.diff))
    if found.commit:
        messages.info(f"Committed as {found.commit[:10]}")
    if found.entry is not None:
        messages.info(f"Edit {found.entry.id} written; `commodore edit undo` takes it back")
        if not found.commit:
            messages.info("Not committed: use it with --local, or edit with --commit or --branch")


def show_problems(verdict: Verdict) -> None:
    """Print what is to be said about an edit."""
    for problem in verdict.problems:
        if problem in verdict.failing:
            messages.error_with(problem.message, where=problem.where, hint=problem.remedy, gap=True)
        elif problem.severity != "info":
            messages.warn(problem.message, where=problem.where, hint=problem.remedy)


def problems_as_json(verdict: Verdict) -> list[dict[str, Any]]:
    """The same as data."""
    return [
        {
            "code": one.code,
            "severity": one.severity,
            "message": one.message,
            "where": one.where or None,
            "remedy": one.remedy or None,
            "options": list(one.options),
        }
        for one in verdict.problems
    ]


def diff_lines(before: bytes, after: bytes) -> list[str]:
    """The lines of a file that change."""
    old, new = (one.decode(errors="replace").splitlines() for one in (before, after))
    return list(difflib.unified_diff(old, new, lineterm="", n=1))[2:]


def _content(found: Result) -> dict[str, Any]:
    from commodore_py.cli.output.differences import as_json

    return {
        "schema": "edit/v1",
        "id": found.entry.id if found.entry else None,
        "commit": found.commit or None,
        "operations": [
            {
                "operation": str(one.operation.request),
                "file": one.choice.shown,
                "line": one.line or None,
                "class": one.choice.name,
                "reason": one.choice.reason,
                "others": list(one.choice.others),
            }
            for one in found.plan.planned
        ],
        "files": [{"file": file, "diff": lines} for file, lines in _diffs(found)],
        "problems": problems_as_json(found.verdict),
        "catalog": None if found.diff is None else as_json.object_diff(found.diff),
    }


def _diffs(found: Result) -> Iterator[tuple[str, list[str]]]:
    """The lines of each class file that change."""
    shown = {one.choice.real_file: one.choice.shown for one in found.plan.planned}
    for file, (before, after) in found.plan.files.items():
        yield shown[file], diff_lines(before, after)
