"""Library aliases: other names under which components offer their Jsonnet libraries (pure)."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from commodore_py.errors import CommodoreError
from commodore_py.model import Parameters, parameter_key

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

log = logging.getLogger(__name__)

_BUNDLED = ("commodore.libjsonnet", "kube.libjsonnet")
_KAPITAN = "kapitan.libjsonnet"


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
        offer = Offer(component, _metadata(parameters, component).get("library_aliases") or {})
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
    listed = sorted(parameters.get("components") or {})
    errors: list[CommodoreError] = []
    owners: dict[str, list[str]] = {}
    for offer in offers:
        if not offer.aliases:
            continue
        released = {offer.component, _replaced(offer.component, deployed, parameters)}
        taken = [name for name in listed if name not in released]
        for alias in sorted(offer.aliases):
            owners.setdefault(alias, []).append(offer.component)
            errors += _problems(alias, offer, taken)
            _warn_of_bundled(alias, offer.component)
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


def _warn_of_bundled(alias: str, component: str) -> None:
    if alias in _BUNDLED:
        log.warning(
            "library alias %s of component %s replaces a bundled library for all components;"
            " filters still see the bundled one",
            alias,
            component,
        )
    elif alias == _KAPITAN:
        log.warning(
            "library alias %s of component %s has no effect: Kapitan's own library wins",
            alias,
            component,
        )


def _replaced(component: str, deployed: set[str], parameters: Parameters) -> str:
    """The component whose name prefix this one may use for aliases, if any."""
    old = str(_metadata(parameters, component).get("replaces") or "")
    if not old or old not in deployed:
        return old
    metadata = _metadata(parameters, old)
    if metadata.get("deprecated") and metadata.get("replaced_by") == component:
        log.warning("%s takes over library names of the deprecated component %s", component, old)
        return old
    log.warning(
        "%s replaces %s, which does not name it as its successor: library names of %s stay its own",
        component,
        old,
        old,
    )
    return ""


def _metadata(parameters: Parameters, component: str) -> Mapping[str, Any]:
    of_component = parameters.get(parameter_key(component))
    metadata = of_component.get("_metadata") if isinstance(of_component, Mapping) else None
    return metadata if isinstance(metadata, Mapping) else {}


def _is_text_mapping(value: object) -> bool:
    return isinstance(value, Mapping) and all(
        isinstance(text, str) for pair in value.items() for text in pair
    )
