"""From the inventory to the reference files of the catalog."""

from __future__ import annotations

import logging
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from commodore_py.errors import CommodoreError, raise_collected
from commodore_py.manifests.objects import mapping, value_in
from commodore_py.model.git_names import has_git_name
from commodore_py.model.names import problem_of_length, shown
from commodore_py.model.secrets import ReferenceFile, SecretRef

from .backends import REF_BACKENDS
from .references import places_text, references_in

if TYPE_CHECKING:
    from collections.abc import Iterator

    from commodore_py.model.inventory import Inventory
    from commodore_py.model.spot import PlaceOf, Spot

    from .references import Marked

logger = logging.getLogger(__name__)


def render_refs(
    inventory: Inventory, marked: Marked, place_of: PlaceOf
) -> tuple[ReferenceFile, ...]:
    """A reference file for each reference of the inventory, sorted by path."""
    errors = list(_missing_parameters(inventory))
    first_of: dict[str, SecretRef] = {}
    refs: dict[PurePosixPath, SecretRef] = {}
    for text, spots in references_in(marked).items():
        try:
            ref = _parsed(text, spots)
            first_of.setdefault(ref.backend, ref)
            other = refs.setdefault(_file_of(ref), ref)
        except CommodoreError as error:
            error.where = places_text(spots, place_of)
            errors.append(error)
        else:
            if (other.backend, other.path) != (ref.backend, ref.path):
                why = f"both need the file refs/{_file_of(ref)}"
                errors.append(_clash(other, ref, why, place_of))
    for path in sorted(refs):
        for folder in path.parents:
            if folder in refs:
                why = f"refs/{folder} cannot be both a file and a folder"
                errors.append(_clash(refs[folder], refs[path], why, place_of))
    # A backend that is not used needs no settings.
    settings = mapping(value_in(inventory.bootstrap.parameters.get("kapitan"), "secrets"))
    errors += [
        CommodoreError(
            f"there are {backend} references, the first is ?{{{backend}:{ref.path}}},"
            f" but parameters.kapitan.secrets.{backend} is not set",
            where=places_text(ref.found_in, place_of),
            hint=f"set parameters.kapitan.secrets.{backend} where target"
            f" {inventory.bootstrap.name} sees it, as in the global configuration",
        )
        for backend, ref in sorted(first_of.items())
        if backend not in settings
    ]
    raise_collected(errors, "secret references")
    files = []
    for path in sorted(refs):
        ref = refs[path]
        logger.debug("reference file %s, found in %s", path, ref.found_in[0])
        content = REF_BACKENDS[ref.backend].render(ref, settings[ref.backend])
        files.append(ReferenceFile(str(path), content, ref.backend))
    return tuple(files)


def _missing_parameters(inventory: Inventory) -> Iterator[CommodoreError]:
    """One error for each instance whose target lacks its component's parameter key."""
    for instance in sorted(inventory.instances, key=lambda instance: instance.name):
        key = instance.component_key
        if key not in inventory.nodes[instance.name].parameters:
            yield CommodoreError(
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
        raise CommodoreError(problem, hint=f"supported are {known}")
    if not rest:
        hint = f"write ?{{{kind}:<secret>/<key>}}"
        raise CommodoreError(f"reference ?{{{text}}} has no path", hint=hint)
    ref = SecretRef(kind, rest[0], spots)
    REF_BACKENDS[kind].check(ref)
    return ref


def _file_of(ref: SecretRef) -> PurePosixPath:
    """The path of the reference's file; empty segments do not count, as on disk."""
    path = PurePosixPath(ref.path)
    named = f"reference ?{{{ref.backend}:{ref.path}}}"
    if path.is_absolute() or ".." in path.parts:
        raise CommodoreError(
            f"{named} would write outside of refs/",
            hint="make the path relative to the mount, without leading slash and without ..",
        )
    if has_git_name(ref.path):
        raise CommodoreError(
            f"{named} needs the file refs/{path}, which Git would never push",
            hint="store the secret under a path without .git",
        )
    if problem := problem_of_length(ref.path):
        raise CommodoreError(
            f"reference ?{{{ref.backend}:{shown(ref.path)}}} cannot be a file: its path {problem}",
            hint="use a shorter name",
        )
    if not path.parts or "\0" in ref.path:
        raise CommodoreError(
            f"reference ?{{{ref.backend}:{ref.path!r}}} names no file",
            hint=f"write ?{{{ref.backend}:<secret>/<key>}}",
        )
    return path


def _clash(one: SecretRef, two: SecretRef, why: str, place_of: PlaceOf) -> CommodoreError:
    return CommodoreError(
        f"references ?{{{one.backend}:{one.path}}} and ?{{{two.backend}:{two.path}}}"
        f" exclude each other: {why}",
        where="\n".join(places_text(ref.found_in, place_of) for ref in (one, two)),
        hint="store one of the two secrets under another path",
    )
