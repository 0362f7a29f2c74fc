"""Make a lock, and update its inputs one at a time."""

from __future__ import annotations

import logging
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path as Folder
from typing import TYPE_CHECKING

from commodore_py import pipeline
from commodore_py.adapters.git.refs import RevisionNotFound, refs_of
from commodore_py.catalog.diff.change import change_between
from commodore_py.dependencies.downloads.chart_versions import best
from commodore_py.dependencies.git.revisions import find, is_commit
from commodore_py.dependencies.lock.commits import repository_of
from commodore_py.dependencies.lock.file import LockFile, check_writable
from commodore_py.dependencies.lock.git_pins import with_equal_requests
from commodore_py.dependencies.lock.place import OF_CLUSTER, file_of, short_name
from commodore_py.dependencies.lock.run import LockedRun, changes_between
from commodore_py.dependencies.lock.state import LockSettings
from commodore_py.dependencies.protection.own_folders import refuse_foreign_folder
from commodore_py.dependencies.protection.run_lock import exclusive_run
from commodore_py.errors import CommodoreError, UsageError
from commodore_py.model.published import LockUse
from commodore_py.problems.refuse import refuse
from commodore_py.workflows.dry_run import copied, messages_once

from .names import find_inputs, inputs_of, is_floating, name_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from commodore_py.config import Config
    from commodore_py.dependencies.lock.document import Lock, Path
    from commodore_py.model.catalog import Change
    from commodore_py.model.cluster import Cluster
    from commodore_py.model.dependency import Fetch
    from commodore_py.model.problem import Problem
    from commodore_py.model.spot import Places
    from commodore_py.model.stages import Rendered, Sources

log = logging.getLogger(__name__)

_KINDS = {"component": "components", "instance": "components", "package": "packages"}


@dataclass(frozen=True, slots=True)
class Outcome:
    """Result for a new lock file."""

    cluster: str
    changes: LockUse
    notices: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class Step:
    """The update of one input, and of what it brings with it."""

    name: str
    changes: LockUse
    before: str = ""
    after: str = ""
    change: Change | None = None
    """Of the catalog; None if nothing was compiled."""
    error: CommodoreError | None = None
    """Why it was dropped."""


def create(config: Config, cluster_id: str, file: Folder) -> Outcome:
    """Gather and render a cluster, and write its lock; the catalog is left alone."""
    place = file_of(file, cluster_id)
    if place.exists():
        locked = LockFile.read(place).lock.cluster
        if locked and locked != cluster_id:
            name = short_name(file_of(config.paths.root / OF_CLUSTER, cluster_id))
            raise UsageError(
                f"this is the lock of cluster {locked}, and not of {cluster_id}",
                where=short_name(place),
                hint=f"name another file: commodore lock create {cluster_id} --lock {name}",
            )
        raise UsageError(
            "the file exists",
            where=short_name(place),
            hint=LockSettings(short_name(place)).to_lock,
        )
    if place.parent == file_of(config.paths.root / OF_CLUSTER, cluster_id).parent.absolute():
        place.parent.mkdir(exist_ok=True)
    check_writable(place, config.paths)
    run = LockedRun(LockFile.read(place), LockSettings(short_name(place)))
    compiled(config, cluster_id, run)
    return Outcome(cluster_id, run.finish(), run.notices)


def update(
    config: Config, file: Folder, names: tuple[str, ...], *, to: str, dry_run: bool, compare: bool
) -> tuple[Step, ...]:
    """Resolve inputs again, one at a time, and compile after each; all other pins stay.

    Without `compare`, or where the lock does not compile as it is, they are resolved together.
    """
    read = of_cluster(file)
    paths = find_inputs(read.lock, names, short_name(file)) or tuple(
        path for path, block in sorted(inputs_of(read.lock).items()) if is_floating(path, block)
    )
    if not dry_run:
        check_writable(file, config.paths)
    with copied(config) as scratch, messages_once():
        steps, lock = _updated(scratch, read, paths, to=to, compare=compare)
    if not dry_run:
        read.write(lock)
    return steps


def _updated(
    config: Config, read: LockFile, paths: Collection[Path], *, to: str, compare: bool
) -> tuple[tuple[Step, ...], Lock]:
    cluster, name = read.lock.cluster, short_name(read.file)
    if not (compare or to):
        return _together(config, read, paths)
    run = LockedRun(read, LockSettings(name), write=False)
    try:
        sources, rendered = compiled(config, cluster, run)
    except UsageError:
        raise
    except CommodoreError as error:
        if to:
            raise
        # What is locked may be gone: its update is the remedy.
        log.warning("what is locked does not compile, nothing can be compared: %s", error)
        return _together(config, read, paths)
    lock, steps = run.result(), list[Step]()
    unmoved = _unmoved(config, read, lock, paths) if len(paths) > 1 and not to else frozenset()
    done: set[Path] = set()
    for path in paths:
        before = lock.blocks.get(path)
        if path in done or before is None:
            continue
        if path in unmoved:
            done |= with_equal_requests(lock, (path,))
            no_change = change_between(rendered.catalog, rendered.catalog)
            pin = shown(lock, path)
            steps.append(Step(name_of(path), LockUse(), pin, pin, no_change))
            continue
        renewed = frozenset() if to else frozenset({path})
        try:
            started = _pointed(config, lock, path, to, sources.places) if to else lock
            step_run = _renewing(read, started, renewed)
            done |= step_run.state.settings.renewed  # equal requests move together
            _, after = compiled(config, cluster, step_run)
        except UsageError:
            raise
        except CommodoreError as error:
            steps.append(Step(name_of(path), LockUse(), error=error))
            continue
        result = step_run.result()
        change = replace(change_between(rendered.catalog, after.catalog), rules=after.rules)
        changes = changes_between(lock, result)
        steps.append(Step(name_of(path), changes, shown(lock, path), shown(result, path), change))
        lock, rendered = result, after
    return tuple(steps), lock


