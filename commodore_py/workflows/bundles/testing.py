"""Proofs of test clusters for a bundle: versions that they used, and the steps to them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from commodore_py.dependencies.bundles.in_use import deviations_from
from commodore_py.errors import CommodoreError
from commodore_py.model.catalog import Deviation
from commodore_py.model.dependency import Kind
from commodore_py.model.difference import GRADES
from commodore_py.model.inventory import BOOTSTRAP

from .trials import ADDED, graded

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from commodore_py.catalog.diff.objects import ObjectDiff
    from commodore_py.dependencies.bundles.content import Content, Key
    from commodore_py.dependencies.bundles.index import Entry

    from .checkout import Bundles
    from .trials import Trial, Trials

_KINDS = {Kind.COMPONENT: "components", Kind.PACKAGE: "packages"}


@dataclass(frozen=True, slots=True)
class Step:
    """The step from a version before to the new one, on one cluster."""

    cluster: str
    before: str
    grade: str = "none"
    """That of the worst change."""
    objects: Mapping[str, int] = field(default_factory=dict)
    """How many objects change with each grade."""
    reason: str = ""
    """Of the worst change."""
    error: CommodoreError | None = None
    """Why the version before does not compile."""


@dataclass(frozen=True, slots=True)
class Tested:
    """A cluster that was compiled with the bundle."""

    cluster: str
    used: frozenset[Key]
    """What it deploys in the version of the bundle."""
    overrides: tuple[Deviation, ...] = ()
    """What it deploys from elsewhere, or in another version."""


def tested_by(tried: Trial, entries: Content, version: str) -> Tested:
    """Versions of a bundle that a compile used; an error if it used none."""
    sources = tried.sources
    node, places = sources.inventory.bootstrap, sources.places
    deployed = {
        (_KINDS[dependency.spec.kind], dependency.spec.name): dependency
        for dependency in sources.classes.of_kind(*_KINDS)
    }
    used = deployed.keys() & entries.keys()
    overrides: dict[Key, Deviation] = {}
    for deviation in deviations_from(entries, sources.classes, node, places, ADDED):
        key = f"{deviation.kind}s", deviation.name
        if key not in used:
            continue
        entry, dependency = entries[key], deployed[key]
        # A branch at the commit of the bundle has the same content.
        if deviation.field == "version" and dependency.commit in (entry.version, entry.commit):
            continue
        now = dependency.spec.version or ""
        line = places.parameter(BOOTSTRAP, (*key, "version"))
        overrides[key] = Deviation(deviation.kind, key[1], "version", entry.version, now, line)
    used -= overrides.keys()
    if not used:
        names = ", ".join(override.name for override in overrides.values())
        where = dict.fromkeys(override.where for override in overrides.values() if override.where)
        raise CommodoreError(
            f"cluster {sources.cluster.id} tests nothing of bundle {version}: "
            + (f"it overrides {names}" if names else "it deploys none of its components"),
            where="\n".join(where),
            hint="test it with a cluster that uses its versions: --test ID",
        )
    return Tested(sources.cluster.id, frozenset(used), tuple(overrides.values()))


def steps_to(
    tried: Trial, base: Trial, bundles: Bundles, previous: Iterable[Entry], compiling: Trials
) -> Iterator[Step]:
    """The grades of the steps from versions before, on the cluster of the trials."""
    cluster = tried.sources.cluster.id
    for entry in previous:
        step = Step(cluster, entry.version)
        try:
            diff = graded(compiling.with_bundle(bundles.bytes_of(entry), base), tried)
        except CommodoreError as error:
            yield replace(step, error=error)
        else:
            yield _with_changes(step, diff)


def _with_changes(step: Step, diff: ObjectDiff) -> Step:
    counts = Counter(change.grade for change in diff.objects)
    objects: dict[str, int] = {grade: counts[grade] for grade in GRADES if counts[grade]}
    worst = next(iter(objects), "none")
    change = next(
        (object_change for object_change in diff.objects if object_change.grade == worst != "none"),
        None,
    )
    if change is None:
        return replace(step, objects=objects)
    reasons = (change.reason, *(field.reason for field in change.fields if field.grade == worst))
    why = next(filter(None, reasons), "")
    reason = f"{change.what} {change.id}" + (f": {why}" if why else "")
    return replace(step, grade=worst, objects=objects, reason=reason)
