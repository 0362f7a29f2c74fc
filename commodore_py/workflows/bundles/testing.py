"""Proofs of test clusters for a bundle: versions that they used, and the steps to them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from commodore_py.dependencies.bundles.content import resolved
from commodore_py.errors import CommodoreError
from commodore_py.model.dependency import Kind
from commodore_py.model.difference import GRADES
from commodore_py.model.inventory import BOOTSTRAP

from .trials import graded

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from commodore_py.catalog.diff.objects import ObjectDiff
    from commodore_py.dependencies.bundles.index import Entry

    from .checkout import Bundles
    from .trials import Trial, Trials

_KINDS = {Kind.COMPONENT: "components", Kind.PACKAGE: "packages"}


Key = tuple[str, str]
"""Kind, as in the class, and name."""


@dataclass(frozen=True, slots=True)
class Pinned:
    """A component or a package of a bundle."""

    url: str
    version: str
    path: str = ""
    commit: str = ""
    """Of a tag, when it was published."""
    branch: str = ""
    """The branch that the version was taken from, if it is a commit."""


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


class Override(NamedTuple):
    """An entry of the bundle that the cluster deploys from elsewhere, or in another version."""

    key: Key
    version: str
    """What the cluster has."""
    where: str


@dataclass(frozen=True, slots=True)
class Tested:
    """A cluster that was compiled with the bundle."""

    cluster: str
    used: frozenset[Key]
    """What it deploys in the version of the bundle."""
    overrides: tuple[Override, ...] = ()


def tested_by(tried: Trial, entries: Mapping[Key, Pinned], version: str) -> Tested:
    """Versions of a bundle that a compile used; an error if it used none."""
    sources, used, overrides = tried.sources, set(), []
    for dependency in sources.classes.of_kind(*_KINDS):
        spec = dependency.spec
        key = _KINDS[spec.kind], spec.name
        entry = entries.get(key)
        if entry is None:
            continue
        url, stated, path = (
            resolved(text, sources.inventory.bootstrap.parameters)
            for text in (entry.url, entry.version, entry.path.strip("/"))
        )
        # A branch at the commit of the bundle has the same content.
        same = spec.version == stated or dependency.commit in (stated, entry.commit)
        if same and (url, path) == (spec.url, (spec.path or "").strip("/")):
            used.add(key)
        else:
            where = sources.places.parameter(BOOTSTRAP, (*key, "version"))
            overrides.append(Override(key, spec.version or "", where))
    if not used:
        names = ", ".join(override.key[1] for override in overrides)
        raise CommodoreError(
            f"cluster {sources.cluster.id} tests nothing of bundle {version}: "
            + (f"it overrides {names}" if names else "it deploys none of its components"),
            where="\n".join(
                dict.fromkeys(override.where for override in overrides if override.where)
            ),
            hint="test it with a cluster that uses its versions: --test ID",
        )
    return Tested(sources.cluster.id, frozenset(used), tuple(overrides))


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
