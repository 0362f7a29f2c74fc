"""Reconciling: clusters whose inputs have moved are compiled and pushed, again after failures.

It is triggered by levels, not by edges: a round compares what remotes have with what was pushed
last. A webhook only has the next round begin now.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import logging
import time
from typing import TYPE_CHECKING, Any, Literal

from fastapi import HTTPException

from commodore_py.adapters import git_urls, json_text
from commodore_py.errors import CommodoreError

from .settings import RECONCILER
from .state import Condition

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from .daemon import Daemon
    from .state import Record

log = logging.getLogger(__name__)

_GATE_SECONDS = 300.0


class Reconciler:
    """The loop, and what wakes it."""

    def __init__(self, daemon: Daemon) -> None:
        self._daemon = daemon
        self._looked = float("-inf")
        self._gates: list[dict[str, Any]] = []
        if not daemon.settings.reconciles:  # nothing would keep it true
            for about in daemon.state.clusters.values():
                about.conditions = [old for old in about.conditions if old.type != "Synced"]
                about.failures = 0

    async def run(self) -> None:
        """Work until the daemon stops."""
        if not self._daemon.settings.reconciles:
            return
        while not self._daemon.jobs.stopping.is_set():
            self._daemon.wake.clear()
            pause = self._daemon.settings.poll
            try:
                pause = await self._round()
            except CommodoreError as error:  # the next round tries again
                log.warning("reconciling: %s", error)
            except Exception:  # as above: one cluster must not end it for all
                log.exception("reconciling")
            try:
                await asyncio.wait_for(self._daemon.wake.wait(), pause)
            except TimeoutError:
                continue

    async def hook(self, headers: Mapping[str, str], body: bytes) -> list[str]:
        """The clusters that a push affects, as a code host reports it; they are looked at now."""
        _check_signature(self._daemon.settings.hook_secret, headers, body)
        keys = set(_keys_in(body))
        affected = []
        for name, listed in (await self._daemon.listing.get()).items():
            if keys & {_key(used.url) for used in self._daemon.record(listed).inputs.values()}:
                affected.append(name)
        if affected:
            self._looked = float("-inf")
            self._daemon.wake.set()
        return affected

    async def _round(self) -> float:
        """Compare all clusters and push those that are due; return the seconds to wait then."""
        daemon, now = self._daemon, time.time()
        config, poll, states = daemon.settings.config, daemon.settings.poll, daemon.state.clusters
        if time.monotonic() - self._looked >= poll:
            self._looked = time.monotonic()  # before: a webhook in between asks for another look
            daemon.listing.forget()
            daemon.heads.forget()
            self._gates = await daemon.jobs.read("compiling.gates", config, seconds=_GATE_SECONDS)
        heads = await daemon.heads.get()
        stale: dict[str, Condition] = {}
        due: list[tuple[int, str, str]] = []
        for name, listed in (await daemon.listing.get()).items():
            moved = daemon.moved(listed, heads)
            record, about = daemon.record(listed), daemon.state.cluster(name)
            digest = hashlib.sha256(json.dumps(moved, default=str).encode()).hexdigest()
            if about.moved != digest:  # another state than the one that failed
                about.moved, about.failures, about.retry_at = digest, 0, 0
            if moved or not record.inputs or about.failures:
                stale[name] = _synced("False", *_why(moved, record))
                if now >= about.retry_at:
                    due.append((about.failures, record.time, name))
            elif daemon.is_known(listed, heads):
                about.set(_synced("True", "UpToDate"))
            else:
                about.set(_synced("Unknown", "Unreachable", "a remote was never read"))
        held = await self._held(stale.keys(), {name for *_, name in due})
        for name, condition in (stale | held).items():
            daemon.state.cluster(name).set(condition)
        self._push(due, held)
        daemon.state.save(config.paths)
        # Clusters that wait for a worker are no reason: the end of a job begins a round.
        pauses = [about.retry_at - now for about in states.values() if about.retry_at > now]
        return max(0.2, min([self._looked + poll - time.monotonic(), *pauses]))

    async def _held(self, stale: Collection[str], due: set[str]) -> dict[str, Condition]:
        """The clusters that wait for an earlier stage to be pushed and healthy."""
        held: dict[str, Condition] = {}
        for gate in self._gates:
            waiting = due & set(gate["later"]) - held.keys()
            if not waiting:
                continue
            why = ", ".join(name for name in gate["members"] if name in stale)
            if not why:
                config, members = self._daemon.settings.config, gate["members"]
                why = gate.get("why") or await self._daemon.jobs.read(
                    "compiling.unhealthy", config, members, live=True
                )
            if why:
                stage = gate["stage"]
                message = f"stage {stage} comes first: {why}" if stage else why
                held |= dict.fromkeys(waiting, _synced("False", "Waiting", message))
        return held

    def _push(self, due: list[tuple[int, str, str]], held: Collection[str]) -> None:
        """Push as many as there is room for: what never failed, then what was pushed long ago."""
        jobs = self._daemon.jobs
        pushes = (job for job in jobs.all.values() if job.by == RECONCILER)
        at_work = {job.cluster for job in pushes if not job.is_over}
        room = 2 * self._daemon.settings.workers - len(at_work)
        names = [name for *_, name in sorted(due) if name not in at_work and name not in held]
        for name in names[: max(0, room)]:
            try:
                jobs.submit("push", name, RECONCILER)
            except CommodoreError:  # the queue is full
                break


def _synced(
    status: Literal["True", "False", "Unknown"], reason: str, message: str = ""
) -> Condition:
    return Condition(type="Synced", status=status, reason=reason, message=message)


def _why(moved: list[dict[str, Any]], record: Record) -> tuple[str, str]:
    """The reason for a cluster that is not synced."""
    if not record.inputs:
        return "NeverPushed", "no pushed compile is known"
    if moved:
        return "Outdated", ", ".join(entry["input"] for entry in moved)
    return "Failed", "the last push failed"


def _check_signature(secret: str, headers: Mapping[str, str], body: bytes) -> None:
    """Refuse what the holder of the secret has not sent."""
    digest = f"sha256={hmac.new(secret.encode(), body, 'sha256').hexdigest()}"
    for name, expected in (("x-hub-signature-256", digest), ("x-gitlab-token", secret)):
        given = headers.get(name, "")
        if secret and given and hmac.compare_digest(given.encode(), expected.encode()):
            return
    raise HTTPException(403, "the signature of the webhook is not valid")


def _keys_in(body: bytes) -> Iterator[str]:
    """The repositories that a webhook is about."""
    try:
        content = json_text.load(body, name="webhook")
    except CommodoreError as error:
        raise HTTPException(400, "the webhook is not valid JSON") from error
    for section in ("repository", "project"):
        about = content.get(section) if isinstance(content, dict) else None
        texts = about.values() if isinstance(about, dict) else ()
        yield from (_key(text) for text in texts if isinstance(text, str))


def _key(url: str) -> str:
    """A repository, however its URL is written."""
    try:
        return git_urls.dependency_key(url).removesuffix(".git").lower()
    except CommodoreError:
        return url
