"""Library aliases: other names under which components offer their Jsonnet libraries (pure)."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from commodore_py.errors import CommodoreError
from commodore_py.model.inventory import Parameters, parameter_key
from commodore_py.model.warning import FROM_FILES

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Offer:
    """A component and the libraries it offers, by their aliases."""

    component: str
    aliases: Mapping[str, str]

    @property
    def place(self) -> str:
        """Where the aliases are set."""
        return f"parameters.{parameter_key(self.component)}._metadata.library_aliases"


def offers_of(
    components: Sequence[str], parameters: Parameters
) -> tuple[list[Offer], list[CommodoreError]]:
    """What the components offer, and what of it cannot be understood."""
    offers, errors = [], []
    for component in components:
        offer = Offer(component, metadata_of(parameters, component).get("library_aliases") or {})
        if _is_text_mapping(offer.aliases):
            offers.append(offer)
        else:
            errors.append(
                CommodoreError(
                    f"component {component}: expected aliases and names of libraries",
                    where=offer.place,
                    hint="write it as `alias.libsonnet: library.libsonnet`",
                )
            )
    return offers, errors


def problems_of(
    offers: Iterable[Offer], *, deployed: set[str], parameters: Parameters
) -> list[CommodoreError]:
    """Aliases that are no file names, belong to other components, or are offered twice."""
    errors: list[CommodoreError] = []
    owners: dict[str, list[str]] = {}
    for offer in offers:
        if not offer.aliases:
            continue
        replaced = _replaced(offer.component, deployed, parameters)
        taken = sorted(deployed - {offer.component, replaced})
        for alias in sorted(offer.aliases):
            owners.setdefault(alias, []).append(offer.component)
            errors += _problems(alias, offer, taken)
    errors += [_offered_twice(alias, names) for alias, names in sorted(owners.items()) if names[1:]]
    return errors


def _problems(alias: str, offer: Offer, taken: Sequence[str]) -> list[CommodoreError]:
    if "/" in alias or alias in ("", ".", ".."):
        return [
            CommodoreError(
                f"library alias {alias!r} of component {offer.component} is no plain file name",
                where=offer.place,
                hint="an alias is linked right in dependencies/lib; nothing was linked",
            )
        ]
    return [
        CommodoreError(
            f"library alias {alias} of component {offer.component}"
            f" has the prefix of component {it}",
            where=offer.place,
            hint="choose an alias that starts with no other component's name",
        )
        for it in [name for name in taken if alias.startswith(name)][:1]
    ]


def _offered_twice(alias: str, components: Sequence[str]) -> CommodoreError:
    return CommodoreError(
        f"library alias {alias} is offered by {' and '.join(components)}",
        where="parameters.<component>._metadata.library_aliases",
        hint="let all but one of them choose another alias",
    )


def _replaced(component: str, deployed: set[str], parameters: Parameters) -> str:
    """The component whose name prefix this one may use for aliases, if any."""
    old = str(metadata_of(parameters, component).get("replaces") or "")
    if not old or old not in deployed:
        return old
    metadata = metadata_of(parameters, old)
    if metadata.get("deprecated") and metadata.get("replaced_by") == component:
        log.warning(
            "%s takes over library names of the deprecated component %s",
            component,
            old,
            extra=FROM_FILES,
        )
        return old
    log.warning(
        "%s replaces %s, which does not name it as its successor: library names of %s stay its own",
        component,
        old,
        old,
        extra=FROM_FILES,
    )
    return ""


def metadata_of(parameters: Parameters, component: str) -> Mapping[str, Any]:
    """What a component says about itself."""
    of_component = parameters.get(parameter_key(component))
    metadata = of_component.get("_metadata") if isinstance(of_component, Mapping) else None
    return metadata if isinstance(metadata, Mapping) else {}


def _is_text_mapping(value: object) -> bool:
    return isinstance(value, Mapping) and all(
        isinstance(text, str) for pair in value.items() for text in pair
    )
