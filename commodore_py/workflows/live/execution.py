"""Carry out a plan: apply and delete objects of a cluster, in the order of its applications."""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from commodore_py.adapters import ending
from commodore_py.adapters.http import HttpError
from commodore_py.errors import CommodoreError, SeveralErrors
from commodore_py.live.access.discovery import discover
from commodore_py.live.plan import AFTER_FAILURE
from commodore_py.manifests.desired.managed import DRIVER

from .applying import CHANGES, with_values
from .history import is_checked_out
from .notes import AppliedCommit, RunLog, unfinished

if TYPE_CHECKING:
    from collections.abc import Callable

    from commodore_py.live.access.client import Writer
    from commodore_py.live.plan import Action, Step
    from commodore_py.manifests.objects import Content, ObjectId

    from .applying import How
    from .cluster import LiveCluster
    from .planning import Plan

    Report: TypeAlias = Callable[[str], None]

_CONFLICT, _NOT_FOUND, _INVALID = 409, 404, 422
_LOOK_AGAIN = 1.0
_APPLIED = ("create", "change", "delete")


@dataclass(frozen=True, slots=True)
class Applied:
    """Result of a run."""

    done: tuple[tuple[str, ObjectId], ...]
    """What happened to which object."""
    skipped: int
    """Hooks that an unfinished run of the same plan has run."""


@dataclass(slots=True)
class _Run:
    """An application that is being applied."""

    steps: deque[Step] = field(default_factory=deque)
    """Those to come."""
    actions: list[Action] = field(default_factory=list)
    """All that are applied without hooks."""
    waiting: list[Action] = field(default_factory=list)
    since: float = 0
    why: str = ""
    """Why the first of what it waits for is not ready."""


def carry_out(
    cluster: LiveCluster, writer: Writer, plan: Plan, how: How, *, report: Report
) -> Applied:
    """Do it, in order; each action is logged.

    An application starts when all that are before it are ready, and waits between its waves as a
    sync does. What an earlier run has applied is seen in the cluster; hooks that it ran are in its
    log.
    """
    return _Execution(cluster, writer, plan, how, report).run()


class _Execution:
    def __init__(
        self, cluster: LiveCluster, writer: Writer, plan: Plan, how: How, report: Report
    ) -> None:
        self._cluster, self._writer, self._plan = cluster, writer, plan
        self._how, self._report = how, report
        self._before = unfinished(cluster.state, plan.digest).done
        self._note = RunLog(cluster.state, plan.digest)
        self._results: list[tuple[str, ObjectId]] = []
        self._skipped = 0
        self._awaited = {name for names in plan.order.before.values() for name in names}
        self._runs: dict[str, _Run] = {}
        for step in plan.steps:
            if step.phase != AFTER_FAILURE:
                run = self._runs.setdefault(step.application, _Run())
                run.steps.append(step)
                run.actions += (
                    action for action in step.actions if action.what in ("keep", *_APPLIED)
                )

    def run(self) -> Applied:
        """Advance every application as far as it goes, until all have ended."""
        while self._runs:
            moved = False
            for name, run in tuple(self._runs.items()):
                if self._runs.keys().isdisjoint(self._plan.order.before.get(name, ())):
                    while name in self._runs and self._advance_or_report(name, run):
                        moved = True
            if not moved and not any(run.waiting for run in self._runs.values()):
                names = ", ".join(sorted(self._runs))
                raise CommodoreError(f"these applications wait for each other: {names}")
            if not moved:
                ending.pause(_LOOK_AGAIN)
        applications = {step.application for step in self._plan.steps}
        self._note.end(applications, _applied_commit(self._cluster, self._plan))
        return Applied(tuple(self._results), self._skipped)

    def _advance_or_report(self, name: str, run: _Run) -> bool:
        """Advance an application; if that fails, run its hooks for that, too."""
        try:
            return self._advance(name, run)
        except CommodoreError as error:
            try:
                for step in self._plan.steps:
                    if step.phase == AFTER_FAILURE and step.application == name:
                        self._act_and_wait(step)
            except CommodoreError as another:
                errors = [error, another]
                message = "a step and its SyncFail hooks failed"
                raise SeveralErrors(message, errors=errors) from another
            raise

    def _act_and_wait(self, step: Step) -> None:
        """Do what a step of hooks has to do, and wait until they are healthy."""
        run = _Run(waiting=self._act(step), since=time.monotonic())
        while True:
            self._look(run, may_be_degraded=False)
            if not run.waiting:
                return
            ending.pause(_LOOK_AGAIN)

    def _advance(self, name: str, run: _Run) -> bool:
        """Continue with an application, if it is ready for that."""
        may_be_degraded = not run.steps and name in self._plan.order.may_be_degraded
        self._look(run, may_be_degraded=may_be_degraded)
        if run.waiting:
            return False
        if not run.steps:
            del self._runs[name]
            return True
        run.since = time.monotonic()
        run.waiting = self._act(run.steps.popleft())
        if not run.steps and name in self._awaited:
            run.waiting = [*run.actions]
        return True

    def _look(self, run: _Run, *, may_be_degraded: bool) -> None:
        """Keep what an application still waits for; objects are healthy in the end, or gone."""
        left, why = [], ""
        for action in run.waiting:
            problem = _not_ready(self._cluster, action, _read(self._cluster, self._writer, action))
            if problem.startswith("Degraded"):
                if not may_be_degraded:
                    raise CommodoreError(f"{action.id} failed: {problem}")
            elif problem:
                left.append(action)
                why = why or f"{action.id}: {problem}"
        run.waiting = left
        if left and why != run.why:
            self._report(f"waiting for {why}")
        if left and time.monotonic() > run.since + self._how.timeout:
            raise CommodoreError(
                f"{left[0].id} is not ready after {self._how.timeout:g} seconds: "
                f"{why.partition(': ')[2]}",
                hint="the same command continues where it stopped; --timeout waits longer",
            )
        run.why = why

    def _act(self, step: Step) -> list[Action]:
        """Do what a step has to do; returns what to wait for."""
        for action in step.actions:
            if action.what not in CHANGES:
                continue
            if ("hook", str(action.id)) in self._before:
                self._skipped += 1
                continue
            with ending.finishing():
                self._note.add("begin", action)
                version = _act(self._cluster, self._writer, step, action, self._how)
                self._note.add("done", action, version)
            self._results.append((action.what, action.id))
            self._report(f"{action.what} {action.id}")
        if not step.awaited:
            return []
        done = {name for _, name in self._before}
        return [
            action for action in step.actions if action.what in CHANGES or str(action.id) in done
        ]


