"""Warnings about Jsonnet libraries and aliases that hide others (pure)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, TypeAlias

from commodore_py.model.problem import Problem

from .aliases import Aliases, aliases_of, metadata_of

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


def library_warnings(present: Present, parameters: Parameters) -> Iterator[Problem]:
    """A notice for each library or alias that should not be linked."""
    for component, libraries in present.items():
        for library in libraries:
            yield from _of_library(component, library, present)
    not_deployed = sorted(set(parameters.get("components") or {}) - present.keys())
    for aliases in aliases_of(list(present), parameters)[0]:
        for alias, library in sorted(aliases.libraries.items()):
            if library in present[aliases.component]:  # else it is not linked
                for text in _of_alias(alias, library, aliases, present):
                    yield _notice(alias, aliases, text)
                for text in _of_prefix(alias, aliases, not_deployed, parameters):
                    yield _notice(alias, aliases, text)


def _notice(alias: str, aliases: Aliases, text: str) -> Problem:
    subject = f"library alias {alias} of component {aliases.component} {text}"
    return Problem(subject, where=aliases.place, strict=True, code="libraries/shadowed")


def _of_library(component: str, library: str, present: Present) -> Iterator[Problem]:
    subject, place = f"library {library} of component {component}", f"{component}/lib/{library}"
    if owner := _other_owner(component, library, present):
        yield Problem(
            f"{subject} has the name of component {owner}",
            where=place,
            strict=True,
            code="libraries/shadowed",
        )
    if library in _SHADOWED:
        yield Problem(
            f"{subject} {_SHADOWED[library]}", where=place, strict=True, code="libraries/shadowed"
        )


def _other_owner(component: str, library: str, present: Present) -> str:
    """The other component with the longest name that a library begins with."""
    stem = PurePosixPath(library).stem
    owners = [n for n in present if n.startswith(component) and stem.startswith(n)]
    longest = max(owners, key=len, default=component)
    return "" if longest == component else longest


def _of_alias(alias: str, library: str, aliases: Aliases, present: Present) -> Iterator[str]:
    if alias in _SHADOWED:
        yield _SHADOWED[alias]
    if alias in present[aliases.component] and alias != library:
        yield f"hides its library of that name: it links to lib/{library}"


def _of_prefix(
    alias: str, aliases: Aliases, not_deployed: Sequence[str], parameters: Parameters
) -> Iterator[str]:
    # Commodore rejects the prefixes of all listed components; its documentation only mentions
    # deployed ones.
    replaced = metadata_of(parameters, aliases.component).get("replaces")
    for name in [name for name in not_deployed if alias.startswith(name) and name != replaced][:1]:
        yield f"has the prefix of component {name}, which is listed although it is not deployed"
