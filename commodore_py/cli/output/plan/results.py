"""Results of `commodore plan …`."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from commodore_py.adapters import escaping
from commodore_py.cli.exit_codes import TIME_IS_UP
from commodore_py.cli.output.problems import as_data as problem_as_data
from commodore_py.delivery.nodes import Concurrent, Leaf, Register, Resource, Serial, steps_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from commodore_py.delivery.nodes import Node
    from commodore_py.delivery.simulation import Timeline
    from commodore_py.model.problem import Problem
    from commodore_py.workflows.live.waiting import Waited
    from commodore_py.workflows.plans import PlanHere, RenderedPlan

EXITS = {"done": 0, "error": 1, "yield": TIME_IS_UP}
"""How a command ends, by the result of the last call of a plan."""


def shown(current: PlanHere) -> dict[str, Any]:
    """The normal form of a plan, with its order."""
    plan = current.plan
    return {
        "schema": "plan-show/v1",
        "drivers": list(plan.settings.drivers),
        "plan": _node(plan.node) if plan.node else None,
        "order": [
            {"step": step, "after": sorted(before)}
            for step, before in sorted(plan.order.before.items())
        ],
        "removed": [removed.leaf.instance for removed in plan.removed],
        "leaving": [
            {
                "instance": leaving.instance,
                "objects": leaving.objects,
                "grade": leaving.grade,
                "reason": leaving.reason or None,
            }
            for leaving in current.removed
        ],
        "unlisted": list(plan.unlisted),
        "problems": list(map(problem_as_data, current.problems)),
    }


def checked(problems: Iterable[Problem]) -> dict[str, Any]:
    """Notices about a valid plan."""
    return {"schema": "plan-check/v1", "problems": list(map(problem_as_data, problems))}


def problem_lines(problems: Iterable[Problem]) -> Iterator[str]:
    """Notes about a valid plan."""
    for problem in problems:
        yield f"{problem.severity}: {problem.code}: {problem.message}"


def timeline(simulated: Timeline) -> dict[str, Any]:
    """Everything that happened."""
    return {
        "schema": "plan-simulate/v1",
        "rounds": simulated.rounds,
        "state": simulated.result.state,
        "text": simulated.result.text,
        "events": [asdict(event) for event in simulated.events],
    }


def waited(goal: str, result: Waited) -> dict[str, Any]:
    """How far a plan has come in a cluster."""
    return {
        "schema": "live-wait-plan/v1",
        "for": goal,
        "state": result.result.state,
        "steps": [asdict(step) for step in result.steps],
    }


def rendered(render: RenderedPlan) -> dict[str, Any]:
    """The files that a driver adds, changes and removes."""
    return {
        "schema": "plan-render/v1",
        "driver": render.driver,
        "files": [
            {"path": file.path, "change": file.kind, "from": file.old_path}
            for file in render.change.files
        ],
        "problems": list(map(problem_as_data, render.problems)),
    }


def plan_lines(current: PlanHere) -> Iterator[str]:
    """The normal form, one step a line."""
    plan = current.plan
    if plan.node is not None:
        yield from _lines(plan.node, "")
    for leaving in current.removed:
        yield ": ".join(filter(None, ("removed", leaving.instance, leaving.effect)))
    for name in plan.unlisted:
        yield f"last: {name}"


def timeline_lines(simulated: Timeline) -> Iterator[str]:
    """One line for every call of a step."""
    for event in simulated.events:
        text = f"  {event.text}" if event.text else ""
        yield f"{event.round:>3}  {event.step}  {event.action}  {event.state}{text}"
    yield f"{simulated.result.state} after {simulated.rounds} rounds"


def picture(current: PlanHere, form: str) -> Iterator[str]:
    """The order as a graph: a flow chart for Mermaid, or for Graphviz."""
    head, node, edge, end = _PICTURES[form]
    before = current.plan.order.before
    names = {step: f"n{number}" for number, step in enumerate(before)}
    yield from head
    yield from (node.format(name, _label(step)) for step, name in names.items())
    for step, predecessors in before.items():
        yield from (edge.format(names[other], names[step]) for other in sorted(predecessors))
    yield from end


def _label(text: str) -> str:
    return escaping.one_line(text).replace("\\", "/").replace('"', "'")


_PICTURES = {
    "mermaid": (["flowchart LR"], '  {}["{}"]', "  {} --> {}", []),
    "dot": (["digraph plan {", "  rankdir=LR;"], '  {} [label="{}"];', "  {} -> {};", ["}"]),
}


def _lines(node: Node, indent: str) -> Iterator[str]:
    if isinstance(node, Serial | Concurrent):
        kind = "in order" if isinstance(node, Serial) else "at the same time"
        name = f"{node.name}: " if node.name else ""
        yield f"{indent}{name}{kind}"
        for child in node.children:
            yield from _lines(child, f"{indent}  ")
        return
    for step in steps_of(node):
        where = f" on {step.cluster}" if isinstance(step, Leaf) and step.cluster else ""
        word = "register " if isinstance(step, Register) else ""
        name = step.cluster if isinstance(step, Register) else step.id
        yield f"{indent}{word}{name}{where}"


def _node(node: Node) -> dict[str, Any]:
    if isinstance(node, Leaf):
        leaf: dict[str, Any] = {"instance": node.instance}
        if node.cluster:
            leaf |= {"cluster": node.cluster, "background": node.background}
        return leaf
    if isinstance(node, Register):
        return {"register": node.cluster}
    if isinstance(node, Resource):
        return {"resource": node.reference}
    assert isinstance(node, Serial | Concurrent)  # noqa: S101 - a normal form has no others
    kind = "serial" if isinstance(node, Serial) else "concurrent"
    name = {"name": node.name} if node.name else {}
    return {kind: [_node(child) for child in node.children], **name}
