"""Problems as SARIF 2.1.0, which code hosts show beside the lines of a change."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from commodore_py import __version__
from commodore_py.model.problems.codes import CODES, Code

if TYPE_CHECKING:
    from commodore_py.model.problem import Place, Problem
    from commodore_py.model.problems.codes import Severity

    from . import Outcome

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS: dict[Severity, str] = {
    "error": "error",
    "warning": "warning",
    "info": "note",
}


def document(outcome: Outcome) -> dict[str, Any]:
    """All problems; those that are ignored are suppressed, with their reason."""
    verdict = outcome.verdict
    problems = (*verdict.problems, *(ignored.problem for ignored in verdict.ignored))
    severities = dict(sorted((problem.code, problem.severity) for problem in problems))
    rules = {code: CODES.get(code, Code(severity, "")) for code, severity in severities.items()}
    codes = list(rules)
    driver = {
        "name": f"commodore {outcome.command}",
        "version": __version__,
        "rules": [
            {
                "id": name,
                **({"shortDescription": {"text": rule.summary}} if rule.summary else {}),
                "defaultConfiguration": {"level": _LEVELS[rule.severity]},
            }
            for name, rule in rules.items()
        ],
    }
    suppressed = (
        {
            **_result(ignored.problem, codes),
            "suppressions": [{"kind": "external", "justification": ignored.reason}],
        }
        for ignored in verdict.ignored
    )
    sarif_run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [*(_result(problem, codes) for problem in verdict.problems), *suppressed],
    }
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [sarif_run]}


def _result(problem: Problem, codes: list[str]) -> dict[str, Any]:
    remedy = f": {problem.remedy}" if problem.remedy else ""
    result: dict[str, Any] = {
        "ruleId": problem.code,
        "ruleIndex": codes.index(problem.code),
        "level": _LEVELS[problem.severity],
        "message": {"text": f"{problem.message}{remedy}"},
        "partialFingerprints": {"commodore": problem.fingerprint},
    }
    if located := _location(problem.place):
        result["locations"] = [located]
    related = [
        _location(place) | ({"message": {"text": place.note}} if place.note else {})
        for place in problem.related
        if _location(place)
    ]
    if related:
        result["relatedLocations"] = related
    return result


def _location(place: Place) -> dict[str, Any]:
    location: dict[str, Any] = {}
    if place.file:
        path = Path(place.file)
        uri = path.as_uri() if path.is_absolute() else quote(path.as_posix())
        physical: dict[str, Any] = {"artifactLocation": {"uri": uri}}
        if place.line:
            physical["region"] = {"startLine": place.line}
        location["physicalLocation"] = physical
    if place.object:
        name = f"{place.object}: {place.field}" if place.field else place.object
        location["logicalLocations"] = [{"fullyQualifiedName": name}]
    return location
