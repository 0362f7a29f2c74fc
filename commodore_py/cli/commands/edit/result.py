"""Print what an edit changes, as text and as JSON."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any

from commodore_py.cli.output import formats, messages, streams
from commodore_py.cli.output.differences import as_json, as_text
from commodore_py.cli.output.problems import as_data as problem_as_data

if TYPE_CHECKING:
    from commodore_py.model.verdict import Verdict
    from commodore_py.workflows.editing.transaction import Result


def show(edit: Result, output: str) -> None:
    """Print an edit."""
    show_problems(edit.verdict)
    if output != "text":
        streams.data(formats.structured(as_data(edit)))
        return
    plan = edit.plan
    messages.info(f"{plan.choice.shown}:{plan.line} ({plan.choice.reason})")
    streams.result("\n".join(diff_lines(plan.before, plan.after)))
    if edit.now:
        messages.info(f"Now applies: {edit.now}")
    if edit.diff is not None:
        streams.result(as_text.object_diff(edit.diff))
    if edit.commit:
        done = "Committed and pushed" if edit.pushed else "Committed"
        messages.info(f"{done} as {edit.commit[:10]}")
    elif edit.written:
        messages.info("Not committed: use it with --local, or commit and push it")


def show_problems(verdict: Verdict) -> None:
    """Print what is to be said about an edit."""
    for problem in verdict.problems:
        if problem in verdict.failing:
            messages.error_with(problem.message, where=problem.where, hint=problem.remedy, gap=True)
        elif problem.severity != "info" or problem.code == "plan/removed":
            messages.warn(problem.message, where=problem.where, hint=problem.remedy)


def diff_lines(before: bytes, after: bytes) -> list[str]:
    """The lines of a file that change."""
    old, new = (content.decode(errors="replace").splitlines() for content in (before, after))
    return list(difflib.unified_diff(old, new, lineterm="", n=1))[2:]


def as_data(edit: Result) -> dict[str, Any]:
    """An edit for programs."""
    plan = edit.plan
    return {
        "schema": "edit/v1",
        "operation": str(plan),
        "file": plan.choice.shown,
        "line": plan.line,
        "class": plan.choice.name,
        "reason": plan.choice.reason,
        "others": list(plan.choice.others),
        "diff": diff_lines(plan.before, plan.after),
        "problems": list(map(problem_as_data, edit.verdict.problems)),
        "catalog": None if edit.diff is None else as_json.object_diff(edit.diff),
        "written": edit.written,
        "commit": edit.commit or None,
    }
