"""Compile clusters with a bundle and those before it, and grade every step between them."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from commodore_py.dependencies.bundles.content import digest_of
from commodore_py.errors import CommodoreError
from commodore_py.model.difference import GRADES

from .trials import graded, trials

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from commodore_py.catalog.diff.objects import ObjectDiff
    from commodore_py.config import Config
    from commodore_py.dependencies.bundles.index import Entry

    from .checkout import Bundles
    from .trials import Trial, Trials


class Step(NamedTuple):
    """A step from one version to another, on one cluster."""

    cluster: str
    before: str
    """Empty for the newest version by itself."""
    after: str
    grade: str = "none"
    objects: Mapping[str, int] = {}
    """How many objects change with each grade."""
    reason: str = ""
    """Of the worst change."""
    error: CommodoreError | None = None
    """Why it cannot be graded."""


def check(
    config: Config, bundles: Bundles, version: str, clusters: Iterable[str], window: int
) -> Iterator[Step]:
    """Grade each step on each cluster; a version that does not compile is part of the result."""
    entries = bundles.index.window(bundles.entry(version).version, window)
    for one in entries:
        if one.sha256 and digest_of(bundles.bytes_of(one)) != one.sha256:
            raise CommodoreError(
                f"bundle {one.version} was edited after it was published",
                where=str(bundles.folder / "bundles" / f"{one.name}.yml"),
                hint="restore the file, and publish the change as a version of its own",
            )
    for cluster in clusters:
        with trials(config, cluster) as compiling:
            yield from _steps(cluster, compiling, bundles, entries)


def _steps(
    cluster: str, compiling: Trials, bundles: Bundles, entries: list[Entry]
) -> Iterator[Step]:
    newest = entries[-1]
    try:
        base = compiling.compiled()
    except CommodoreError as error:
        yield Step(cluster, "", newest.version, error=error)
        return
    if base.sources.bundle is None:
        none = CommodoreError(
            f"cluster {cluster} includes no bundle",
            hint="let a class include one: `commodore bundle list` names them",
        )
        yield Step(cluster, "", newest.version, error=none)
        return
    found: dict[str, Trial | CommodoreError] = {}
    for one in entries:
        try:
            found[one.version] = compiling.with_bundle(bundles.bytes_of(one), base)
        except CommodoreError as error:
            found[one.version] = error
    pairs = [(old.version, new.version) for old, new in pairwise(entries)]
    if len(entries) > 2:  # noqa: PLR2004 - skipping a release is not the sum of two steps
        pairs.append((entries[0].version, newest.version))
    for old, new in pairs or [("", newest.version)]:
        yield _step(cluster, (old, new), found)


def _step(cluster: str, pair: tuple[str, str], found: Mapping[str, Trial | CommodoreError]) -> Step:
    old, new = pair
    before, after = found.get(old), found[new]
    for one in (before, after):
        if isinstance(one, CommodoreError):
            return Step(cluster, old, new, error=one)
    if before is None:
        return Step(cluster, old, new)
    assert not isinstance(before, CommodoreError)  # noqa: S101 - see above
    assert not isinstance(after, CommodoreError)  # noqa: S101 - see above
    diff = graded(before, after)
    return Step(cluster, old, new, worst(diff), counts(diff), _reason(diff))


def worst(diff: ObjectDiff) -> str:
    """The worst grade of all changes."""
    grades = {change.grade for change in diff.objects}
    return next((grade for grade in GRADES if grade in grades), "none")


def counts(diff: ObjectDiff) -> dict[str, int]:
    """How many objects change with each grade, the worst first."""
    found = Counter(change.grade for change in diff.objects)
    return {grade: found[grade] for grade in GRADES if found[grade]}


def is_worse(grade: str, limit: str) -> bool:
    """Whether a grade is above a limit."""
    return GRADES.index(grade) < GRADES.index(limit)


def _reason(diff: ObjectDiff) -> str:
    grade = worst(diff)
    for change in diff.objects:
        if change.grade == grade != "none":
            reasons = (change.reason, *(f.reason for f in change.fields if f.grade == grade))
            why = next(filter(None, reasons), "")
            return f"{change.what} {change.id}" + (f": {why}" if why else "")
    return ""
