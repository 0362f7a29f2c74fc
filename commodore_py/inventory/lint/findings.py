"""Rules, their severities, and findings (pure)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from pathlib import Path

Severity: TypeAlias = Literal["error", "warning"]

SEVERITIES: tuple[Severity, ...] = ("error", "warning")
"""The worst first."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A kind of finding. Rules that Commodore's own lint has are errors."""

    severity: Severity
    summary: str


RULES: dict[str, Rule] = {
    "components/missing-version": Rule("error", "A component has no version."),
    "components/unknown-key": Rule("error", "A component has unknown keys."),
    "components/wrong-type": Rule("error", "The url or version of a component is not a string."),
    "components/wrong-shape": Rule("error", "The components, or one of them, are not a mapping."),
    "components/unused": Rule("warning", "No application deploys a component."),
    "packages/missing-version": Rule("error", "A package has no version."),
    "packages/unknown-key": Rule("error", "A package has unknown keys."),
    "packages/wrong-type": Rule("error", "The url or version of a package is not a string."),
    "packages/wrong-shape": Rule("error", "The packages, or one of them, are not a mapping."),
    "packages/unused": Rule("warning", "No application lists a package."),
    "deprecated-parameters/removed-reference": Rule("error", "A reference was removed."),
    "classes/unreachable": Rule("warning", "No class includes a class."),
    "files/broken-link": Rule("error", "A symlink is broken."),
    "files/unreadable": Rule("error", "A file or folder cannot be read."),
    "files/broken-yaml": Rule("warning", "A file is not valid YAML, and was not checked."),
    "files/not-utf-8": Rule("warning", "A file is not UTF-8, and was not checked."),
}


@dataclass(frozen=True, slots=True)
class Finding:
    """One place where a rule was broken."""

    rule: str
    message: str
    file: Path
    line: int = 0
    """Zero when the finding is about the file as a whole."""
    hint: str = ""

    @property
    def severity(self) -> Severity:
        """The severity of its rule."""
        return RULES[self.rule].severity

    @property
    def place(self) -> str:
        """File and line, as editors and terminals understand them."""
        return f"{self.file}:{self.line}" if self.line else str(self.file)


def at_least(findings: tuple[Finding, ...], threshold: Severity) -> bool:
    """Whether any of the findings is as bad as that, or worse."""
    bad = SEVERITIES[: SEVERITIES.index(threshold) + 1]
    return any(finding.severity in bad for finding in findings)
