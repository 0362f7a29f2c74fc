"""Results of `commodore live order`."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

from commodore_py.adapters import escaping
from commodore_py.cli.output import streams
from commodore_py.workflows.live.order import may_have_health

if TYPE_CHECKING:
    from collections.abc import Iterator

    from commodore_py.manifests.order.tasks import Task
    from commodore_py.workflows.live.order import OrderOf, OrderReport, Step


def content(report: OrderReport) -> dict[str, Any]:
    """The steps of every application."""
    return {
        "schema": "live-order/v1",
        "applications": [
            {
                "name": one.application.name,
                "namespace": one.application.namespace,
                "steps": [_step(step) for step in one.steps],
            }
            for one in report.orders
        ],
        "findings": [
            {
                "code": one.code,
                "kind": one.object.id.kind,
                "namespace": one.object.id.namespace,
                "name": one.object.id.name,
                "file": one.object.file,
                "message": one.message,
            }
            for one in report.findings
        ],
        "outside": list(report.outside),
        "others": report.others,
    }


def _step(step: Step) -> dict[str, Any]:
    return {
        "phase": step.phase,
        "wave": step.wave,
        "awaited": step.awaited,
        "tasks": [_task(task) for task in step.tasks],
    }


def _task(task: Task) -> dict[str, Any]:
    group, kind = task.kind
    return {
        "group": group,
        "kind": kind,
        "namespace": task.namespace,
        "name": task.name,
        "file": task.object.file,
        "hook": task.is_hook,
        "written_wave": task.written,
        "pulled": task.pulled,
        "has_health": may_have_health(task.object),
    }


def lines(report: OrderReport) -> Iterator[str]:
    """The same for people: a line for the objects of a kind, one below another."""
    for one in report.orders:
        yield from _application(one)
    if report.outside:
        names = ", ".join(report.outside)
        yield escaping.one_line(f"not ordered, their paths hold no file: {names}")
    if report.findings:
        yield streams.styled("findings", bold=True)
    for finding in report.findings:
        text = f"{finding.code}: {finding.object.id}: {finding.message}  ({finding.object.file})"
        yield escaping.one_line(f"  {text}")


def _application(one: OrderOf) -> Iterator[str]:
    if one.application.name:
        yield streams.styled(escaping.one_line(one.application.name), bold=True)
    for step in one.steps:
        yield f"  {step.phase}, wave {step.wave}"
        for kind, tasks in groupby(step.tasks, lambda task: (task.kind, task.is_hook)):
            names = ", ".join(_name(task) for task in tasks)
            hook = " (hook)" if kind[1] else ""
            yield escaping.one_line(f"    {kind[0][1]}{hook}: {names}")
        if step.awaited:
            yield f"    {_wait(step)}"


def _name(task: Task) -> str:
    name = f"{task.namespace}/{task.name}" if task.namespace else task.name
    return f"{name} [wave {task.written}]" if task.wave != task.written else name


def _wait(step: Step) -> str:
    waited = sum(may_have_health(task.object) for task in step.tasks)
    rest = len(step.tasks) - waited
    without = f"; {rest} without health are not waited for" if rest else ""
    return f"then waits for {waited} objects{without}"
