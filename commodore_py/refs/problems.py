"""References that Commodore takes from parameters, and that will not do what they look like."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeAlias

from commodore_py.model.problem import Problem
from commodore_py.model.spot import nowhere

from .errors import places_text
from .parse import by_text
from .scan import find_marked

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Mapping

    from commodore_py.errors import CommodoreError
    from commodore_py.model.inventory import Inventory
    from commodore_py.model.spot import PlaceOf, Spot

    from .scan import MarkedTexts

_Texts: TypeAlias = "Mapping[str, tuple[Spot, ...]]"
_Found: TypeAlias = "tuple[str, str, tuple[Spot, ...]]"

# What Kapitan takes for a reference when it looks through manifests, functions left out.
_REPLACED = re.compile(r"\w+:[\w\-.@=/:]+")
_SUB_VARIABLE = re.compile(r"@[\w.\-]+")


def reference_problems(
    inventory: Inventory, place_of: PlaceOf = nowhere, *, found: MarkedTexts | None = None
) -> tuple[Problem, ...]:
    """A notice for each reference that will stay in the manifests as it is, or is not found."""
    found = find_marked(inventory) if found is None else found
    texts = by_text(found.occurrences())
    declared = {_path_of(text) for text in texts}
    return (
        *(
            Problem(
                f"reference ?{{{text}}} stands in a key: only those in values are replaced",
                where=places_text(spots, place_of),
                code="refs/in-key",
            )
            for text, spots in by_text(found.in_keys()).items()
        ),
        *(
            Problem(
                f"reference {shown!r} {reason}",
                where=places_text(spots, place_of),
                strict=True,
                subject=shown,
                code="refs/not-replaced",
            )
            for shown, reason, spots in (
                *_unclosed(by_text(found.unclosed())),
                *_odd(texts, declared),
            )
        ),
    )


def explain(error: CommodoreError, reference_problems: Iterable[Problem]) -> None:
    """Add to errors about references the problems that are known of these."""
    for one in error.parts:
        for problem in reference_problems:
            if one.subject and one.subject == problem.subject:
                one.add_note(f"{problem.message}: {', '.join(problem.where.splitlines())}")


def _unclosed(texts: _Texts) -> Iterator[_Found]:
    for text, spots in texts.items():
        yield f"?{{{text}", "has no closing brace: it will not be replaced", spots


def _odd(texts: _Texts, declared: Container[str]) -> Iterator[_Found]:
    for text, spots in texts.items():
        reason = _reason(text, declared)
        if reason:
            yield f"?{{{text}}}", reason, spots


def _reason(text: str, declared: Container[str]) -> str:
    """The first thing that is odd about a reference, if any."""
    plain, bars, _ = text.partition("||")
    backend = text.partition(":")[0]
    path = _path_of(text)
    whole = _SUB_VARIABLE.sub("", path)
    if "?{" in text:
        return "holds another one: is a closing brace missing?"
    if bars:
        return "has a function of Kapitan: secrets are not made here, only referred to"
    if not _REPLACED.fullmatch(plain):
        return (
            "holds characters that Kapitan does not take for a reference: it will not be replaced"
        )
    if path.endswith("/"):
        return "names no key: write the key of the secret after the last slash"
    if whole != path and whole not in declared:
        return f"means a part of ?{{{backend}:{whole}}}, which no parameter holds"
    return ""


def _path_of(text: str) -> str:
    return text.split(":")[1] if ":" in text else ""
