"""Jsonnet libraries and aliases that Commodore links, and that take the place of others (pure)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, TypeAlias

from commodore_py.model.problem import Problem

from .aliases import Offer, metadata_of, offers_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from commodore_py.model.inventory import Parameters

Present: TypeAlias = Mapping[str, Mapping[str, Any]]
"""The libraries of each deployed component, by their names."""

_SHADOWED = {
    **dict.fromkeys(
        ("commodore.libjsonnet", "kube.libjsonnet"),
        "replaces a bundled library for all components; filters still see the bundled one",
    ),
    "kapitan.libjsonnet": "has no effect: Kapitan's own library wins",
}


def library_doubts(present: Present, parameters: Parameters) -> Iterator[Problem]:
    """A notice for each library or alias that we would rather not link."""
    for component, libraries in present.items():
        for library in libraries:
            yield from _of_library(component, library, present)
    idle = sorted(set(parameters.get("components") or {}) - present.keys())
    for offer in offers_of(list(present), parameters)[0]:
        for alias, library in sorted(offer.aliases.items()):
            if library in present[offer.component]:  # else it is not linked
                for text in _of_alias(alias, library, offer, present):
                    yield _told(alias, offer, text)
                for text in _of_prefix(alias, offer, idle, parameters):
                    yield _told(alias, offer, text)


def _told(alias: str, offer: Offer, text: str) -> Problem:
    told = f"library alias {alias} of component {offer.component} {text}"
    return Problem(told, where=offer.place, strict=True)


def _of_library(component: str, library: str, present: Present) -> Iterator[Problem]:
    told, place = f"library {library} of component {component}", f"{component}/lib/{library}"
    if owner := _other_owner(component, library, present):
        yield Problem(f"{told} has the name of component {owner}", where=place, strict=True)
    if library in _SHADOWED:
        yield Problem(f"{told} {_SHADOWED[library]}", where=place, strict=True)


def _other_owner(component: str, library: str, present: Present) -> str:
    """The component whose name, longer than the own one, a library begins with."""
    stem = PurePosixPath(library).stem
    owners = [n for n in present if n.startswith(component) and stem.startswith(n)]
    longest = max(owners, key=len, default=component)
    return "" if longest == component else longest


def _of_alias(alias: str, library: str, offer: Offer, present: Present) -> Iterator[str]:
    if alias in _SHADOWED:
        yield _SHADOWED[alias]
    if alias in present[offer.component] and alias != library:
        yield f"hides its library of that name: it leads to lib/{library}"


def _of_prefix(
    alias: str, offer: Offer, idle: Sequence[str], parameters: Parameters
) -> Iterator[str]:
    # Commodore refuses the prefixes of all components that are listed; its documentation speaks
    # of those that are deployed.
    replaced = metadata_of(parameters, offer.component).get("replaces")
    for name in [name for name in idle if alias.startswith(name) and name != replaced][:1]:
        yield f"has the prefix of component {name}, which is listed although it is not deployed"
