"""Problems in every form: text, JSON, YAML, SARIF, JUnit, Markdown, annotations of GitHub."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commodore_py.adapters.files import write_if_changed
from commodore_py.cli.output import formats
from commodore_py.cli.output import messages as log

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from commodore_py.model.verdict import Verdict

    from .outcome import Outcome

TOOL = "commodore"


def shown(outcome: Outcome, form: str, *, verbose: bool = False) -> str:
    """The outcome of a command in one form; the modules of the others are not imported."""
    match form:
        case "json" | "yaml":
            from . import data

            return formats.structured(data.document(outcome), form)
        case "sarif":
            from . import sarif

            return formats.as_json(sarif.document(outcome), indent=2)
        case "junit":
            from . import junit

            return junit.document(outcome)
        case "markdown":
            from . import markdown

            return markdown.document(outcome)
        case "github":
            from . import github

            return "\n".join(github.lines(outcome))
        case _:
            from . import text

            return "\n".join(text.lines(outcome, verbose=verbose))


def write_reports(outcome: Outcome, reports: Iterable[tuple[str, Path]]) -> None:
    """Write the outcome to files, each in its form."""
    for form, file in reports:
        write_if_changed(file, (shown(outcome, form).rstrip("\n") + "\n").encode())


def write_baseline(verdict: Verdict, file: Path | None) -> None:
    """Write the fingerprints of everything that was found, if a file was named."""
    if file is None:
        return
    from commodore_py.problems import baseline

    count = baseline.write_baseline(file, (*verdict.problems, *verdict.known))
    log.info(f"Wrote {count} known problems to {file}")
