"""Links to the Jsonnet libraries of components, under their names and aliases."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from commodore_py.adapters.files import link, make_folder, remove
from commodore_py.errors import CommodoreError, raise_collected
from commodore_py.model.inventory import Parameters, parameter_key
from commodore_py.model.names import problem_of_path, shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from commodore_py.model.dependency import Dependency

log = logging.getLogger(__name__)


def aliases_of(
    components: Iterable[str], parameters: Parameters, *, deployed: set[str]
) -> tuple[dict[str, Mapping[str, str]], list[CommodoreError]]:
    """The library of each alias by component, and the errors of aliases.

    They are not valid, reserved for another one of the `deployed` components, or not unique.
    """
    aliases: dict[str, Mapping[str, str]] = {}
    errors: list[CommodoreError] = []
    owners: dict[str, list[str]] = {}
    for component in components:
        libraries = metadata_of(parameters, component).get("library_aliases") or {}
        place = f"parameters.{parameter_key(component)}._metadata.library_aliases"
        if not _maps_strings(libraries):
            errors.append(
                CommodoreError(
                    f"component {component}: expected a mapping of aliases to libraries",
                    where=place,
                    hint="write it as `alias.libsonnet: library.libsonnet`",
                )
            )
        elif libraries:
            aliases[component] = libraries
            replaced = _replaced(component, deployed, parameters)
            taken = sorted(deployed - {component, replaced})
            problems = (_problem(alias, component, taken, place) for alias in sorted(libraries))
            errors += filter(None, problems)
            for alias in libraries:
                owners.setdefault(alias, []).append(component)
    errors += [_not_unique(alias, names) for alias, names in sorted(owners.items()) if names[1:]]
    return aliases, errors


def _problem(alias: str, component: str, taken: Iterable[str], place: str) -> CommodoreError | None:
    problem = problem_of_path(alias)
    if "/" in alias or alias in ("", ".", "..") or problem:
        return CommodoreError(
            f"library alias {shown(alias, quoted=True)} of component {component}"
            " is not a valid file name" + (f": it {problem}" if problem else ""),
            where=place,
            hint="an alias is the name of a link in dependencies/lib; no links were created",
        )
    other = next((name for name in taken if alias.startswith(name)), None)
    if other is None:
        return None
    return CommodoreError(
        f"library alias {alias} of component {component} has the prefix of component {other}",
        where=place,
        hint="choose an alias that does not start with the name of another component",
    )


def _not_unique(alias: str, components: Sequence[str]) -> CommodoreError:
    return CommodoreError(
        f"library alias {alias} is used by {' and '.join(components)}",
        where="parameters.<component>._metadata.library_aliases",
        hint="use another alias in all but one of them",
    )


def _replaced(component: str, deployed: set[str], parameters: Parameters) -> str:
    """The component whose name prefix this one may use for aliases, if any."""
    old = str(metadata_of(parameters, component).get("replaces") or "")
    if not old or old not in deployed:
        return old
    metadata = metadata_of(parameters, old)
    if metadata.get("deprecated") and metadata.get("replaced_by") == component:
        log.warning(
            "%s uses library names of the deprecated component %s",
            component,
            old,
        )
        return old
    log.warning(
        "%s replaces %s, which does not name it as its successor: library names of %s are reserved",
        component,
        old,
        old,
    )
    return ""


def metadata_of(parameters: Parameters, component: str) -> Mapping[str, Any]:
    """The metadata of a component."""
    of_component = parameters.get(parameter_key(component))
    metadata = of_component.get("_metadata") if isinstance(of_component, Mapping) else None
    return metadata if isinstance(metadata, Mapping) else {}


def _maps_strings(value: object) -> bool:
    return isinstance(value, Mapping) and all(
        isinstance(text, str) for pair in value.items() for text in pair
    )


def link_libraries(
    folder: Path, components: Sequence[Dependency], parameters: Parameters, *, keep_others: bool
) -> None:
    """Make `dependencies/lib` hold a link per library and per alias."""
    present = {component.spec.name: libraries_of(component) for component in components}
    aliases, errors = aliases_of(present, parameters, deployed=set(present))
    errors += [problem for component in components for problem in wrongly_named(component)]
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


def wrongly_named(component: Dependency) -> list[CommodoreError]:
    """Errors for libraries whose names do not begin with that of their component."""
    name = component.spec.name
    return [
        CommodoreError(
            f"library {library} does not start with the name of its component {name}",
            where=f"{name}/lib/{library}",
            hint=f"rename it to {name}-{library}, and make the old name a library alias",
        )
        for library in libraries_of(component)
        if not PurePosixPath(library).stem.startswith(name)
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
