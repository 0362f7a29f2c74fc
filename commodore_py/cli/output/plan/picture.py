"""A plan as a picture: boxes from left to right are in order, one above the other at once."""

from __future__ import annotations

import html
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from commodore_py.adapters import escaping
from commodore_py.cli.output.pages import Column, Row, Section, page
from commodore_py.delivery.nodes import (
    Concurrent,
    Leaf,
    Register,
    Resource,
    Serial,
    children_of,
    steps_of,
)
from commodore_py.model.inventory import BOOTSTRAP
from commodore_py.model.spot import Spot

if TYPE_CHECKING:
    from collections.abc import Iterator

    from commodore_py.delivery.nodes import Node
    from commodore_py.delivery.plan import Plan
    from commodore_py.workflows.plans import PlanHere

_LETTER, _LINE, _GAP, _ARROW, _PAD = 8, 34, 10, 30, 12
_STYLE = (
    "text{font:14px system-ui,sans-serif;fill:currentColor}"
    "rect{fill:none;stroke:currentColor;rx:6px}.group{stroke-dasharray:4 3;opacity:.7}"
    ".small{font-size:11px;opacity:.8}path{stroke:currentColor;fill:none}"
)


class _Box(NamedTuple):
    width: int
    height: int


def svg(plan: Plan) -> str:
    """The picture; it needs neither fonts nor programs."""
    node = _whole(plan)
    box = _size(node) if node is not None else _Box(0, 0)
    width, height = box.width + 2 * _PAD, box.height + 2 * _PAD
    drawn = "\n".join(_drawn(node, _PAD, _PAD)) if node is not None else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"'
        f' width="{width}" height="{height}" role="img" aria-label="The order of the plan">\n'
        f"<style>{_STYLE}</style>\n{drawn}\n</svg>\n"
    )


def web_page(here: PlanHere) -> str:
    """The picture, and tables of the steps and of what is to be known."""
    plan = here.plan
    about = f"Drivers: {', '.join(plan.settings.drivers)}."
    steps = [Row(cells) for cells in _rows(plan)]
    gone = [
        Row((one.leaf.instance, Spot(BOOTSTRAP, one.when.path).parameter)) for one in plan.removed
    ]
    problems = [Row((one.severity, one.code, one.message, one.where)) for one in here.problems]
    sections = (
        Section("steps", "Steps", _columns("Step", "What", "Cluster", "After"), steps),
        Section("removed", "Removed", _columns("Instance", "Below"), gone),
        Section("problems", "Notices", _columns("Severity", "Code", "Problem", "Where"), problems),
    )
    return page("The plan of the cluster", about, sections, picture=svg(plan))


def _columns(*names: str) -> tuple[Column, ...]:
    return tuple(map(Column, names))


def _rows(plan: Plan) -> Iterator[tuple[str, ...]]:
    order = plan.order.before
    for step in steps_of(_whole(plan)):
        cluster = "" if isinstance(step, Register) else step.cluster
        yield step.id, _kind(step), cluster, ", ".join(sorted(order.get(step.id, ())))


def _whole(plan: Plan) -> Node | None:
    last = Concurrent(tuple(map(Leaf, plan.unlisted)), name="not in the plan")
    if not plan.unlisted:
        return plan.node
    return Serial((plan.node, last)) if plan.node is not None else last


def _kind(node: Node) -> str:
    if isinstance(node, Register):
        return "registration"
    return "object" if isinstance(node, Resource) else "instance"


def _texts(node: Node) -> tuple[str, str]:
    (step,) = steps_of(node)
    if isinstance(step, Register):
        return f"register {step.cluster}", ""
    name = step.instance if isinstance(step, Leaf) else step.name or step.reference
    return name, f"on {step.cluster}" if step.cluster else ""


def _is_framed(node: Node) -> bool:
    return isinstance(node, Serial | Concurrent) and bool(node.name)


def _size(node: Node) -> _Box:
    """How much space a node takes, its frame and name included."""
    children = children_of(node)
    if not children:
        return _Box(_LETTER * max(map(len, _texts(node))) + 24, _LINE + 12 * bool(_texts(node)[1]))
    sizes = [_size(child) for child in children]
    across, down = [one.width for one in sizes], [one.height for one in sizes]
    if isinstance(node, Serial):
        box = _Box(sum(across) + _ARROW * (len(sizes) - 1), max(down))
    else:
        box = _Box(max(across), sum(down) + _GAP * (len(sizes) - 1))
    if not _is_framed(node):
        return box
    name = getattr(node, "name", "")
    return _Box(max(box.width, _LETTER * len(name)) + 2 * _PAD, box.height + 2 * _PAD + 12)


def _drawn(node: Node, x: int, y: int) -> Iterator[str]:
    width, height = _size(node)
    children = children_of(node)
    if not children:
        name, where = _texts(node)
        yield f'<rect x="{x}" y="{y}" width="{width}" height="{height}"/>'
        yield f'<text x="{x + 12}" y="{y + 22}">{_text(name)}</text>'
        if where:
            yield f'<text class="small" x="{x + 12}" y="{y + 37}">{_text(where)}</text>'
        return
    if _is_framed(node):
        yield f'<rect class="group" x="{x}" y="{y}" width="{width}" height="{height}"/>'
        name = _text(getattr(node, "name", ""))
        yield f'<text class="small" x="{x + 8}" y="{y + 15}">{name}</text>'
        x, y, height = x + _PAD, y + _PAD + 12, height - 2 * _PAD - 12
    ends: list[tuple[int, int]] = []
    for child in children:
        size = _size(child)
        if isinstance(node, Serial):
            yield from _drawn(child, x, y + (height - size.height) // 2)
            ends.append((x, x + size.width))
            x += size.width + _ARROW
        else:
            yield from _drawn(child, x, y)
            y += size.height + _GAP
    middle = y + height // 2
    for (_, start), (end, _) in pairwise(ends):
        yield f'<path d="M{start + 4} {middle}H{end - 4}m-6 -5l6 5l-6 5"/>'


def _text(text: str) -> str:
    return html.escape(escaping.one_line(text))