def _applied_commit(cluster: LiveCluster, plan: Plan) -> AppliedCommit | None:
    """The commit of the catalog, if it is what was applied, and the time of the server.

    With a part of the namespaces, applications are at no commit.
    """
    commit = "" if cluster.reach.namespaces else plan.commit
    if commit and not is_checked_out(cluster.catalog, commit):
        return None
    now = time.gmtime(cluster.client.now())
    return AppliedCommit(commit, time.strftime("%Y-%m-%dT%H:%M:%SZ", now))


def _act(cluster: LiveCluster, writer: Writer, step: Step, action: Action, how: How) -> str:
    """Apply or delete an object; returns the version that it has then."""
    api = cluster.kinds.find(action.id.group, action.id.kind)
    if api is None:
        api = discover(writer).find(action.id.group, action.id.kind)  # a step before brought it
    if api is None:
        raise CommodoreError(f"the server has no kind {action.id.kind}: {action.id}")
    path = api.path(action.id.namespace, action.id.name)
    try:
        if action.what == "delete":
            _delete(cluster, writer, action.id, path)
            return ""
        content = action.content or {}
        if action.references and how.reveal is not None:
            content = with_values(content, how.reveal)
        applied = writer.apply(path, content, manager=DRIVER, force=how.force)
    except HttpError as error:
        raise _explained(error, action, step) from error
    metadata = applied.get("metadata")
    return str(metadata.get("resourceVersion", "")) if isinstance(metadata, dict) else ""


def _delete(cluster: LiveCluster, writer: Writer, id_: ObjectId, path: str) -> None:
    record = cluster.seen.get(id_)
    if record is None:
        return
    try:
        writer.delete(path, uid=record.uid, version=record.version)
    except HttpError as error:
        if error.status != _NOT_FOUND:
            raise


def _explained(error: HttpError, action: Action, step: Step) -> CommodoreError:
    hint = ""
    if error.status == _CONFLICT:
        hint = (
            "the object was changed in the meantime: plan again"
            if action.what == "delete"
            else "to take over its fields: --force; to leave them: ignoreDifferences"
        )
    elif error.status == _INVALID:
        hint = "if a field is immutable, delete the object and apply it again"
    where = f"application {step.application or '-'}, {step.phase}, wave {step.wave}"
    return CommodoreError(f"{action.what} {action.id}: {error}", where=where, hint=hint)


def _not_ready(cluster: LiveCluster, action: Action, live: Content | None) -> str:
    if action.what == "delete":
        return "it is being deleted" if live is not None else ""
    if live is None:
        return "Missing"
    health = cluster.health(live)
    if health.status in (None, "Healthy"):
        return ""
    return f"{health.status} {health.message}".strip()


def _read(cluster: LiveCluster, writer: Writer, action: Action) -> Content | None:
    id_ = action.id
    api = cluster.kinds.find(id_.group, id_.kind)
    if api is None:
        return {}  # a kind that came with this plan: it has no health that is known
    return writer.find(api.path(id_.namespace, id_.name))
