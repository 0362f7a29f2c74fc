"""What became of an entry: taken from the cache or compiled, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal
from urllib.parse import unquote

if TYPE_CHECKING:
    from commodore_py.results import Roots

Outcome = Literal["found", "compiled", "never", "differs"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of one entry."""

    target: str
    entry: str
    where: str
    outcome: Outcome
    why: str = ""

    def __str__(self) -> str:
        said = {
            "found": "taken from the cache",
            "compiled": "compiled",
            "never": "compiled, and not kept",
            "differs": "the cache holds another result",
        }[self.outcome]
        return f"{self.target}: {self.entry}: {said}" + (f": {self.why}" if self.why else "")


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
        "h": f"the reference {about} has changed",
        "s": f"there is another {about.partition(':')[0]}",
        "k": f"something else is found at {place}",
        "x": f"something else is found at {place}",
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
