"""Output of the inventory commands: parameters in Commodore's bytes, findings in every form."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import yaml

from commodore_py.model.names import counted

from . import formats, problems, streams

if TYPE_CHECKING:
    from collections.abc import Sequence

    from commodore_py.model.problem import Problem
    from commodore_py.model.problems.codes import Severity

    from .problems import Outcome

_COLOURS: dict[Severity, str] = {
    "error": "red",
    "warning": "yellow",
    "info": "cyan",
}


class _WithoutAliases(yaml.SafeDumper):
    def ignore_aliases(self, data: object) -> bool:  # noqa: ARG002 - PyYAML's signature
        return True


def data(content: object, form: str) -> str:
    """Parameters as Commodore prints them, down to the empty line behind YAML."""
    if form == "json":
        return formats.as_json(content)
    return formats.as_yaml(content, Dumper=_WithoutAliases, default_flow_style=False)


def findings(reported: Sequence[Problem], outcome: Outcome, form: str) -> str:
    """Render problems that are not ignored, for people or for programs; text is in its order."""
    if form not in ("text", "json"):
        return problems.shown(outcome, form)
    verdict = outcome.verdict
    left, listed = Counter(verdict.problems), []
    for problem in (*reported, *verdict.problems):
        if left[problem]:
            left[problem] -= 1
            listed.append(problem)
    if form == "json":
        return formats.as_json(_document(listed), indent=2)
    ignored = len(verdict.ignored)
    summary = _summary(listed) + (f" ({ignored} ignored)" if ignored else "")
    return "\n".join((*map(_line, listed), streams.styled(summary, bold=True)))


def _line(problem: Problem) -> str:
    mark = "" if problem.severity == "error" else f"{problem.severity}: "
    hint = f" ({problem.remedy})" if problem.remedy else ""
    text = f"> {problem.place.position}: {mark}{problem.message}{hint} [{problem.code}]"
    return streams.styled(text, fg=_COLOURS[problem.severity])


def _summary(reported: Sequence[Problem]) -> str:
    errors, warnings = _count(reported, "error"), _count(reported, "warning")
    text = f"Found {errors} errors" if errors else "No errors 🎉 ✨"
    return f"{text}, {counted(warnings, 'warning')}" if warnings else text


def _count(reported: Sequence[Problem], severity: Severity) -> int:
    return sum(problem.severity == severity for problem in reported)


def _document(reported: Sequence[Problem]) -> dict[str, Any]:
    return {
        "schema": "lint/v1",
        "errors": _count(reported, "error"),
        "warnings": _count(reported, "warning"),
        "findings": [
            {
                "rule": problem.code,
                "severity": problem.severity,
                "message": problem.message,
                "file": problem.place.file,
                "line": problem.place.line or None,
                "hint": problem.remedy,
            }
            for problem in reported
        ],
    }
