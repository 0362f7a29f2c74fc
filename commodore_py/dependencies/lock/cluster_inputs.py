"""The cluster of a locked run: facts as they are locked, and what differs as notices."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from commodore_py.adapters.masking import without_secrets
from commodore_py.errors import UsageError

from . import facts

if TYPE_CHECKING:
    from collections.abc import Callable

    from commodore_py.model.cluster import Cluster

    from .document import Lock
    from .state import LockState

_BLOCKS = ("cluster", "facts", "dynamic_facts")


def locked_cluster(state: LockState, cluster_id: str, load: Callable[[], Cluster]) -> Cluster:
    """The cluster of a run; an offline run does not load it."""
    lock, settings = state.lock, state.settings
    if settings.offline:
        for kind in _BLOCKS:
            state.keep((kind,))
        return facts.cluster_in(lock, cluster_id)
    now = load()
    renewed = {path[0] for path in settings.renewed}
    if ("cluster",) not in lock.blocks:
        if settings.frozen:
            state.refuse(f"cluster {cluster_id}", "it is not locked")
            state.raise_changes()
        return _recorded(state, now, kinds=_BLOCKS)
    _refuse_requests(state, now)
    current = _with_drift(state, now, renewed)
    # Names and facts are values, URLs are requests.
    cluster = lock.blocks["cluster",]
    values_now = facts.blocks_of(current)["cluster",]
    values = {**cluster.values, **values_now, "catalog_url": without_secrets(current.catalog_url)}
    state.record(("cluster",), values)
    return current


def _refuse_requests(state: LockState, now: Cluster) -> None:
    changed = facts.changed_requests(
        replace(now, catalog_url=without_secrets(now.catalog_url)), state.lock
    )
    if state.settings.frozen:
        for why in changed:
            state.refuse(f"cluster {now.id}", why)


def _with_drift(state: LockState, now: Cluster, renewed: set[str]) -> Cluster:
    """The locked facts, except those that are to be renewed; others are notices."""
    drift = {
        kind: names
        for kind, names in facts.differing(now, state.lock).items()
        if kind not in renewed
    }
    renewing = {kind for kind in _BLOCKS if kind in renewed}
    for kind, names in drift.items():
        block = state.lock.blocks.get((kind,))
        if block is not None and facts.is_digest(block):
            text = f"{kind.replace('_', ' ')} are not those whose digest is locked"
            if state.settings.frozen:
                state.refuse(f"cluster {now.id}", text)
            else:
                state.notice(f"{text}: they are used")
                renewing.add(kind)
        else:
            what = kind.replace("_", " ")
            state.drift += (f"{kind}/{name}" for name in names)
            state.notice(
                f"{what} of cluster {now.id} differ from what is locked, which is used:"
                f" {', '.join(names)}"
            )
    for kind in ("facts", "dynamic_facts"):
        if kind not in renewing:
            state.keep((kind,))
    as_locked = facts.with_locked_values(now, state.lock)
    renewed_now = {kind: getattr(now, kind) for kind in renewing if kind != "cluster"}
    if "cluster" in renewing:
        renewed_now |= {
            name: getattr(now, name) for name in ("display_name", "tenant_display_name")
        }
    result = replace(as_locked, **renewed_now)
    if renewing:
        _recorded(state, result, kinds=tuple(renewing))
    return result


def _recorded(state: LockState, cluster: Cluster, *, kinds: tuple[str, ...]) -> Cluster:
    """Note everything about a cluster; what comes back from a lock is what is compiled."""
    shown = replace(cluster, catalog_url=without_secrets(cluster.catalog_url))
    for path, values in facts.blocks_of(shown).items():
        if path[0] in kinds:
            block = state.lock.blocks.get(path)
            order = tuple(block.values) if block is not None and path[0] != "cluster" else ()
            state.record(path, values, order=order)
    made = replace(state.lock, blocks=state.recorded)
    recorded = facts.with_locked_values(cluster, made)
    others = {
        kind: getattr(cluster, kind) for kind in ("facts", "dynamic_facts") if kind not in kinds
    }
    return replace(recorded, **others)


def refuse_other_cluster(lock: Lock, cluster_id: str, name: str) -> None:
    """Refuse the lock of another cluster, or of a component or package by itself."""
    locked = lock.cluster
    if not locked and lock.blocks:
        raise UsageError(
            f"this lock names no cluster, and is not that of {cluster_id}",
            where=name,
            hint="name another file: this one is of a component or package by itself",
        )
    if locked and locked != cluster_id:
        raise UsageError(
            f"this is the lock of cluster {locked}, and not of {cluster_id}",
            where=name,
            hint="one file for each cluster: `--lock 'locks/{cluster}.lock'`",
        )
