"""Links to the Jsonnet libraries of components, under their names and aliases."""

from __future__ import annotations

import logging
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from commodore_py.adapters.files import link, make_folder, remove
from commodore_py.errors import CommodoreError, raise_collected

from .aliases import aliases_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from commodore_py.model.dependency import Dependency
    from commodore_py.model.inventory import Parameters

log = logging.getLogger(__name__)


def link_libraries(
    folder: Path, components: Sequence[Dependency], parameters: Parameters, *, keep_others: bool
) -> None:
    """Make `dependencies/lib` hold a link per library and per alias."""
    present = {component.spec.name: libraries_of(component) for component in components}
    aliases, errors = aliases_of(present, parameters, deployed=set(present))
    errors += [
        problem for name, libraries in present.items() for problem in wrongly_named(name, libraries)
    ]
    raise_collected(errors, "cannot link the components' Jsonnet libraries")

    links: dict[str, Path] = {}
    for component in sorted(present, key=len):  # of two with one name, the longest has it
        links |= present[component]
    for component in aliases:
        links |= links_of(component, aliases[component], present[component])
    update_links(folder, links, prune=not keep_others)


def update_links(folder: Path, links: Mapping[str, Path], *, prune: bool) -> None:
    """Create these links in a folder; raises if a file or folder already exists there."""
    raise_collected(
        (
            CommodoreError(
                f"cannot create a link to {target}: the path exists",
                where=str(folder / name),
                hint="remove or rename it",
            )
            for name, target in sorted(links.items())
            if (folder / name).exists() and not (folder / name).is_symlink()
        ),
        "cannot create links",
    )
    make_folder(folder)
    if prune:
        for present in folder.iterdir():
            if present.is_symlink() and present.name not in links:
                remove(present)
    for name, target in links.items():
        link(folder / name, target)


def libraries_of(component: Dependency) -> dict[str, Path]:
    """The visible entries of a component's `lib/` by name."""
    folder = component.directory / "lib"
    if not folder.is_dir():
        return {}
    return {p.name: p for p in sorted(folder.iterdir()) if not p.name.startswith(".")}


def wrongly_named(component: str, libraries: Iterable[str]) -> list[CommodoreError]:
    """Errors for libraries whose names do not begin with that of their component."""
    return [
        CommodoreError(
            f"library {library} does not start with the name of its component {component}",
            where=f"{component}/lib/{library}",
            hint=f"rename it to {component}-{library}, and make the old name a library alias",
        )
        for library in libraries
        if not PurePosixPath(library).stem.startswith(component)
    ]


def links_of(
    component: str, aliases: Mapping[str, str], libraries: Mapping[str, Path]
) -> dict[str, Path]:
    """The links for aliases; an alias of a missing library is skipped with a warning."""
    resolved = {}
    for alias, library in sorted(aliases.items()):
        if library not in libraries:
            log.warning(
                "library alias %s of component %s is skipped: there is no lib/%s",
                alias,
                component,
                library,
            )
            continue
        resolved[alias] = libraries[library]
    return resolved
