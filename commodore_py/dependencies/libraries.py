"""Jsonnet libraries of components, and the aliases they offer them under."""

from __future__ import annotations

import logging
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from commodore_py.adapters.files import link, remove
from commodore_py.errors import CommodoreError, raise_collected
from commodore_py.model import Dependency, Parameters, parameter_key

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

log = logging.getLogger(__name__)


def link_libraries(
    folder: Path, components: Sequence[Dependency], parameters: Parameters, *, keep_others: bool
) -> None:
    """Make `dependencies/lib` hold a link per library and per alias."""
    names = [component.spec.name for component in components]
    wanted: dict[str, Path] = {}
    errors: list[CommodoreError] = []
    for component in components:
        for library in _libraries_of(component):
            error = _reserved(component.spec.name, library.name, names)
            if error is None:
                wanted[library.name] = library
            else:
                errors.append(error)
    aliases = dict(_aliases(components, parameters))
    errors += _alias_conflicts(aliases, parameters)
    raise_collected(errors, "the components' Jsonnet libraries cannot be linked")
    for name in sorted(aliases):
        wanted |= _resolved_aliases(name, aliases, components)

    folder.mkdir(parents=True, exist_ok=True)
    if not keep_others:
        for present in folder.iterdir():
            if present.is_symlink() and present.name not in wanted:
                remove(present)
    for name, library in wanted.items():
        link(folder / name, library)


def _libraries_of(component: Dependency) -> list[Path]:
    folder = component.directory / "lib"
    if not folder.is_dir():
        return []
    return sorted(path for path in folder.iterdir() if not path.name.startswith("."))


def _reserved(component: str, library: str, names: Sequence[str]) -> CommodoreError | None:
    stem = PurePosixPath(library).stem
    owners = [n for n in names if n != component and n.startswith(component) and stem.startswith(n)]
    if owners:
        return CommodoreError(
            f"library {library} of component {component} is reserved for component {owners[0]}",
            where=f"{component}/lib/{library}",
            hint=f"rename it, or offer it under a library alias of {component}",
        )
    if not stem.startswith(component):
        return CommodoreError(
            f"library {library} does not carry the name of its component {component}",
            where=f"{component}/lib/{library}",
            hint=f"rename it to {component}-{library}, and offer the old name as library alias",
        )
    return None


def _metadata(parameters: Parameters, component: str) -> Mapping[str, Any]:
    return (parameters.get(parameter_key(component)) or {}).get("_metadata") or {}


def _aliases(
    components: Sequence[Dependency], parameters: Parameters
) -> Iterator[tuple[str, dict[str, str]]]:
    for component in components:
        aliases = _metadata(parameters, component.spec.name).get("library_aliases") or {}
        if aliases:
            yield component.spec.name, dict(aliases)


def _alias_conflicts(
    aliases: Mapping[str, Mapping[str, str]], parameters: Parameters
) -> list[CommodoreError]:
    listed = sorted(parameters.get("components") or {})
    errors: list[CommodoreError] = []
    owners: dict[str, list[str]] = {}
    for component, offered in aliases.items():
        released = {component, _replaced(component, parameters)}
        for alias in sorted(offered):
            place = f"parameters.{parameter_key(component)}._metadata.library_aliases"
            owners.setdefault(alias, []).append(component)
            if "/" in alias or alias in ("", ".", ".."):
                errors.append(
                    CommodoreError(f"library alias {alias!r} is no plain file name", where=place)
                )
            taken = [name for name in listed if name not in released and alias.startswith(name)]
            if taken:
                errors.append(
                    CommodoreError(
                        f"library alias {alias} of component {component}"
                        f" has the prefix of component {taken[0]}",
                        where=place,
                        hint="choose an alias that starts with no other component's name",
                    )
                )
    errors += [
        CommodoreError(
            f"library alias {alias} is offered by {' and '.join(names)}",
            hint="let one of them choose another alias",
        )
        for alias, names in sorted(owners.items())
        if len(names) > 1
    ]
    return errors


def _replaced(component: str, parameters: Parameters) -> str:
    """The component whose name prefix this one may use for aliases, if any."""
    old = str(_metadata(parameters, component).get("replaces") or "")
    if not old or parameter_key(old) not in parameters:
        return old
    metadata = _metadata(parameters, old)
    if metadata.get("deprecated") and metadata.get("replaced_by") == component:
        log.warning("%s takes over library names of the deprecated component %s", component, old)
        return old
    log.warning(
        "%s does not name %s as its successor: its library names stay its own", old, component
    )
    return ""


def _resolved_aliases(
    component: str, aliases: Mapping[str, Mapping[str, str]], components: Sequence[Dependency]
) -> dict[str, Path]:
    checkout = next(one for one in components if one.spec.name == component)
    present = {library.name: library for library in _libraries_of(checkout)}
    resolved = {}
    for alias, library in sorted(aliases[component].items()):
        if library in present:
            resolved[alias] = present[library]
        else:
            log.warning(
                "library alias %s of component %s: there is no lib/%s", alias, component, library
            )
    return resolved
