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

from .backends import REF_BACKENDS
from .errors import BadReference, located
from .references import missing_parameters, parse_all, references_in

if TYPE_CHECKING:
    from collections.abc import Iterable

    from commodore_py.errors import CommodoreError
    from commodore_py.model.inventory import Inventory, Node
    from commodore_py.model.secrets import SecretRef
    from commodore_py.model.spot import PlaceOf

    from .references import Marked

logger = logging.getLogger(__name__)


def render_refs(
    inventory: Inventory, marked: Marked, place_of: PlaceOf
) -> tuple[ReferenceFile, ...]:
    """A reference file for each reference of the inventory, sorted by path."""
    errors: list[CommodoreError] = list(missing_parameters(inventory))
    refs, malformed = parse_all(references_in(marked))
    placed: list[tuple[PurePosixPath, SecretRef]] = []
    misplaced: list[BadReference] = []
    for ref in refs:
        try:
            placed.append((_file_of(ref), ref))
        except BadReference as error:
            misplaced.append(error)
    placed.sort(key=lambda pair: pair[0])
    settings, unset = _settings(inventory.bootstrap, refs)
    errors += (*malformed, *misplaced, *unset, *_clashes(placed))
    raise_collected((located(error, place_of) for error in errors), "secret references")
    files = []
    for path, ref in placed:
        logger.debug("reference file %s, found in %s", path, ref.found_in[0])
        content = REF_BACKENDS[ref.backend].render(ref, settings[ref.backend])
        files.append(ReferenceFile(str(path), content, ref.backend))
    return tuple(files)


def _settings(
    bootstrap: Node, refs: Iterable[SecretRef]
) -> tuple[dict[str, object], list[BadReference]]:
    """The settings of each backend in use; a backend that is not used needs none."""
    kapitan = bootstrap.parameters.get("kapitan")
    secrets = kapitan.get("secrets") if isinstance(kapitan, Mapping) else None
    settings: dict[str, object] = {}
    errors: list[BadReference] = []
    first_of = {ref.backend: ref for ref in reversed(list(refs))}
    for backend, ref in sorted(first_of.items()):
        if isinstance(secrets, Mapping) and backend in secrets:
            settings[backend] = secrets[backend]
            continue
        key = f"parameters.kapitan.secrets.{backend}"
        errors.append(
            BadReference.of(
                f"there are {backend} references, the first is ?{{{backend}:{ref.path}}},"
                f" but {key} is not set",
                ref,
                hint=f"set {key} where target {bootstrap.name} sees it,"
                " as in the global configuration",
            )
        )
    return settings, errors


def _file_of(ref: SecretRef) -> PurePosixPath:
    """The path of the reference's file; empty segments do not count, as on disk."""
    path = PurePosixPath(ref.path)
    named = f"reference ?{{{ref.backend}:{ref.path}}}"
    if path.is_absolute() or ".." in path.parts:
        raise BadReference.of(
            f"{named} would write outside of refs/",
            ref,
            hint="make the path relative to the mount, without leading slash and without ..",
        )
    if has_git_name(ref.path):
        raise BadReference.of(
            f"{named} needs the file refs/{path}, which Git would never push",
            ref,
            hint="store the secret under a path without .git",
        )
    if problem := problem_of_length(ref.path):
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
        for folder in path.parents:
            if folder in files:
                why = f"refs/{folder} cannot be both a file and a folder"
                yield _clash(files[folder], ref, why)


def _clash(one: SecretRef, two: SecretRef, why: str) -> BadReference:
    return BadReference.of(
        f"references ?{{{one.backend}:{one.path}}} and ?{{{two.backend}:{two.path}}}"
        f" exclude each other: {why}",
        one,
        two,
        hint="store one of the two secrets under another path",
    )
