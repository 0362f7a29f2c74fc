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
from typing import TYPE_CHECKING, Any, NamedTuple

from commodore_py.adapters import git_urls, json_text
from commodore_py.errors import CommodoreError

from .failures import QueueFull, Refusal

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
    from typing import TypeAlias

    from .clusters import Clusters
    from .jobs import Job, Jobs
    from .settings import Settings
    from .state import State

    Push: TypeAlias = Callable[..., Awaitable[Job]]

log = logging.getLogger(__name__)

NAME = "reconcile"
"""The caller of its jobs."""
_FIRST_PAUSE, _LONGEST_PAUSE = 15.0, 3600.0
_URLS = (
    (
        "repository",
        ("clone_url", "ssh_url", "git_url", "html_url", "git_http_url", "git_ssh_url", "url"),
    ),
    ("project", ("git_http_url", "git_ssh_url", "web_url", "http_url", "ssh_url")),
)


class Reconciler:
    """The loop, and what wakes it."""

    def __init__(
        self, settings: Settings, state: State, clusters: Clusters, jobs: Jobs, push: Push
    ) -> None:
        self._settings = settings
        self._state = state
        self._clusters = clusters
        self._jobs = jobs
        self._push = push
        self._wake = asyncio.Event()
        self._looked = float("-inf")
        self._compared = 0.0
        if not settings.reconciles:  # nothing would keep it true
            for about in state.clusters.values():
                about["conditions"] = [o for o in about["conditions"] if o["type"] != "Synced"]
                about["failures"] = 0

    async def run(self) -> None:
        """Work until the daemon stops."""
        if not self._settings.reconciles:
            return
        while not self._jobs.stopping.is_set():
            self._wake.clear()
            try:
                await self._round()
            except CommodoreError as error:  # the next round tries again
                log.warning("reconciling: %s", error)
            except Exception:  # as above: one cluster must not end it for all
                log.exception("reconciling")
            try:
                await asyncio.wait_for(self._wake.wait(), self._until_next())
            except TimeoutError:
                continue

    async def hook(self, headers: Mapping[str, str], body: bytes) -> list[str]:
        """The clusters that a push affects, as a code host reports it; they are looked at now."""
        _check_signature(self._settings.hook_secret, headers, body)
        keys = set(_keys_in(body))
        affected = [
            listed["id"]
            for listed in await self._clusters.listing()
            if keys & {_key(one["url"]) for one in _inputs(self._clusters.record(listed))}
        ]
        if affected:
            self._looked = float("-inf")
            self._wake.set()
        return affected

    async def ended(self, job: Job) -> None:
        """Keep how a push ended, and when to try again."""
        about = self._about(job.cluster)
        is_fine = job.state == "done" and (job.result or {}).get("outcome") != "held"
        if job.state in ("done", "failed"):
            about["failures"] = 0 if is_fine else about.get("failures", 0) + 1
            pause = min(_FIRST_PAUSE * 2 ** min(about["failures"] - 1, 10), _LONGEST_PAUSE)
            about["retry_at"] = 0 if is_fine else time.time() + pause
        elif not self._jobs.stopping.is_set():  # cancelled by a caller
            about["retry_at"] = time.time() + _LONGEST_PAUSE
        self._wake.set()

    async def _round(self) -> None:
        clusters = self._clusters
        self._compared = now = time.time()
        if time.monotonic() - self._looked >= self._settings.poll:
            self._looked = time.monotonic()  # before: a webhook in between asks for another look
            clusters.forget_listing()
            await clusters.heads()
        heads = await clusters.known_heads()
        due = []
        for listed in await clusters.listing():
            moved = clusters.moved(listed, heads)
            record, about = clusters.record(listed), self._about(listed["id"])
            wanted = hashlib.sha256(json.dumps(moved, default=str).encode()).hexdigest()
            if about.get("wanted") != wanted:  # another state than the one that failed
                about |= {"wanted": wanted, "failures": 0, "retry_at": 0}
            is_stale = bool(moved) or record is None or bool(about.get("failures"))
            is_known = is_stale or clusters.is_up_to_date(listed, heads)
            status = str(not is_stale) if is_known else "Unknown"
            why = _why(moved, record) if is_known else ("Unreachable", "a remote was never read")
            _set(about, Condition("Synced", status, *why))
            if is_stale and now >= about.get("retry_at", 0):
                time_of_record = record["time"] if record else ""
                due.append((about.get("failures", 0), time_of_record, listed["id"]))
        at_work = {
            job.cluster for job in self._jobs.all.values() if not job.is_over and job.by == NAME
        }
        room = 2 * self._settings.workers - len(at_work)
        # What never failed comes first, then what was pushed longest ago.
        for _, _, name in sorted(one for one in due if one[2] not in at_work)[: max(0, room)]:
            try:
                await self._push(name, NAME, done=self.ended)
            except QueueFull:
                break
        self._state.save()

    def _until_next(self) -> float:
        """Seconds until remotes are looked at again, or a failed cluster is tried again."""
        poll = self._settings.poll
        seconds = self._looked + poll - time.monotonic()
        waits: list[float] = [
            about["retry_at"] - time.time()
            for about in self._state.clusters.values()
            # Others wait for a worker: the end of a job begins a round.
            if about.get("retry_at", 0) > self._compared
        ]
        return max(0.2, min([seconds if self._looked > 0 else poll, *waits]))

    def _about(self, cluster: str) -> dict[str, Any]:
        return self._state.clusters.setdefault(cluster, {})


