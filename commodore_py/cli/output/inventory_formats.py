"""What the inventory commands print: parameters in Commodore's bytes, findings in every form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from commodore_py import __version__
from commodore_py.inventory.lint import RULES

from . import formats, streams

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from commodore_py.inventory.lint import Finding, Severity

_COLOURS: dict[Severity, str] = {"error": "red", "warning": "yellow"}
_SARIF = "https://json.schemastore.org/sarif-2.1.0.json"


def data(content: object, form: str) -> str:
    """Parameters as Commodore prints them, down to the empty line behind YAML."""
    if form == "json":
        return formats.as_json(content)
    import yaml

    class Dumper(yaml.SafeDumper):
        def ignore_aliases(self, data: object) -> bool:  # noqa: ARG002 - PyYAML's signature
            return True

    return formats.as_yaml(content, Dumper=Dumper, default_flow_style=False)


def part(content: object, form: str) -> str:
    """A part of the parameters; a single value is a line that can be piped."""
    text = data(content, form)
    single = form == "yaml" and not isinstance(content, (dict, list))
    return text.removesuffix("\n").removesuffix("\n...") if single else text


def findings(found: Sequence[Finding], form: str) -> str:
    """What lint found, for people or for programs."""
    if form == "json":
        return formats.as_json(_document(found), indent=2)
    if form == "sarif":
        return formats.as_json(_sarif(found), indent=2)
    return "\n".join((*map(_line, found), streams.styled(_summary(found), bold=True)))


def _line(finding: Finding) -> str:
    mark = "" if finding.severity == "error" else f"{finding.severity}: "
    hint = f" ({finding.hint})" if finding.hint else ""
    text = f"> {finding.place}: {mark}{finding.message}{hint} [{finding.rule}]"
    return streams.styled(text, fg=_COLOURS[finding.severity])


def _summary(found: Iterable[Finding]) -> str:
    errors, warnings = _count(found, "error"), _count(found, "warning")
    text = f"Found {errors} errors" if errors else "No errors 🎉 ✨"
    return f"{text}, {warnings} warnings" if warnings else text


def _count(found: Iterable[Finding], severity: Severity) -> int:
    return sum(finding.severity == severity for finding in found)


def _document(found: Sequence[Finding]) -> dict[str, Any]:
    return {
        "schema": "lint/v1",
        "errors": _count(found, "error"),
        "warnings": _count(found, "warning"),
        "findings": [
            {
                "rule": finding.rule,
                "severity": finding.severity,
                "message": finding.message,
                "file": str(finding.file),
                "line": finding.line or None,
                "hint": finding.hint,
            }
            for finding in found
        ],
    }


def _sarif(found: Iterable[Finding]) -> dict[str, Any]:
    rules = [
        {
            "id": name,
            "shortDescription": {"text": rule.summary},
            "defaultConfiguration": {"level": rule.severity},
        }
        for name, rule in RULES.items()
    ]
    driver = {"name": "commodore inventory lint", "version": __version__, "rules": rules}
    results = [_result(finding) for finding in found]
    runs = [{"tool": {"driver": driver}, "results": results}]
    return {"$schema": _SARIF, "version": "2.1.0", "runs": runs}


def _result(finding: Finding) -> dict[str, Any]:
    location: dict[str, Any] = {"artifactLocation": {"uri": _uri(finding.file)}}
    if finding.line:
        location["region"] = {"startLine": finding.line}
    hint = f": {finding.hint}" if finding.hint else ""
    return {
        "ruleId": finding.rule,
        "ruleIndex": list(RULES).index(finding.rule),
        "level": finding.severity,
        "message": {"text": f"{finding.message}{hint}"},
        "locations": [{"physicalLocation": location}],
    }


def _uri(path: Path) -> str:
    return path.as_uri() if path.is_absolute() else quote(path.as_posix())
