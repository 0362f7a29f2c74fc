"""From the inventory to the reference files of the catalog."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from commodore_py.errors import CommodoreError, raise_collected
from commodore_py.model.git_names import has_git_name
from commodore_py.model.names import problem_of_length, shown
from commodore_py.model.secrets import ReferenceFile, SecretRef

from .backends import REF_BACKENDS
from .errors import BadReference, places_text
from .references import references_in

if TYPE_CHECKING:
    from collections.abc import Iterable

    from commodore_py.model.inventory import Inventory, Node
    from commodore_py.model.spot import PlaceOf, Spot

    from .references import Marked

logger = logging.getLogger(__name__)


class MissingParameters(CommodoreError):
    """A target does not hold the parameters of the component it is made from."""


def render_refs(
    inventory: Inventory, marked: Marked, place_of: PlaceOf
) -> tuple[ReferenceFile, ...]:
    """A reference file for each reference of the inventory, sorted by path."""
    errors: list[CommodoreError] = list(_missing_parameters(inventory))
    first_of: dict[str, SecretRef] = {}
    placed: dict[tuple[str, str], tuple[PurePosixPath, SecretRef]] = {}
    for text, spots in references_in(marked).items():
        try:
            ref = _parsed(text, spots)
            first_of.setdefault(ref.backend, ref)
            placed.setdefault((ref.backend, ref.path), (_file_of(ref), ref))
        except BadReference as error:
            error.where = places_text(spots, place_of)
            errors.append(error)
    refs = sorted(placed.values(), key=lambda pair: pair[0])
    settings = _settings(inventory.bootstrap)
    errors += [
        BadReference(
            f"there are {backend} references, the first is ?{{{backend}:{ref.path}}},"
            f" but parameters.kapitan.secrets.{backend} is not set",
            where=places_text(ref.found_in, place_of),
            hint=f"set parameters.kapitan.secrets.{backend} where target"
            f" {inventory.bootstrap.name} sees it, as in the global configuration",
        )
        for backend, ref in sorted(first_of.items())
        if backend not in settings
    ]
    errors += [
        BadReference(
            f"references ?{{{one.backend}:{one.path}}} and ?{{{two.backend}:{two.path}}}"
            f" exclude each other: {why}",
            where="\n".join(places_text(ref.found_in, place_of) for ref in (one, two)),
            hint="store one of the two secrets under another path",
        )
        for one, two, why in _clashes(refs)
    ]
    raise_collected(errors, "secret references")
    files = []
    for path, ref in refs:
        logger.debug("reference file %s, found in %s", path, ref.found_in[0])
        content = REF_BACKENDS[ref.backend].render(ref, settings[ref.backend])
        files.append(ReferenceFile(str(path), content, ref.backend))
    return tuple(files)


def _missing_parameters(inventory: Inventory) -> Iterator[MissingParameters]:
    """One error for each instance whose target lacks its component's parameter key."""
    for instance in sorted(inventory.instances, key=lambda instance: instance.name):
        key = instance.component_key
        if key not in inventory.nodes[instance.name].parameters:
            yield MissingParameters(
                f"component {instance.component} has no parameters in target {instance.name}",
                where=f"target {instance.name}, parameters.{key}",
                hint=f"define parameters.{key} in the component's class/defaults.yml",
            )


def _parsed(text: str, spots: tuple[Spot, ...]) -> SecretRef:
    """Backend and path of a reference; what follows a second colon is a hash, and ignored."""
    kind, *rest = text.split(":")
    if kind not in REF_BACKENDS:
        known = ", ".join(f"?{{{name}:...}}" for name in sorted(REF_BACKENDS))
        problem = f"reference ?{{{text}}} is of a type that is not supported"
        raise BadReference(problem, hint=f"supported are {known}")
    if not rest:
        hint = f"write ?{{{kind}:<secret>/<key>}}"
        raise BadReference(f"reference ?{{{text}}} has no path", hint=hint)
    ref = SecretRef(kind, rest[0], spots)
    REF_BACKENDS[kind].check(ref)
    return ref


def _file_of(ref: SecretRef) -> PurePosixPath:
    """The path of the reference's file; empty segments do not count, as on disk."""
    path = PurePosixPath(ref.path)
    named = f"reference ?{{{ref.backend}:{ref.path}}}"
    if path.is_absolute() or ".." in path.parts:
        raise BadReference(
            f"{named} would write outside of refs/",
            hint="make the path relative to the mount, without leading slash and without ..",
        )
    if has_git_name(ref.path):
        raise BadReference(
            f"{named} needs the file refs/{path}, which Git would never push",
            hint="store the secret under a path without .git",
        )
    if problem := problem_of_length(ref.path):
        raise BadReference(
            f"reference ?{{{ref.backend}:{shown(ref.path)}}} cannot be a file: its path {problem}",
            hint="use a shorter name",
        )
    if not path.parts or "\0" in ref.path:
        raise BadReference(
            f"reference ?{{{ref.backend}:{ref.path!r}}} names no file",
            hint=f"write ?{{{ref.backend}:<secret>/<key>}}",
        )
    return path


def _settings(bootstrap: Node) -> Mapping[str, object]:
    """The settings of backends; one that is not used needs none."""
    kapitan = bootstrap.parameters.get("kapitan")
    secrets = kapitan.get("secrets") if isinstance(kapitan, Mapping) else None
    return secrets if isinstance(secrets, Mapping) else {}


def _clashes(
    refs: Iterable[tuple[PurePosixPath, SecretRef]],
) -> Iterator[tuple[SecretRef, SecretRef, str]]:
    """Each pair that wants one path for two things, and why."""
    files: dict[PurePosixPath, SecretRef] = {}
    for path, ref in refs:
        if path in files:
            yield files[path], ref, f"both need the file refs/{path}"
        else:
            files[path] = ref
    for path, ref in files.items():
        for folder in path.parents:
            if folder in files:
                yield files[folder], ref, f"refs/{folder} cannot be both a file and a folder"