def after(job: Job, about: dict[str, Any]) -> None:
    """Set the conditions of a cluster after a compile or a push."""
    has_compiled = job.result is not None or any(
        event["level"] == "stage" and event["message"] == "publish" for event in job.events
    )
    if job.error is not None:
        code = job.error["reasons"][0]["code"] if job.error["reasons"] else "Failed"
        if not has_compiled:
            _set(about, Condition("Compiled", "False", code, job.error["message"]))
        if job.kind == "push":
            _set(about, Condition("Pushed", "False", code, job.error["message"]))
    if has_compiled:
        seconds = f"in {job.result['seconds']} seconds" if job.result else ""
        _set(about, Condition("Compiled", "True", "Succeeded", seconds))
    if job.kind == "push" and job.result is not None:
        outcome, commit = job.result["outcome"], str(job.result["commit"])[:12]
        worst = f"the worst change is {job.result['worst']}, and that is not allowed"
        message = {"held": worst, "pushed": f"commit {commit}"}.get(outcome, "")
        status = "False" if outcome == "held" else "True"
        _set(about, Condition("Pushed", status, outcome.title().replace(" ", ""), message))


class Condition(NamedTuple):
    """Whether something holds for a cluster, and why."""

    type: str
    status: str
    reason: str
    message: str


def _set(about: dict[str, Any], condition: Condition) -> None:
    """Set one condition; `since` is when its status changed."""
    conditions = about.setdefault("conditions", [])
    known = next((one for one in conditions if one["type"] == condition.type), None)
    if known is None:
        conditions.append(known := {"status": None})
    since = known["since"] if known["status"] == condition.status else time.time()
    known |= {**condition._asdict(), "since": since}


def _why(moved: list[dict[str, Any]], record: object) -> tuple[str, str]:
    if record is None:
        return "NeverPushed", "no pushed compile is known"
    if moved:
        return "Outdated", ", ".join(one["input"] for one in moved)
    return "UpToDate", ""


def _inputs(record: dict[str, Any] | None) -> Iterable[dict[str, Any]]:
    inputs: dict[str, dict[str, Any]] = (record or {"inputs": {}})["inputs"]
    return inputs.values()


def _check_signature(secret: str, headers: Mapping[str, str], body: bytes) -> None:
    """Refuse what the holder of the secret has not sent."""
    digest = f"sha256={hmac.new(secret.encode(), body, 'sha256').hexdigest()}"
    for name, expected in (("x-hub-signature-256", digest), ("x-gitlab-token", secret)):
        given = headers.get(name, "")
        if secret and given and hmac.compare_digest(given.encode(), expected.encode()):
            return
    raise Refusal(403, "the signature of the webhook is not valid")


def _keys_in(body: bytes) -> Iterator[str]:
    """The repositories that a webhook is about."""
    try:
        content = json_text.load(body, name="webhook")
    except CommodoreError as error:
        raise Refusal(400, "the webhook is not valid JSON") from error
    for section, names in _URLS:
        found = content.get(section) if isinstance(content, dict) else None
        if isinstance(found, dict):
            yield from (_key(found[name]) for name in names if isinstance(found.get(name), str))


def _key(url: str) -> str:
    """A repository, however its URL is written."""
    try:
        return git_urls.dependency_key(url).removesuffix(".git").lower()
    except CommodoreError:
        return url
