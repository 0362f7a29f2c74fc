"""What became of a piece of work: taken from the cache or done, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal
from urllib.parse import unquote

from commodore_py.errors import CommodoreError, raise_collected

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .roots import Roots

UNSTEADY = "gives something else at every compile"
"""Part of the reason why a result of that kind is never kept."""

Outcome = Literal["found", "compiled", "never", "equal", "differs"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of one entry, or of one filter."""

    target: str
    entry: str
    where: str
    outcome: Outcome
    why: str = ""
    questions: tuple[str, ...] = ()
    """What it looked at, as far as that is known; paths are portable."""

    def __str__(self) -> str:
        said = {
            "found": "taken from the cache",
            "compiled": "compiled",
            "never": "compiled, and not kept",
            "equal": "compiled: the cache holds the same",
            "differs": "the cache holds another result",
        }[self.outcome]
        return f"{self.target}: {self.entry}: {said}" + (f": {self.why}" if self.why else "")


@dataclass(frozen=True, slots=True)
class Verdicts:
    """What became of all of it, with the folders that paths in questions start from."""

    all: tuple[Verdict, ...]
    roots: Roots


@dataclass(frozen=True, slots=True)
class Tally:
    """How many results there are of each outcome."""

    found: int = 0
    equal: int = 0
    compiled: int = 0
    never: int = 0

    def __add__(self, other: Tally) -> Tally:
        return Tally(
            self.found + other.found,
            self.equal + other.equal,
            self.compiled + other.compiled,
            self.never + other.never,
        )


def tally(heard: Iterable[object]) -> Tally:
    """What became of all results that were told of meanwhile."""
    total = Tally()
    for one in heard:
        if isinstance(one, Tally):
            total += one
        elif isinstance(one, Verdicts):
            outcomes: list[str] = [verdict.outcome for verdict in one.all]
            total += Tally(*map(outcomes.count, ("found", "equal", "compiled", "never")))
    return total


class CacheDiffers(CommodoreError):
    """A result in the cache that is not what compiling gives."""


def refuse_differences(verdicts: Iterable[Verdict]) -> None:
    """With --verify-cache, a result that would have been wrong is an error."""
    raise_collected(
        (
            CacheDiffers(
                f"{one.target}: {one.why} is another one than in the cache",
                where=one.where,
                hint="the cache is mended; please report this, with what was changed before",
            )
            for one in verdicts
            if one.outcome == "differs"
        ),
        "the cache holds other results than compiling gives",
    )


def changed(question: str | None, roots: Roots) -> str:
    """Which read gave something else than before, for people."""
    if question is None:
        return "there is no result of it"
    kind, about = question[0], question[1:]
    place = roots.absolute(about)
    return {
        "i": f"the inventory has changed: {_of_inventory(about)}",
        "v": f"the inventory has changed: all of {about}",
        "n": "there are other targets",
        "I": f"the inventory has changed: {about}",
        "h": f"the reference {about} has changed",
        "s": f"there is another {about.partition(':')[0]}",
        "k": f"something else is found at {place}",
        "x": f"something else is found at {place}",
        "c": "its paths begin in another current directory",
        "p": f"the code looks at its place, which was not {place}",
    }.get(kind, f"{place} has changed")


def _of_inventory(name: str) -> str:
    parts = [unquote(part) for part in name.removesuffix(".jsonnet").split("/")]
    match parts:
        case ["self"]:
            return "names of parameters"
        case ["self", *below]:
            return ".".join(below)
        case ["targets", target, *below]:
            return ".".join(below) + f" of {target}" if below else f"names of {target}"
        case ["all"]:
            return "targets"
    return name
