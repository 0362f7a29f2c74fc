"""Carry out a plan: apply and delete objects of a cluster, step by step."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from commodore_py.adapters import ending
from commodore_py.adapters.git.status import status
from commodore_py.adapters.http import HttpError
from commodore_py.errors import CommodoreError, SeveralErrors
from commodore_py.live.access.discovery import discover
from commodore_py.live.plan import AFTER_FAILURE
from commodore_py.manifests.desired.managed import DRIVER
from commodore_py.manifests.objects import ObjectId
from commodore_py.manifests.order.applications import KIND
from commodore_py.manifests.secrets import has_reference, with_references_replaced
from commodore_py.model.difference import GRADES

from .runs import AppliedCommit, RunLog, unfinished

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from commodore_py.live.access.client import Writer
    from commodore_py.live.plan import Action, Step
    from commodore_py.manifests.desired.ignoring import Reveal
    from commodore_py.manifests.objects import Content
    from commodore_py.model.difference import Grade

    from .cluster import LiveCluster
    from .planning import Plan

    Report: TypeAlias = Callable[[str], None]

_CONFLICT, _NOT_FOUND, _INVALID = 409, 404, 422
_LOOK_AGAIN = 1.0
_CHANGES = ("create", "change", "hook", "delete")


@dataclass(frozen=True, slots=True)
class How:
    """What may be done, and how."""

    force: bool = False
    """Whether to take over fields of other managers, and to apply although Argo CD syncs."""
    most: Grade = "restart"
    """The worst grade of a change that may be carried out."""
    timeout: float = 1800
    reveal: Reveal | None = None
    """What gives the value of a secret reference; without it, objects with one are refused."""


@dataclass(frozen=True, slots=True)
class Applied:
    """What was done."""

    done: tuple[tuple[str, ObjectId], ...]
    """What happened to which object."""
    skipped: int
    """Hooks that an unfinished run of the same plan has run."""


def check(cluster: LiveCluster, plan: Plan, how: How) -> None:
    """Everything that forbids carrying out a plan, before the first write."""
    problems = [*_of_cluster(cluster, plan, how), *_of_actions(plan, how)]
    if how.reveal is not None and not problems:
        problems += _of_references(plan, how.reveal)
    if len(problems) == 1:
        raise problems[0]
    if problems:
        raise SeveralErrors(f"nothing was applied: {len(problems)} problems", errors=problems)


def carry_out(
    cluster: LiveCluster, writer: Writer, plan: Plan, how: How, *, report: Report
) -> Applied:
    """Do it, in order; waits between waves as a sync does. Each action is logged.

    What an earlier run has applied is seen in the cluster; hooks that it ran are in its log.
    """
    before = unfinished(cluster.state, plan.digest).done
    note = RunLog(cluster.state, plan.digest)
    results: list[tuple[str, ObjectId]] = []
    skipped = 0

    def run(step: Step) -> None:
        nonlocal skipped
        for action in step.actions:
            if action.what not in _CHANGES:
                continue
            if ("hook", str(action.id)) in before:
                skipped += 1
                continue
            with ending.finishing():
                note.add("begin", action)
                version = _act(cluster, writer, step, action, how)
                note.add("done", action, version)
            results.append((action.what, action.id))
            report(f"{action.what} {action.id}")
        if step.awaited:
            done = {name for _, name in before}
            waiting = [one for one in step.actions if one.what in _CHANGES or str(one.id) in done]
            _await(cluster, writer, waiting, how, report)

    for step in plan.steps:
        if step.phase != AFTER_FAILURE:
            _run_or_report(plan, step, run)
    note.end({one.application for one in plan.steps}, _applied_commit(cluster, plan))
    return Applied(tuple(results), skipped)


def _run_or_report(plan: Plan, step: Step, run: Callable[[Step], None]) -> None:
    """Run a step; if it fails, the hooks of its application for that, too."""
    try:
        run(step)
    except CommodoreError as error:
        hooks = [one for one in plan.steps if one.phase == AFTER_FAILURE]
        try:
            for one in hooks:
                if one.application == step.application:
                    run(one)
        except CommodoreError as another:
            both = [error, another]
            raise SeveralErrors("a step and its SyncFail hooks failed", errors=both) from another
        raise


def _applied_commit(cluster: LiveCluster, plan: Plan) -> AppliedCommit | None:
    """The commit of the catalog, if it is what was applied, and the time of the server."""
    if not plan.commit or status(cluster.catalog, untracked=True).changes:
        return None
    now = time.gmtime(cluster.client.now())
    return AppliedCommit(plan.commit, time.strftime("%Y-%m-%dT%H:%M:%SZ", now))


def _of_cluster(cluster: LiveCluster, plan: Plan, how: How) -> Iterator[CommodoreError]:
    identity = cluster.identity
    if not identity.confirmed_by:
        yield CommodoreError(
            f"nothing confirms that this is the cluster of {cluster.id}",
            where=f"{cluster.client.access.server}, context {cluster.client.access.name}",
            hint=f"if it is: --trust-cluster {identity.uid}",
        )
    # An earlier run of this plan, which was stopped, has created some itself.
    done = unfinished(cluster.state, plan.digest).done
    automated = [
        one.name
        for one in identity.applications
        if one.is_automated
        and ("create", str(ObjectId(*KIND, one.namespace, one.name))) not in done
    ]
    if automated and not how.force:
        yield CommodoreError(
            f"Argo CD syncs applications by itself: {', '.join(sorted(automated))}",
            hint="push the catalog instead, or add --force",
        )


def _of_actions(plan: Plan, how: How) -> Iterator[CommodoreError]:
    for action in plan.actions:
        if action.what not in _CHANGES:
            if action.what == "unseen":
                yield CommodoreError(f"{action.id} cannot be read: {action.refused}")
            continue
        if action.refused:
            yield CommodoreError(f"{action.id} cannot be applied: {action.refused}")
        if action.references and how.reveal is None:
            yield CommodoreError(
                f"{action.id} has secret references: {', '.join(action.references)}",
                hint="Argo CD replaces them when it syncs; to apply their values: --reveal",
            )
        if GRADES.index(action.grade) < GRADES.index(how.most):
            yield CommodoreError(
                f"{action.what} {action.id}: {action.grade}"
                + (f", {action.reason}" if action.reason else ""),
                hint=f"to do it all the same: --max-grade {action.grade}",
            )


def _of_references(plan: Plan, reveal: Reveal) -> Iterator[CommodoreError]:
    """References without a value; nothing is written before all values are there."""
    for action in plan.actions:
        if action.what in _CHANGES and action.references:
            try:
                with_values(action.content, reveal)
            except CommodoreError as error:
                yield CommodoreError(f"{action.id}: {error}", hint=error.hint)


def with_values(content: Any, reveal: Reveal) -> Any:  # noqa: ANN401 - plain data
    """The same with the values of all secret references."""
    if isinstance(content, dict):
        return {key: with_values(one, reveal) for key, one in content.items()}
    if isinstance(content, list):
        return [with_values(one, reveal) for one in content]
    if isinstance(content, str) and has_reference(content):
        return with_references_replaced(content, reveal)
    return content


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
    record = cluster.cache.get(id_)
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


def _await(
    cluster: LiveCluster, writer: Writer, waiting: list[Action], how: How, report: Report
) -> None:
    """Wait until the objects of a step are healthy, or have no health; deleted ones are gone."""
    until = time.monotonic() + how.timeout
    told: str = ""
    while waiting:
        left = []
        for action in waiting:
            live = _read(cluster, writer, action.id)
            problem = _not_ready(cluster, action, live)
            if problem.startswith("Degraded"):
                raise CommodoreError(f"{action.id} failed: {problem}")
            if problem:
                left.append((action, problem))
        waiting = [action for action, _ in left]
        if not left:
            return
        words = f"waiting for {left[0][0].id}: {left[0][1]}"
        if words != told:
            report(words)
            told = words
        if time.monotonic() > until:
            raise CommodoreError(
                f"{left[0][0].id} is not ready after {how.timeout:g} seconds: {left[0][1]}",
                hint="the same command continues where it stopped; --timeout waits longer",
            )
        ending.pause(_LOOK_AGAIN)


def _not_ready(cluster: LiveCluster, action: Action, live: Content | None) -> str:
    if action.what == "delete":
        return "it is being deleted" if live is not None else ""
    if live is None:
        return "Missing"
    health = cluster.health(live)
    if health.status in (None, "Healthy"):
        return ""
    return f"{health.status} {health.message}".strip()


def _read(cluster: LiveCluster, writer: Writer, id_: ObjectId) -> Content | None:
    api = cluster.kinds.find(id_.group, id_.kind)
    if api is None:
        return {}  # a kind that came with this plan: it has no health that is known
    return writer.find(api.path(id_.namespace, id_.name))