def _unmoved(
    config: Config, read: LockFile, lock: Lock, paths: Collection[Path]
) -> frozenset[Path]:
    """The inputs that keep their pins if all are resolved: usually most of them.

    They need no compile of their own; none are known where not everything can be resolved.
    """
    try:
        resolved = _resolved(config, read, lock, paths)
    except UsageError:
        raise
    except CommodoreError:  # reported with the input that causes it
        return frozenset()
    before, after = lock.content(), resolved.content()
    moved = {path for path in paths if before.get(path) != after.get(path)}
    return frozenset(
        path
        for path in paths
        if path in before and moved.isdisjoint(with_equal_requests(lock, (path,)))
    )


def _together(
    config: Config, read: LockFile, paths: Iterable[Path]
) -> tuple[tuple[Step, ...], Lock]:
    """Resolve inputs in one run; what else this changes belongs to the first."""
    before, after = read.lock, _resolved(config, read, read.lock, paths)
    names = {name_of(path): path for path in paths}
    changes = changes_between(before, after)
    steps = []
    for number, (name, path) in enumerate(names.items()):
        added, changed, removed = (
            tuple(
                moved for moved in names_of_kind if moved == name or not (number or moved in names)
            )
            for names_of_kind in (changes.added, changes.changed, changes.removed)
        )
        mine = LockUse(added=added, changed=changed, removed=removed)
        steps.append(Step(name, mine, shown(before, path), shown(after, path)))
    return tuple(steps), after


def _resolved(config: Config, read: LockFile, lock: Lock, paths: Iterable[Path]) -> Lock:
    """The lock after one compile that resolves inputs again."""
    run = _renewing(read, lock, frozenset(paths))
    compiled(config, lock.cluster, run)
    return run.result()


def _renewing(read: LockFile, lock: Lock, renewed: frozenset[Path]) -> LockedRun:
    file = LockFile(read.file, read.text, lock)
    return LockedRun(file, LockSettings(str(read.file), renewed=renewed), write=False)


def shown(lock: Lock, path: Path) -> str:
    """A pin in one word or two."""
    block = lock.blocks.get(path)
    if block is None:
        return ""
    version, commit = block.text("version"), block.text("commit")
    digest = block.text("digest") or block.text("sum")
    if commit:
        return f"{version} {commit[:12]}".strip()
    return version if path[0] == "chart" else f"{version} {digest[:19]}".strip()


def _pointed(config: Config, lock: Lock, path: Path, to: str, places: Places) -> Lock:
    """The lock with another version of an input, if its request allows that."""
    block = lock.blocks[path]
    if path[0] == "chart":
        requested = path[1].rpartition("@")[2]
        if best(requested, [to]) is None:
            raise _not_allowed(path, requested, to, "")
        values = {"version": to, "sum": ""}
    elif block.text("commit") and path[0] not in ("repository", "base"):
        requested, where = block.text("requested"), ""
        if path[0] in _KINDS:
            where = places.parameter("cluster", (_KINDS[path[0]], path[1], "version"))
        commit = to if is_commit(to) else _commit_of(config, lock, path, to)
        if not commit or is_commit(requested) or (not block.hint and requested != to):
            raise _not_allowed(path, requested, to, where)
        values = {"commit": commit, "tree": ""}
    else:
        raise UsageError(f"--to cannot be used with {name_of(path)}", hint="omit it")
    return replace(lock, blocks={**lock.blocks, path: block.with_values(**values)})


def _commit_of(config: Config, lock: Lock, path: Path, version: str) -> str:
    _, folder = repository_of(lock, path, config.paths)
    try:
        return find(folder, refs_of(folder), version, prefer="tag").commit
    except RevisionNotFound:
        return ""


def _not_allowed(path: Path, requested: str, to: str, where: str) -> UsageError:
    return UsageError(
        f"{name_of(path)}: {to} is not what is requested: {requested or 'the default branch'}",
        where=where,
        hint="a lock never overrides the configuration: edit the version there",
    )


def existing(file: Folder) -> LockFile:
    """A lock file that must be there."""
    read = LockFile.read(file)
    if not read.exists:
        raise UsageError(
            "there is no lock file",
            where=short_name(file),
            hint="commodore lock create CLUSTER --lock FILE",
        )
    return read


def of_cluster(file: Folder) -> LockFile:
    """The lock file of a cluster, which must be there."""
    read = existing(file)
    if not read.lock.cluster:
        raise CommodoreError(
            "the lock file names no cluster",
            where=short_name(file),
            hint="that of a component or package is written by `component test --lock` or `package"
            " test --lock`; to lock an input again, remove its block",
        )
    return read


def compiled(
    config: Config,
    cluster_id: str,
    run: LockedRun,
    cluster: Cluster | None = None,
    *,
    fetch: Fetch | None = None,
) -> tuple[Sources, Rendered]:
    """Gather and render with a lock; the catalog's checkout is left as it is."""
    refuse_foreign_folder(config.paths)
    with exclusive_run(config.paths), tempfile.TemporaryDirectory() as folder:
        scratch_config = replace(config, output_dir=Folder(folder) / "catalog")
        sources = pipeline.gather(scratch_config, cluster_id, cluster, run, fetch=fetch)
        rendered = pipeline.render(scratch_config, sources, run)
    refuse((*rendered.notices, *sources.notices), strict=config.strict)
    return sources, rendered
