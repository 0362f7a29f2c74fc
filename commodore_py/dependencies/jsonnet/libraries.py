"""Jsonnet libraries of components, and the aliases they offer them under."""

from __future__ import annotations

import logging
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from commodore_py.adapters.files import link, remove
from commodore_py.errors import CommodoreError, raise_collected
from commodore_py.model.warning import FROM_FILES

from .aliases import Offer, offers_of, problems_of

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
    offers, errors = offers_of(list(present), parameters)
    errors += [
        problem for name, libraries in present.items() for problem in wrongly_named(name, libraries)
    ]
    errors += problems_of(offers, deployed=set(present), parameters=parameters)
    raise_collected(errors, "the components' Jsonnet libraries cannot be linked")

    wanted = _owned(present)
    for offer in offers:
        wanted |= links_of(offer, present[offer.component])
    bring_links(folder, wanted, sweep=not keep_others)


def bring_links(folder: Path, wanted: Mapping[str, Path], *, sweep: bool) -> None:
    """Make a folder hold these links; real files and folders in it are nobody's to replace."""
    raise_collected(
        (
            CommodoreError(
                f"there is no room for a link to {target}",
                where=str(folder / name),
                hint="move away what is there",
            )
            for name, target in sorted(wanted.items())
            if (folder / name).exists() and not (folder / name).is_symlink()
        ),
        "links cannot be made",
    )
    folder.mkdir(parents=True, exist_ok=True)
    if sweep:
        for present in folder.iterdir():
            if present.is_symlink() and present.name not in wanted:
                remove(present)
    for name, target in wanted.items():
        link(folder / name, target)


def libraries_of(component: Dependency) -> dict[str, Path]:
    """What lies right in a component's `lib/` and is not hidden, by name."""
    folder = component.directory / "lib"
    if not folder.is_dir():
        return {}
    return {p.name: p for p in sorted(folder.iterdir()) if not p.name.startswith(".")}


def wrongly_named(component: str, libraries: Iterable[str]) -> list[CommodoreError]:
    """Libraries whose names do not begin with that of their component."""
    return [
        CommodoreError(
            f"library {library} does not carry the name of its component {component}",
            where=f"{component}/lib/{library}",
            hint=f"rename it to {component}-{library}, and offer the old name as library alias",
        )
        for library in libraries
        if not PurePosixPath(library).stem.startswith(component)
    ]


def _owned(present: Mapping[str, Mapping[str, Path]]) -> dict[str, Path]:
    """All libraries by name; of two with one name, that of the component it is named for."""
    owned: dict[str, Path] = {}
    for component in sorted(present, key=len):
        owned |= present[component]
    return owned


def links_of(offer: Offer, libraries: Mapping[str, Path]) -> dict[str, Path]:
    """The links that an offer stands for; what is wrong with it is only warned about."""
    resolved = {}
    for alias, library in sorted(offer.aliases.items()):
        if library not in libraries:
            log.warning(
                "library alias %s of component %s is skipped: there is no lib/%s",
                alias,
                offer.component,
                library,
                extra=FROM_FILES,
            )
            continue
        resolved[alias] = libraries[library]
    return resolved
