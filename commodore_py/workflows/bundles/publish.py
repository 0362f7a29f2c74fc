"""Publish a version: take versions from locks or clusters, try them, and commit the class."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from commodore_py import __version__
from commodore_py.adapters import yaml
from commodore_py.adapters.yaml import splice
from commodore_py.dependencies.bundles.content import Key, Pinned, content_of, digest_of
from commodore_py.dependencies.bundles.index import (
    FILE,
    FOLDER,
    SCHEMA,
    file_name_of,
    parse,
    problem_of,
)
from commodore_py.dependencies.git.revisions import is_commit
from commodore_py.errors import CommodoreError, UsageError, doing, raise_collected
from commodore_py.workflows.lock.names import is_floating

from .checkout import commit
from .trials import Tested, steps_to, tested_by, trials

if TYPE_CHECKING:
    from collections.abc import Mapping

    from commodore_py.config import Config
    from commodore_py.dependencies.bundles.index import Order
    from commodore_py.dependencies.lock.document import Lock

    from .checkout import Bundles
    from .trials import Step

_KINDS = {"component": "components", "package": "packages"}
_FIRST_YEAR = 2000
_STEPS = 2
"""From how many versions before the step is graded."""
_TOOL = f"# Published by commodore {__version__}: never edited; a change is another version.\n"


@dataclass(frozen=True, slots=True)
class Published:
    """A version that was published."""

    version: str
    file: str
    commit: str
    entries: Mapping[Key, Pinned]
    tested: tuple[Tested, ...]
    steps: tuple[Step, ...] = ()

    @property
    def untested(self) -> tuple[Key, ...]:
        """Components that no test cluster deploys as published."""
        return tuple(
            sorted(self.entries.keys() - {key for trial in self.tested for key in trial.used})
        )


def publish(
    config: Config,
    bundles: Bundles,
    version: str,
    *,
    locks: Mapping[str, Lock],
    clusters: tuple[str, ...],
    changes: Mapping[str, str],
    tests: tuple[str, ...],
    push: bool,
) -> Published:
    """Compile all test clusters with a new version; if they compile, commit it.

    Versions are taken from locks by their files' names, and from clusters; `changes` are versions
    by name that win over all others.
    """
    order = _order_of(bundles, version)
    name = _free_name(bundles, version, order)
    tests = tests or bundles.index.test_clusters or clusters
    tests = tests or tuple(lock.cluster for lock in locks.values())
    deployed = {cluster: _lock_of(config, cluster) for cluster in clusters}
    entries = _entries(bundles, {**locks, **deployed}, changes)
    steps: list[Step] = []
    tested: list[Tested] = []
    for cluster in tests:
        with trials(config, cluster) as compiling:
            with doing(f"testing bundle {version} with cluster {cluster}"):
                base = compiling.compiled()
                tried = compiling.with_bundle(_text(entries), base)
            tested.append(tested_by(tried, entries, version))
            previous = bundles.index.before(version, order, _STEPS)
            steps += steps_to(tried, base, bundles, previous, compiling)
        entries = {**entries, **_as_tried(entries, tried.lock)}
    text = _text(entries)
    file = f"{FOLDER}/{name}.yml"
    entry: dict[str, object] = {"version": version, "class": name, "sha256": digest_of(text)}
    commits = {key[1]: pinned.commit for key, pinned in sorted(entries.items()) if pinned.commit}
    entry |= {"commits": commits} if commits else {}
    files = {file: text, FILE: _with_entry(bundles, order, entry)}
    made = commit(bundles, files, f"Publish bundle {version}", push=push)
    return Published(version, file, made, entries, tuple(tested), tuple(steps))


def _order_of(bundles: Bundles, version: str) -> Order:
    """The order of the index; of a new one, what the first version looks like."""
    if bundles.text:
        return bundles.index.order
    first = version.split(".", maxsplit=1)[0].split("-", maxsplit=1)[0]
    if first.isdigit() and int(first) >= _FIRST_YEAR:
        return "calver"
    return "listed" if problem_of(version, "semver") else "semver"


def _free_name(bundles: Bundles, version: str, order: Order) -> str:
    name = file_name_of(version)
    problem = problem_of(version, order)
    if problem or not name.replace("-", "").replace("_", "").isalnum():
        raise UsageError(f"{version!r} {problem or 'cannot be the name of a file'}")
    for entry in bundles.index.entries:
        if entry.version == version:
            raise CommodoreError(
                f"bundle {version} exists",
                where=str(bundles.folder / FILE),
                hint="a published version never changes: publish another one",
            )
    file = bundles.folder / FOLDER / f"{name}.yml"
    if file.exists() or file.with_suffix(".yaml").exists():
        other = next((o.version for o in bundles.index.entries if o.name == name), "")
        raise CommodoreError(
            f"the file of bundle {version} exists" + (f": it is that of {other}" if other else ""),
            where=str(file),
        )
    return name


def _lock_of(config: Config, cluster: str) -> Lock:
    with trials(config, cluster) as compiling:
        return compiling.compiled().lock


def _entries(
    bundles: Bundles, locks: Mapping[str, Lock], changes: Mapping[str, str]
) -> dict[Key, Pinned]:
    """Common versions of locks, with these changes; without locks, the newest version's."""
    entries: dict[Key, Pinned] = {}
    origins: dict[Key, dict[Pinned, list[str]]] = {}
    for name, lock in locks.items():
        for key, pinned in _in_lock(lock).items():
            origins.setdefault(key, {}).setdefault(pinned, []).append(name)
    if not locks and (published := bundles.index.sorted()):
        entries |= bundles.content(published[-1])
    conflicts = []
    for key, choices in sorted(origins.items()):
        entries[key] = next(iter(choices))
        if len(choices) > 1 and key[1] not in changes:
            each = "; ".join(
                f"{choice.version} in {', '.join(names)}" for choice, names in choices.items()
            )
            conflicts.append(
                CommodoreError(f"{key[1]}: {each}", hint=f"decide by --set {key[1]}=VERSION")
            )
    raise_collected(conflicts, "the versions to publish differ")
    for name, version in changes.items():
        keys = [key for key in entries if key[1] == name]
        if not keys:
            raise UsageError(f"--set {name}: there is no such component or package to publish")
        entries |= {
            key: replace(entries[key], version=version, commit="", branch="") for key in keys
        }
    if not entries:
        raise UsageError(
            "nothing to publish",
            hint="take versions from --lock FILE or --cluster ID",
        )
    return entries


