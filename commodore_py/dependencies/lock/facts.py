"""The lock of a cluster itself: its facts as values, its repositories as requests."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from commodore_py.adapters.masking import without_secrets
from commodore_py.errors import CommodoreError, UsageError
from commodore_py.model.cluster import NOT_TENANTS, Cluster, RepositoryRef
from commodore_py.model.names import problem_of_path

from .document import KEYS, Block

if TYPE_CHECKING:
    from collections.abc import Callable

    from .document import Lock, Path
    from .state import LockState

_FACTS = ("facts", "dynamic_facts")
KINDS = ("cluster", *_FACTS)
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
_REQUESTS = ("tenant", "catalog_url")
_NAMES = ("display_name", "tenant_display_name")
# What a TOML string of ours holds as it is; all else is written as JSON.
_PLAIN = re.compile(r"[^\ud800-\udfff]*")


def blocks_of(cluster: Cluster) -> dict[Path, dict[str, Any]]:
    """The blocks of a cluster."""
    identity = {key: getattr(cluster, key) for key in KEYS["cluster"]}
    blocks: dict[Path, dict[str, Any]] = {("cluster",): identity}
    for kind in _FACTS:
        facts = getattr(cluster, kind)
        if facts:
            blocks[kind,] = _written(facts)
    return blocks


def is_digest(block: Block) -> bool:
    """Return whether only the digest of facts is locked."""
    return block.values.keys() == {"digest"} and bool(_DIGEST.fullmatch(block.text("digest")))


def facts_in(block: Block | None) -> dict[str, Any]:
    """The facts of a block."""
    return {} if block is None else {key: _read(key, value) for key, value in block.values.items()}


def digest_of(facts: Mapping[str, Any]) -> str:
    """The digest of facts, whatever their order."""
    text = json.dumps(facts, sort_keys=True, default=dict).encode()
    return f"sha256:{hashlib.sha256(text).hexdigest()}"


def names_in(block: Block | None) -> dict[str, str]:
    """The names of a cluster and its tenant in a block."""
    return {name: block.text(name) if block is not None else "" for name in _NAMES}


def differing(cluster: Cluster, kind: str, block: Block | None) -> list[str]:
    """The keys of facts of a kind, or the names, that are not what is locked."""
    if kind == "cluster":
        locked: Mapping[str, Any] = names_in(block)
        current = {name: getattr(cluster, name) or "" for name in _NAMES}
    else:
        locked = facts_in(block)
        current = {str(key): _normal_value(fact) for key, fact in getattr(cluster, kind).items()}
    return sorted(
        key
        for key in locked.keys() | current.keys()
        if (key in locked, locked.get(key)) != (key in current, current.get(key))
    )


def changed_requests(cluster: Cluster, lock: Lock) -> list[str]:
    """Describe differences between a cluster and its lock."""
    block = lock.blocks.get(("cluster",))
    if block is None:
        return ["it is not locked"]
    return [
        f"{name} is {getattr(cluster, name)}, {block.text(name) or 'none'} is locked"
        for name in _REQUESTS
        if block.text(name) != getattr(cluster, name)
    ]


def with_locked_values(cluster: Cluster, lock: Lock) -> Cluster:
    """The cluster with the facts and names that are locked."""
    values: dict[str, Any] = {**names_in(lock.blocks.get(("cluster",)))}
    for kind in _FACTS:
        facts = lock.blocks.get((kind,))
        if facts is None or not is_digest(facts):
            values[kind] = facts_in(facts)
    return replace(cluster, **values)


def tenant_of(lock: Lock) -> str:
    """The tenant of a lock, which is the name of a folder, too."""
    tenant = lock.blocks.get(("cluster",), Block({})).text("tenant")
    if tenant.lower() in ("", ".", "..", *NOT_TENANTS) or "/" in tenant or problem_of_path(tenant):
        raise CommodoreError(
            f"the tenant of the lock is not a valid name: {tenant!r}",
            hint="restore the file from Git",
        )
    return tenant


def cluster_in(lock: Lock, cluster_id: str) -> Cluster:
    """The cluster of a lock, where nothing else can be asked."""
    cluster_block = lock.blocks.get(("cluster",), Block({}))
    repositories = []
    for name in ("global", "tenant"):
        block = lock.blocks.get(("config", name), Block({}))
        repositories.append(RepositoryRef(block.text("url"), block.text("requested") or None))
    digests = [kind for kind in _FACTS if is_digest(lock.blocks.get((kind,), Block({})))]
    if digests:
        raise CommodoreError(
            f"only the digest of {' and '.join(digests)} is locked, and not their values",
            hint="compile without --offline, or with an export of the lock",
        )
    empty = Cluster(
        cluster_id,
        "",
        tenant_of(lock),
        "",
        cluster_block.text("catalog_url"),
        repositories[0],
        repositories[1],
    )
    return with_locked_values(empty, lock)


def _written(facts: Mapping[str, Any]) -> dict[str, Any]:
    written = {str(key): _value(str(key), value) for key, value in sorted(facts.items())}
    if is_digest(Block(written)):  # a fact of this name, and no digest of ours
        written["digest"] = {"json": json.dumps(written["digest"])}
    return written


def _value(key: str, value: Any) -> Any:  # noqa: ANN401 - a fact may be anything
    if isinstance(value, str) and _PLAIN.fullmatch(value):
        return value
    text = json.dumps(value, default=dict)
    if json.loads(text) != _normal_value(value):
        raise CommodoreError(f"fact {key} cannot be locked: it is not plain JSON")
    # In a literal string, these stand for themselves or are not allowed.
    return {"json": text.replace("'", "\\u0027").replace("\x7f", "\\u007f")}


def _read(key: str, value: Any) -> Any:  # noqa: ANN401 - as above
    try:
        if isinstance(value, Mapping) and value.keys() == {"json"}:
            return json.loads(str(value["json"]))
        json.dumps(value)
    except (TypeError, ValueError, RecursionError) as error:
        raise CommodoreError(
            f"fact {key} of the lock is neither a text nor valid JSON: {error}",
            hint="fix it, or remove the block and compile once without --frozen",
        ) from error
    return value


def _normal_value(value: Any) -> Any:  # noqa: ANN401 - as above
    return json.loads(json.dumps(value, default=dict))


def locked_cluster(state: LockState, cluster_id: str, load: Callable[[], Cluster]) -> Cluster:
    """The cluster of a run; an offline run does not load it.

    Names and facts are values, URLs and the tenant are requests.
    """
    lock, settings = state.lock, state.settings
    if settings.offline:
        for kind in KINDS:
            state.keep((kind,))
        return cluster_in(lock, cluster_id)
    now = load()
    shown = replace(now, catalog_url=without_secrets(now.catalog_url))
    blocks = blocks_of(shown)
    if ("cluster",) in lock.blocks:
        if settings.frozen:
            for why in changed_requests(shown, lock):
                state.refuse(f"cluster {now.id}", why)
        for kind in KINDS:
            if (kind,) not in settings.renewed:
                _use_locked(state, now, kind, blocks)
    elif settings.frozen:
        state.refuse(f"cluster {cluster_id}", "it is not locked")
        state.raise_changes()
    for path, values in blocks.items():
        state.record(path, values)
    # What comes back from a lock is what is compiled.
    return with_locked_values(now, replace(lock, blocks=state.recorded))


def _use_locked(
    state: LockState, now: Cluster, kind: str, blocks: dict[Path, dict[str, Any]]
) -> None:
    """Use the values that are locked in place of those of now, and report what differs."""
    block, what = state.lock.blocks.get((kind,)), kind.replace("_", " ")
    if block is not None and is_digest(block):
        if block.text("digest") != digest_of(getattr(now, kind)):
            text = f"{what} are not those whose digest is locked"
            if not state.settings.frozen:
                state.notice(f"{text}: they are used")
                return
            state.refuse(f"cluster {now.id}", text)
    elif names := differing(now, kind, block):
        state.drift += (f"{kind}/{name}" for name in names)
        state.notice(
            f"{what} of cluster {now.id} differ from what is locked, which is used:"
            f" {', '.join(names)}"
        )
    if kind == "cluster":
        blocks["cluster",] |= names_in(block)
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
