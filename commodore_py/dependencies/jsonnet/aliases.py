"""Library aliases: additional names for the Jsonnet libraries of components (pure)."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from commodore_py.errors import CommodoreError
from commodore_py.model.inventory import Parameters, parameter_key
from commodore_py.model.names import problem_of_path, shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Aliases:
    """The library aliases of a component."""

    component: str
    libraries: Mapping[str, str]
    """The name of a library for each alias."""

    @property
    def place(self) -> str:
        """The parameter that sets the aliases."""
        return f"parameters.{parameter_key(self.component)}._metadata.library_aliases"


def aliases_of(
    components: Sequence[str], parameters: Parameters
) -> tuple[list[Aliases], list[CommodoreError]]:
    """The aliases of the components, and the errors of invalid ones."""
    aliaseses, errors = [], []
    for component in components:
        aliases = Aliases(
            component, metadata_of(parameters, component).get("library_aliases") or {}
        )
        if _maps_strings(aliases.libraries):
            aliaseses.append(aliases)
        else:
            errors.append(
                CommodoreError(
                    f"component {component}: expected a mapping of aliases to libraries",
                    where=aliases.place,
                    hint="write it as `alias.libsonnet: library.libsonnet`",
                )
            )
    return aliaseses, errors


def problems_of(
    all_aliases: Iterable[Aliases], *, deployed: set[str], parameters: Parameters
) -> list[CommodoreError]:
    """Errors for aliases that are invalid, reserved for other components, or not unique."""
    errors: list[CommodoreError] = []
    owners: dict[str, list[str]] = {}
    for aliases in all_aliases:
        if not aliases.libraries:
            continue
        replaced = _replaced(aliases.component, deployed, parameters)
        taken = sorted(deployed - {aliases.component, replaced})
        for alias in sorted(aliases.libraries):
            owners.setdefault(alias, []).append(aliases.component)
            errors += _problems(alias, aliases, taken)
    errors += [_not_unique(alias, names) for alias, names in sorted(owners.items()) if names[1:]]
    return errors


def _problems(alias: str, aliases: Aliases, taken: Sequence[str]) -> list[CommodoreError]:
    problem = problem_of_path(alias)
    if "/" in alias or alias in ("", ".", "..") or problem:
        return [
            CommodoreError(
                f"library alias {shown(alias, quoted=True)} of component {aliases.component}"
                " is not a valid file name" + (f": it {problem}" if problem else ""),
                where=aliases.place,
                hint="an alias is the name of a link in dependencies/lib; no links were created",
            )
        ]
    return [
        CommodoreError(
            f"library alias {alias} of component {aliases.component}"
            f" has the prefix of component {it}",
            where=aliases.place,
            hint="choose an alias that does not start with the name of another component",
        )
        for it in [name for name in taken if alias.startswith(name)][:1]
    ]


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
