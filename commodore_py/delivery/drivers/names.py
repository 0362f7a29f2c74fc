"""Names that steps have in a back end: valid, and different ones (pure)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from commodore_py.delivery.findings import Finding
from commodore_py.delivery.reading import PLAN

from .base import MANIFESTS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping
    from pathlib import PurePosixPath

    from commodore_py.model.spot import ParameterPath
    from commodore_py.model.tree import Entry, Tree

    from .base import Laid

DNS_LABEL = re.compile(r"[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?")


@dataclass(frozen=True, slots=True)
class Named:
    """The name of an object, and what it stands for."""

    name: str
    id: str
    path: ParameterPath


def name_findings(kind: str, names: Iterable[Named]) -> Iterator[Finding]:
    """Names that are too long, that are not DNS labels, or that several ids have."""
    taken: dict[str, str] = {}
    for named in names:
        if not DNS_LABEL.fullmatch(named.name):
            message = f"{named.name} is not a valid name of {kind}"
            remedy = "use at most 63 lower case letters, digits and hyphens"
            yield Finding("plan/name", message, named.path, remedy)
        other = taken.setdefault(named.name, named.id)
        if other != named.id:
            message = f"{other} and {named.id} would both be {kind} {named.name}"
            yield Finding("plan/alias", message, named.path, "rename one of them")


def path_findings(laid: Laid) -> Iterator[Finding]:
    """Files of a rendered plan that have two contents."""
    seen: dict[PurePosixPath, Entry] = {}
    for tree in (*laid.trees.values(), laid.added):
        for path, entry in tree.items():
            if seen.setdefault(path, entry) != entry:
                message = f"{MANIFESTS}/{path} would have two contents"
                yield Finding("plan/path", message, PLAN, "rename a step or an output file")


def place_findings(trees: Mapping[str, Tree], folders: Collection[str]) -> Iterator[Finding]:
    """Instances that write into folders of the driver."""
    for instance, tree in trees.items():
        taken = next((path.parts[0] for path in tree if path.parts[0] in folders), None)
        if taken is not None:
            message = f"instance {instance} and the driver would both write {taken}/"
            yield Finding("plan/path", message, PLAN, "use another output path")
