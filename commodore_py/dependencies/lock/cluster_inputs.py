"""The cluster of a locked run: facts as they are locked, and what differs as notices."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from commodore_py.adapters.masking import without_secrets
from commodore_py.errors import UsageError

from . import facts

if TYPE_CHECKING:
    from collections.abc import Callable

    from commodore_py.model.cluster import Cluster

    from .document import Lock, Path
    from .state import LockState


def locked_cluster(state: LockState, cluster_id: str, load: Callable[[], Cluster]) -> Cluster:
    """The cluster of a run; an offline run does not load it.

    Names and facts are values, URLs and the tenant are requests.
    """
    lock, settings = state.lock, state.settings
    if settings.offline:
        for kind in facts.KINDS:
            state.keep((kind,))
        return facts.cluster_in(lock, cluster_id)
    now = load()
    shown = replace(now, catalog_url=without_secrets(now.catalog_url))
    blocks = facts.blocks_of(shown)
    if ("cluster",) in lock.blocks:
        if settings.frozen:
            for why in facts.changed_requests(shown, lock):
                state.refuse(f"cluster {now.id}", why)
        for kind in facts.KINDS:
            if (kind,) not in settings.renewed:
                _use_locked(state, now, kind, blocks)
    elif settings.frozen:
        state.refuse(f"cluster {cluster_id}", "it is not locked")
        state.raise_changes()
    for path, values in blocks.items():
        state.record(path, values)
    # What comes back from a lock is what is compiled.
    return facts.with_locked_values(now, replace(lock, blocks=state.recorded))


def _use_locked(
    state: LockState, now: Cluster, kind: str, blocks: dict[Path, dict[str, Any]]
) -> None:
    """Use the values that are locked in place of those of now, and report what differs."""
    block, what = state.lock.blocks.get((kind,)), kind.replace("_", " ")
    if block is not None and facts.is_digest(block):
        if block.text("digest") != facts.digest_of(getattr(now, kind)):
            text = f"{what} are not those whose digest is locked"
            if not state.settings.frozen:
                state.notice(f"{text}: they are used")
                return
            state.refuse(f"cluster {now.id}", text)
    elif names := facts.differing(now, kind, block):
        state.drift += (f"{kind}/{name}" for name in names)
        state.notice(
            f"{what} of cluster {now.id} differ from what is locked, which is used:"
            f" {', '.join(names)}"
        )
    if kind == "cluster":
        blocks["cluster",] |= facts.names_in(block)
    else:
        blocks.pop((kind,), None)
        state.keep((kind,))


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
