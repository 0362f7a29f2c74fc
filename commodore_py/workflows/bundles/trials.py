"""Compile clusters with another bundle, all else being equal, and what that proves."""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from commodore_py.catalog.diff.change import change_between
from commodore_py.catalog.diff.objects import object_diff
from commodore_py.dependencies.bundles.in_use import class_file, deviations_from
from commodore_py.dependencies.bundles.index import CLASSES
from commodore_py.dependencies.fetch import fetcher
from commodore_py.dependencies.lock.document import Lock
from commodore_py.dependencies.lock.file import LockFile
from commodore_py.dependencies.lock.run import LockedRun
from commodore_py.dependencies.lock.state import LockSettings
from commodore_py.errors import CommodoreError
from commodore_py.lieutenant.clusters import load_cluster
from commodore_py.model.catalog import Deviation
from commodore_py.model.dependency import Kind
from commodore_py.model.difference import GRADES
from commodore_py.model.inventory import BOOTSTRAP
from commodore_py.workflows.dry_run import elsewhere, errors_only
from commodore_py.workflows.lock.resolve import compiled

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from commodore_py.catalog.diff.objects import ObjectDiff
    from commodore_py.config import Config
    from commodore_py.dependencies.bundles.content import Content, Key
    from commodore_py.dependencies.bundles.index import Entry
    from commodore_py.model.cluster import Cluster
    from commodore_py.model.dependency import Dependency, DependencySpec, Fetch
    from commodore_py.model.stages import Rendered, Sources

    from .checkout import Bundles

_ENTRY = "commodore.yml"
_OWN_ENTRY = "commodore-without-bundle"
ADDED = "bundle-on-trial"
"""The name of the class that is tried as a bundle."""


@dataclass(frozen=True, slots=True)
class Trial:
    """A compile that was only tried."""

    sources: Sources
    rendered: Rendered
    lock: Lock


class Trials:
    """Compiles of one cluster; what floats is resolved once for all of them."""

    def __init__(self, config: Config, cluster: Cluster) -> None:
        self._config, self._cluster = config, cluster
        self._lock = Lock()

    def compiled(self, files: Mapping[tuple[Kind, str], bytes] | None = None) -> Trial:
        """Compile with other contents of class files, by repository and path there."""
        name = "inputs of the trial"
        file = LockFile(Path(name), "", self._lock)
        run = LockedRun(file, LockSettings(name), write=False)
        with _with_contents(fetcher(self._config), files or {}) as fetch:
            sources, rendered = compiled(
                self._config, self._cluster.id, run, self._cluster, fetch=fetch
            )
        self._lock = run.result()
        return Trial(sources, rendered, self._lock)

    def with_bundle(self, content: bytes, base: Trial) -> Trial:
        """Compile with a bundle in place of the one that the cluster includes, if it does."""
        bundle = base.sources.bundle
        folder = next(
            dependency.directory for dependency in base.sources.classes.of_kind(Kind.GLOBAL)
        )
        if bundle is not None:
            name = bundle.class_name.removeprefix(CLASSES)
            path = class_file(folder, name).relative_to(folder)
            return self.compiled({(Kind.GLOBAL, str(path)): content})
        if not (folder / _ENTRY).is_file():
            raise CommodoreError(
                f"cluster {self._cluster.id} includes no bundle, and {_ENTRY} is missing",
                where=str(folder),
            )
        # As the first class, where a cluster includes its bundle.
        entry = f"classes:\n  - .bundles.{ADDED}\n  - .{_OWN_ENTRY}\n".encode()
        return self.compiled(
            {
                (Kind.GLOBAL, f"bundles/{ADDED}.yml"): content,
                (Kind.GLOBAL, f"{_OWN_ENTRY}.yml"): (folder / _ENTRY).read_bytes(),
                (Kind.GLOBAL, _ENTRY): entry,
            }
        )


@contextmanager
def trials(config: Config, cluster_id: str) -> Iterator[Trials]:
    """Compiles in a folder of their own: nothing of the working directory is used or changed."""
    cluster = load_cluster(config, cluster_id)
    with elsewhere(config) as scratch, errors_only():
        settings = replace(scratch, strict=False, dry_run=False, lock_file=None)
        yield Trials(settings, cluster)


def graded(before: Trial, after: Trial) -> ObjectDiff:
    """Compare both; rules hide nothing."""
    return object_diff(change_between(before.rendered.catalog, after.rendered.catalog))


@contextmanager
def _with_contents(fetch: Fetch, files: Mapping[tuple[Kind, str], bytes]) -> Iterator[Fetch]:
    """A fetcher that writes other contents of class files into what it fetches.

    They are restored afterwards: the next run starts from checkouts without local work.
    """
    before: dict[Path, bytes | None] = {}

    def put(file: Path, content: bytes) -> None:
        before.setdefault(file, file.read_bytes() if file.is_file() else None)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)

    def with_contents(specs: Iterable[DependencySpec]) -> tuple[Dependency, ...]:
        dependencies = fetch(specs)
        for dependency in dependencies:
            for (kind, path), content in files.items():
                if dependency.spec.kind is kind:
                    put(dependency.directory / path, content)
        return dependencies

    try:
        yield with_contents
    finally:
        for file, content in before.items():
            if content is None:
                file.unlink(missing_ok=True)
            else:
                file.write_bytes(content)


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
