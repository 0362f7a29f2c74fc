"""From the inventory to the reference files of the catalog."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from commodore_py.errors import raise_collected
from commodore_py.model.git_names import has_git_name
from commodore_py.model.names import problem_of_length, shown
from commodore_py.model.secrets import ReferenceFile
from commodore_py.model.spot import nowhere

from .backends import REF_BACKENDS
from .errors import BadReference, located
from .parse import parse_all
from .scan import find_marked, missing_parameters

if TYPE_CHECKING:
    from collections.abc import Iterable

    from commodore_py.errors import CommodoreError
    from commodore_py.model.inventory import Inventory, Node
    from commodore_py.model.secrets import SecretRef
    from commodore_py.model.spot import PlaceOf

    from .scan import MarkedTexts

logger = logging.getLogger(__name__)


class NoBackendSettings(BadReference):
    """There are references of a kind, but the place of its secrets is not configured."""

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
    errors += (*malformed, *misplaced, *unset, *_clashes(placed))
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
            placed.append((_file_of(ref), ref))
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


def _file_of(ref: SecretRef) -> PurePosixPath:
    """The path of the reference's file; empty segments do not count, as on disk."""
    path = PurePosixPath(ref.path)
    if path.is_absolute() or ".." in path.parts:
        raise BadReference.of(
            f"reference ?{{{ref.backend}:{ref.path}}} would write outside of refs/",
            ref,
            hint="make the path relative to the mount, without leading slash and without ..",
        )
    if has_git_name(ref.path):
        raise BadReference.of(
            f"reference ?{{{ref.backend}:{ref.path}}} needs the file refs/{path}, which Git would"
            " never push",
            ref,
            hint="store the secret under a path without .git",
        )
    problem = problem_of_length(ref.path)
    if problem:
        raise BadReference.of(
            f"reference ?{{{ref.backend}:{shown(ref.path)}}} cannot be a file: its path {problem}",
            ref,
            hint="use a shorter name",
        )
    if not path.parts or "\0" in ref.path:
        raise BadReference.of(
            f"reference ?{{{ref.backend}:{ref.path!r}}} names no file",
            ref,
            hint=f"write ?{{{ref.backend}:<secret>/<key>}}",
        )
    return path


def _clashes(refs: Iterable[tuple[PurePosixPath, SecretRef]]) -> Iterator[BadReference]:
    """One error for each pair that wants one path for two things."""
    files: dict[PurePosixPath, SecretRef] = {}
    for path, ref in refs:
        if path in files:
            yield _clash(files[path], ref, f"both need the file refs/{path}")
        else:
            files[path] = ref
    for path, ref in files.items():
        for folder, other in _files_above(path, files):
            yield _clash(other, ref, f"refs/{folder} cannot be both a file and a folder")


def _files_above(
    path: PurePosixPath, files: Mapping[PurePosixPath, SecretRef]
) -> Iterator[tuple[PurePosixPath, SecretRef]]:
    return ((folder, files[folder]) for folder in path.parents if folder in files)


def _clash(one: SecretRef, two: SecretRef, why: str) -> BadReference:
    return BadReference.of(
        f"references ?{{{one.backend}:{one.path}}} and ?{{{two.backend}:{two.path}}}"
        f" exclude each other: {why}",
        one,
        two,
        hint="store one of the two secrets under another path",
    )
