"""Carry out a plan: apply and delete objects of a cluster, in the order of its applications."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from commodore_py.adapters import ending
from commodore_py.adapters.http import HttpError
from commodore_py.errors import CommodoreError, SeveralErrors
from commodore_py.live.access.discovery import discover
from commodore_py.manifests.desired.managed import DRIVER
from commodore_py.manifests.objects import mapping

from .applying import CHANGES, with_values
from .history import is_checked_out
from .notes import note, unfinished
from .planning import AFTER_FAILURE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from commodore_py.live.access.client import Writer
    from commodore_py.manifests.objects import ObjectId

    from .applying import How
    from .cluster import LiveCluster
    from .planning import Action, Plan, Step

    Report: TypeAlias = Callable[[str], None]

_CONFLICT, _NOT_FOUND, _INVALID = 409, 404, 422
_LOOK_AGAIN = 1.0
_APPLIED = ("create", "change", "delete")
_ENDED = object()


@dataclass(frozen=True, slots=True)
class Applied:
    """Result of a run."""

    done: tuple[tuple[str, ObjectId], ...]
    """What happened to which object."""
    skipped: int
    """Hooks that an unfinished run of the same plan has run."""


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
        self._before = unfinished(cluster.state, plan.digest)
        self._note = partial(note, cluster.state, plan.digest)
        self._results: list[tuple[str, ObjectId]] = []
        self._skipped = 0

    def run(self) -> Applied:
        """Advance every application as far as it goes, until all have ended."""
        before = self._plan.order.before
        names = {step.application for step in self._plan.steps if step.phase != AFTER_FAILURE}
        ordered = dict.fromkeys(step.application for step in self._plan.steps)
        left = {name: self._applied(name) for name in ordered if name in names}
        while left:
            started = [name for name in left if left.keys().isdisjoint(before.get(name, ()))]
            if not started:
                names_left = ", ".join(sorted(left))
                raise CommodoreError(f"these applications wait for each other: {names_left}")
            ended = [name for name in started if next(left[name], _ENDED) is _ENDED]
            left = {name: run for name, run in left.items() if name not in ended}
            if not ended:
                ending.pause(_LOOK_AGAIN)
        self._note("end", **_applied_commit(self._cluster, self._plan, ordered))
        return Applied(tuple(self._results), self._skipped)

    def _applied(self, name: str) -> Iterator[None]:
        """Apply an application, and yield while it waits; if that fails, run its hooks for that."""
        try:
            yield from self._usual_steps(name)
        except CommodoreError as error:
            try:
                for step in self._steps_of(name, after_failure=True):
                    for _ in self._awaited(self._act(step)):
                        ending.pause(_LOOK_AGAIN)
            except CommodoreError as another:
                errors = [error, another]
                message = "a step and its SyncFail hooks failed"
                raise SeveralErrors(message, errors=errors) from another
            raise

    def _usual_steps(self, name: str) -> Iterator[None]:
        *steps, last = self._steps_of(name, after_failure=False)
        for step in steps:
            yield from self._awaited(self._act(step))
        waiting = self._act(last)
        if any(name in names for names in self._plan.order.before.values()):
            actions = [action for step in (*steps, last) for action in step.actions]
            waiting = [action for action in actions if action.what in ("keep", *_APPLIED)]
        yield from self._awaited(waiting, may_be_degraded=name in self._plan.order.may_be_degraded)

    def _steps_of(self, name: str, *, after_failure: bool) -> list[Step]:
        return [
            step
            for step in self._plan.steps
            if step.application == name and (step.phase == AFTER_FAILURE) == after_failure
        ]

    def _awaited(self, waiting: list[Action], *, may_be_degraded: bool = False) -> Iterator[None]:
        """Yield until all objects are healthy, or gone."""
        since, reported = time.monotonic(), ""
        while True:
            left, why = [], ""
            for action in waiting:
                problem = _not_ready(self._cluster, self._writer, action)
                if problem.startswith("Degraded"):
                    if not may_be_degraded:
                        raise CommodoreError(f"{action.id} failed: {problem}")
                elif problem:
                    left.append(action)
                    why = why or f"{action.id}: {problem}"
            if not left:
                return
            if why != reported:
                self._report(f"waiting for {why}")
            if time.monotonic() > since + self._how.timeout:
                raise CommodoreError(
                    f"{left[0].id} is not ready after {self._how.timeout:g} seconds: "
                    f"{why.partition(': ')[2]}",
                    hint="the same command continues where it stopped; --timeout waits longer",
                )
            waiting, reported = left, why
            yield

    def _act(self, step: Step) -> list[Action]:
        """Do what a step has to do; returns what to wait for."""
        for action in step.actions:
            if action.what not in CHANGES:
                continue
            if ("hook", str(action.id)) in self._before:
                self._skipped += 1
                continue
            with ending.finishing():
                about = {"what": action.what, "object": str(action.id)}
                self._note("begin", **about)
                version = _act(self._cluster, self._writer, step, action, self._how)
                self._note("done", **about, **({"version": version} if version else {}))
            self._results.append((action.what, action.id))
            self._report(f"{action.what} {action.id}")
        if not step.awaited:
            return []
        done = {name for _, name in self._before}
        return [
            action for action in step.actions if action.what in CHANGES or str(action.id) in done
        ]


def _applied_commit(
    cluster: LiveCluster, plan: Plan, applications: Iterable[str]
) -> dict[str, object]:
    """The applications and commit that were applied, if it is that of the catalog, and when.

    With a part of the namespaces, applications are at no commit. The time is that of the server.
    """
    commit = "" if cluster.reach.namespaces else plan.commit
    if commit and not is_checked_out(cluster.catalog, commit):
        return {}
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(cluster.client.now()))
    return {"commit": commit, "time": now, "applications": sorted(applications)}


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
    return str(mapping(applied.get("metadata")).get("resourceVersion", ""))


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


def _not_ready(cluster: LiveCluster, writer: Writer, action: Action) -> str:
    """Why an object is not yet as the action leaves it; empty if it is."""
    id_ = action.id
    api = cluster.kinds.find(id_.group, id_.kind)
    # An object of a kind that came with this plan has no health that is known.
    live = writer.find(api.path(id_.namespace, id_.name)) if api is not None else {}
    if action.what == "delete":
        return "it is being deleted" if live is not None else ""
    if live is None:
        return "Missing"
    health = cluster.health(live)
    if health.status in (None, "Healthy"):
        return ""
    return f"{health.status} {health.message}".strip()
