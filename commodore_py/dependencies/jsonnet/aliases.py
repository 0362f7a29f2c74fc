"""Library aliases: additional names for the Jsonnet libraries of components (pure)."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from commodore_py.errors import CommodoreError
from commodore_py.model.inventory import Parameters, parameter_key
from commodore_py.model.names import problem_of_path, shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

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
