"""Problems in every form: text, JSON, SARIF, Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commodore_py.cli.output import formats

from . import data, markdown, sarif, text

if TYPE_CHECKING:
    from .outcome import Outcome


def shown(outcome: Outcome, form: str, *, verbose: bool = False) -> str:
    """The outcome of a command in one form."""
    match form:
        case "json":
            return formats.as_json(data.document(outcome), indent=2)
        case "sarif":
            return formats.as_json(sarif.document(outcome), indent=2)
        case "markdown":
            return markdown.document(outcome)
        case _:
            return "\n".join(text.lines(outcome, verbose=verbose))