def _in_lock(lock: Lock) -> dict[Key, Pinned]:
    """Components and packages of a lock: tags stay, a branch becomes its commit."""
    pins = {}
    for path, block in sorted(lock.blocks.items()):
        if path[0] not in _KINDS:
            continue
        commit_, requested = block.text("commit"), block.text("requested")
        pinned = Pinned(block.text("url"), requested, block.text("path"))
        if is_floating(path, block) or not requested:
            pinned = replace(pinned, version=commit_, branch=block.text("version") or requested)
        elif not is_commit(requested):
            pinned = replace(pinned, commit=commit_)
        pins[_KINDS[path[0]], path[1]] = pinned
    return pins


def _as_tried(entries: Mapping[Key, Pinned], lock: Lock) -> dict[Key, Pinned]:
    """Commits of tags, and of branches that were requested, as resolved by the trial."""
    tried = _in_lock(lock)
    return {
        key: replace(
            pinned, version=tried[key].version, commit=tried[key].commit, branch=tried[key].branch
        )
        for key, pinned in entries.items()
        if key in tried and not pinned.commit and not is_commit(pinned.version)
    }


def _text(entries: Mapping[Key, Pinned]) -> bytes:
    lines = [_TOOL, "parameters:\n"]
    for kind in ("components", "packages"):
        names = sorted(name for entry_kind, name in entries if entry_kind == kind)
        lines += [f"  {kind}:\n"] if names else []
        for name in names:
            pinned = entries[kind, name]
            fields = {"url": pinned.url, "version": pinned.version, "path": pinned.path}
            for line in (
                yaml.dump({name: {k: v for k, v in fields.items() if v}}).decode().splitlines()
            ):
                beside = (
                    f" # branch {pinned.branch}" if pinned.branch and "version:" in line else ""
                )
                lines.append(f"    {line}{beside}\n")
    text = "".join(lines).encode()
    content_of(text, FOLDER)
    return text


def _with_entry(bundles: Bundles, order: Order, entry: dict[str, object]) -> bytes:
    if not bundles.text:
        index = {"bundles": [entry], "order": order, "schema": SCHEMA}
        text = yaml.dump({key: index[key] for key in ("schema", "order", "bundles")})
    else:
        text = splice.add(bundles.text, ("bundles",), [entry], name=FILE)
    parse(text, str(bundles.folder / FILE))
    return text
