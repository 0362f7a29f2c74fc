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

    from .clusters import Clusters
    from .jobs import Jobs
    from .settings import Settings
    from .state import Job, Record, State

log = logging.getLogger(__name__)

_FIRST_PAUSE, _LONGEST_PAUSE = 15.0, 3600.0
_GATE_SECONDS = 300.0


class Reconciler:
    """The loop, and what wakes it."""

    def __init__(self, settings: Settings, state: State, clusters: Clusters, jobs: Jobs) -> None:
        self._settings = settings
        self._state = state
        self._clusters = clusters
        self._jobs = jobs
        self._wake = asyncio.Event()
        self._looked = float("-inf")
        self._gates: list[dict[str, Any]] = []
        if not settings.reconciles:  # nothing would keep it true
            for about in state.clusters.values():
                about.conditions = [old for old in about.conditions if old.type != "Synced"]
                about.failures = 0

    async def run(self) -> None:
        """Work until the daemon stops."""
        if not self._settings.reconciles:
            return
        while not self._jobs.stopping.is_set():
            self._wake.clear()
            pause = self._settings.poll
            try:
                pause = await self._round()
            except CommodoreError as error:  # the next round tries again
                log.warning("reconciling: %s", error)
            except Exception:  # as above: one cluster must not end it for all
                log.exception("reconciling")
            try:
                await asyncio.wait_for(self._wake.wait(), pause)
            except TimeoutError:
                continue

    async def hook(self, headers: Mapping[str, str], body: bytes) -> list[str]:
        """The clusters that a push affects, as a code host reports it; they are looked at now."""
        _check_signature(self._settings.hook_secret, headers, body)
        keys = set(_keys_in(body))
        affected = [
            name
            for name, listed in (await self._clusters.listing.get()).items()
            if keys & {_key(used.url) for used in self._clusters.inputs(listed)}
        ]
        if affected:
            self._looked = float("-inf")
            self._wake.set()
        return affected

    def ended(self, job: Job) -> None:
        """Keep how a push ended, and when to try again."""
        about = self._state.cluster(job.cluster)
        if job.state == "done" and job.outcome != "held":
            about.failures, about.retry_at = 0, 0
        elif job.state in ("done", "failed"):
            about.failures += 1
            pause = min(_FIRST_PAUSE * 2 ** min(about.failures - 1, 10), _LONGEST_PAUSE)
            about.retry_at = time.time() + pause
        elif not self._jobs.stopping.is_set():  # cancelled by a caller
            about.retry_at = time.time() + _LONGEST_PAUSE
        self._wake.set()

    async def _round(self) -> float:
        """Compare all clusters and push those that are due; return the seconds to wait then."""
        clusters, config, now = self._clusters, self._settings.config, time.time()
        if time.monotonic() - self._looked >= self._settings.poll:
            self._looked = time.monotonic()  # before: a webhook in between asks for another look
            clusters.listing.forget()
            clusters.heads.forget()
            self._gates = await self._jobs.read("compiling.gates", config, seconds=_GATE_SECONDS)
        heads = await clusters.heads.get()
        stale: dict[str, Condition] = {}
        due: list[tuple[int, str, str]] = []
        for name, listed in (await clusters.listing.get()).items():
            moved = clusters.moved(listed, heads)
            record, about = clusters.record(listed), self._state.cluster(name)
            digest = hashlib.sha256(json.dumps(moved, default=str).encode()).hexdigest()
            if about.moved != digest:  # another state than the one that failed
                about.moved, about.failures, about.retry_at = digest, 0, 0
            if moved or record is None or about.failures:
                stale[name] = _synced("False", *_why(moved, record))
                if now >= about.retry_at:
                    due.append((about.failures, record.time if record else "", name))
            elif clusters.is_known(listed, heads):
                about.set(_synced("True", "UpToDate"))
            else:
                about.set(_synced("Unknown", "Unreachable", "a remote was never read"))
        held = await self._held(stale.keys(), {name for *_, name in due})
        for name, condition in (stale | held).items():
            self._state.cluster(name).set(condition)
        self._push(due, held)
        self._state.save(config.paths)
        # Clusters that wait for a worker are no reason: the end of a job begins a round.
        retries = (about.retry_at for about in self._state.clusters.values())
        pauses = [retry_at - now for retry_at in retries if retry_at > now]
        return max(0.2, min([self._looked + self._settings.poll - time.monotonic(), *pauses]))

    async def _held(self, stale: Collection[str], due: set[str]) -> dict[str, Condition]:
        """The clusters that wait for an earlier stage to be pushed and healthy."""
        held: dict[str, Condition] = {}
        for gate in self._gates:
            waiting = due & set(gate["later"]) - held.keys()
            if not waiting:
                continue
            why = ", ".join(name for name in gate["members"] if name in stale)
            if not why:
                config, members = self._settings.config, gate["members"]
                why = gate.get("why") or await self._jobs.read(
                    "compiling.unhealthy", config, members, live=True
                )
            if why:
                stage = gate["stage"]
                message = f"stage {stage} comes first: {why}" if stage else why
                held |= dict.fromkeys(waiting, _synced("False", "Waiting", message))
        return held

    def _push(self, due: list[tuple[int, str, str]], held: Collection[str]) -> None:
        """Push as many as there is room for: what never failed, then what was pushed long ago."""
        pushes = (job for job in self._jobs.all.values() if job.by == RECONCILER)
        at_work = {job.cluster for job in pushes if not job.is_over}
        room = 2 * self._settings.workers - len(at_work)
        names = [name for *_, name in sorted(due) if name not in at_work and name not in held]
        for name in names[: max(0, room)]:
            try:
                self._jobs.submit("push", name, RECONCILER)
            except CommodoreError:  # the queue is full
                break


def conditions_after(job: Job) -> Iterator[Condition]:
    """The conditions of a cluster that a compile or a push decides."""
    has_compiled = job.result is not None or any(
        event["level"] == "stage" and event["message"] == "publish" for event in job.events
    )
    reason, message = "", ""
    if job.error is not None:
        message = job.error["message"]
        reason = next((reason["code"] for reason in job.error["reasons"]), "Failed")
    if has_compiled:
        yield Condition(type="Compiled", status="True", reason="Succeeded")
    elif job.error is not None:
        yield Condition(type="Compiled", status="False", reason=reason, message=message)
    if job.kind != "push":
        return
    if job.error is not None:
        yield Condition(type="Pushed", status="False", reason=reason, message=message)
    elif job.result is not None:
        is_held = job.outcome == "held"
        commit = f"commit {job.result['commit'][:12]}" if job.result["commit"] else ""
        worst = f"the worst change is {job.result['worst']}, and that is not allowed"
        yield Condition(
            type="Pushed",
            status="False" if is_held else "True",
            reason=job.outcome.title().replace(" ", ""),
            message=worst if is_held else commit,
        )


def _synced(
    status: Literal["True", "False", "Unknown"], reason: str, message: str = ""
) -> Condition:
    return Condition(type="Synced", status=status, reason=reason, message=message)


def _why(moved: list[dict[str, Any]], record: Record | None) -> tuple[str, str]:
    """The reason for a cluster that is not synced."""
    if record is None:
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
