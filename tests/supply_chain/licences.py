"""Licences of everything that is installed to run commodore, against those that are accepted."""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING, NamedTuple

from .requirements import ROOT, licence_of, read

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .requirements import Requirement

DATA = ROOT / "requirements" / "licences.toml"

_BETWEEN = re.compile(r"\s+(?:OR|AND)\s+")


class Accepted(NamedTuple):
    """Licences that are accepted of every package, and packages that are accepted for a reason."""

    names: dict[str, str]
    """The identifier of each spelling, in lower case."""
    packages: dict[str, dict[str, str]]
    """Licence and reason, by package."""


def accepted() -> Accepted:
    """What `requirements/licences.toml` says."""
    content = tomllib.loads(DATA.read_text("utf-8"))
    names = {
        spelling.lower(): licence
        for licence, spellings in content["accepted"].items()
        for spelling in (licence, *spellings)
    }
    return Accepted(names, content["packages"])


def identifier(written: str, known: Accepted) -> str:
    """The identifiers of a licence as it is written; empty if one of them is not known."""
    parts = [
        known.names.get(part.lower()) or known.names.get(part.strip("() ").lower(), "")
        for part in _BETWEEN.split(written)
    ]
    return " OR ".join(dict.fromkeys(parts)) if all(parts) else ""


def problems(
    requirements: Iterable[Requirement] | None = None, known: Accepted | None = None
) -> Iterator[str]:
    """Packages with a licence that is not accepted, and reasons that nothing needs."""
    known = known or accepted()
    requirements = read() if requirements is None else tuple(requirements)
    for one in requirements:
        written = licence_of(one.name)
        # Others are for other systems; there they are checked.
        if written is None or one.name in known.packages or identifier(written, known):
            continue
        yield f"{one.name} {one.version}: {written or 'no licence named'} is not accepted"
    for name in sorted(known.packages.keys() - {one.name for one in requirements}):
        yield f"{name} is accepted in {DATA.name}, but not required"
