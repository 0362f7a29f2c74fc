"""From the inventory to the reference files of the catalog."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING

from commodore_py.errors import raise_collected
from commodore_py.model.secrets import ReferenceFile
from commodore_py.model.spot import nowhere

from .backends import REF_BACKENDS
from .errors import BadReference, located
from .layout import clashes, file_of
from .parse import parse_all
from .scan import find_marked, missing_parameters

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import PurePosixPath

    from commodore_py.errors import CommodoreError
    from commodore_py.model.inventory import Inventory, Node
    from commodore_py.model.secrets import SecretRef
    from commodore_py.model.spot import PlaceOf

    from .scan import MarkedTexts

logger = logging.getLogger(__name__)


class NoBackendSettings(BadReference):
    """There are references of a kind, but nothing says where its secrets are kept."""

    @classmethod
    def first(cls, ref: SecretRef, bootstrap: Node) -> NoBackendSettings:
        """Name the missing parameter and a reference that needs it."""
        key = f"parameters.kapitan.secrets.{ref.backend}"
        return cls.of(
            f"there are {ref.backend} references, the first is ?{{{ref.backend}:{ref.path}}},"
            f" but {key} is not set",
            ref,
            hint=f"set {key} where target {bootstrap.name} sees it, as in the global configuration",
        )


def render_refs(
    inventory: Inventory, place_of: PlaceOf = nowhere, *, found: MarkedTexts | None = None
) -> tuple[ReferenceFile, ...]:
    """A reference file for each reference of the inventory, sorted by path."""
    found = find_marked(inventory) if found is None else found
    errors: list[CommodoreError] = list(missing_parameters(inventory))
    refs, malformed = parse_all(found.occurrences())
    placed, misplaced = _place(refs)
    settings, unset = _settings(inventory.bootstrap, refs)
    errors += (*malformed, *misplaced, *unset, *clashes(placed))
    raise_collected((located(error, place_of) for error in errors), "secret references")
    return tuple(_render(path, ref, settings[ref.backend]) for path, ref in placed)


def _render(path: PurePosixPath, ref: SecretRef, settings: object) -> ReferenceFile:
    logger.debug("reference file %s, found in %s", path, ref.found_in[0])
    return ReferenceFile(str(path), REF_BACKENDS[ref.backend].render(ref, settings), ref.backend)


def _place(
    refs: Iterable[SecretRef],
) -> tuple[list[tuple[PurePosixPath, SecretRef]], list[BadReference]]:
    placed: list[tuple[PurePosixPath, SecretRef]] = []
    errors: list[BadReference] = []
    for ref in refs:
        try:
            placed.append((file_of(ref), ref))
        except BadReference as error:
            errors.append(error)
    return sorted(placed, key=lambda pair: pair[0]), errors


def _settings(
    bootstrap: Node, refs: Iterable[SecretRef]
) -> tuple[dict[str, object], list[BadReference]]:
    """What each backend in use needs to know; a backend that is not used needs no settings."""
    found: dict[str, object] = {}
    errors: list[BadReference] = []
    first_of = {ref.backend: ref for ref in reversed(list(refs))}
    for backend, ref in sorted(first_of.items()):
        secrets = _below(bootstrap.parameters, "kapitan", "secrets")
        if isinstance(secrets, Mapping) and backend in secrets:
            found[backend] = secrets[backend]
        else:
            errors.append(NoBackendSettings.first(ref, bootstrap))
    return found, errors


def _below(value: object, *keys: str) -> object:
    for key in keys:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value
