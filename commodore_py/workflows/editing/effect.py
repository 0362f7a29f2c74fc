"""Check the effect of an edit: compare the merged value with the intended one (pure)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commodore_py.adapters.yaml.pieces import inline
from commodore_py.errors import CommodoreError
from commodore_py.inventory.class_edits import own_items
from commodore_py.inventory.engine.values import Unresolved, Value, kind_of, plain
from commodore_py.inventory.explain.steps import ABSENT
from commodore_py.inventory.paths import dotted
from commodore_py.model.inventory import BOOTSTRAP
from commodore_py.model.problem import Problem

from .applications import REMOVED

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from commodore_py.inventory.explain.hierarchy import Hierarchy
    from commodore_py.inventory.explain.replay import Replay
    from commodore_py.inventory.explain.steps import Step
    from commodore_py.model.inventory import Node
    from commodore_py.model.problem import Place
    from commodore_py.model.spot import ParameterPath

    from .plan import Plan


def problems_of(plan: Plan, nodes: Mapping[str, Node] | None = None) -> Iterator[Problem]:
    """Why an edit has no effect, or not that effect alone; `nodes` are the merged values."""
    verb = plan.request.verb
    if plan.application:
        yield from _of_application(plan.staged, plan.application, enable=verb == "add")
        return
    if verb in ("unset", "remove"):
        return
    if plan.meant:
        yield Problem(
            f"no layer sets {dotted(plan.path)} so far",
            where=plan.choice.shown,
            code="parameters/unknown-key",
            remedy=f"did you mean {plan.meant}?",
        )
    if plan.stray:
        yield Problem(
            f"no layer sets {plan.path[0]} so far, and no component has that name",
            where=plan.choice.shown,
            code="parameters/unknown-key",
            remedy=plan.stray,
        )
    value = plan.request.value
    if verb == "add" or plan.is_item:
        path = ("parameters", *map(str, plan.path))
        value = own_items(plan.after, path, name=plan.choice.shown)
    yield from _of_set(plan, value, nodes)
    yield from _of_type(plan, value)


def value_now(plan: Plan) -> str:
    """The value that applies once a layer does not set it, and its place; empty if none does."""
    steps = plan.staged.replay(plan.target).follow(plan.path)
    value = _plain(steps[-1].after) if steps else ABSENT
    return "" if value is ABSENT else f"{inline(value)} ({steps[-1].place})"


def _of_set(plan: Plan, value: Value, nodes: Mapping[str, Node] | None) -> Iterator[Problem]:
    hierarchy, file, path = plan.staged, plan.choice.shown, plan.path
    overridden: dict[Place, list[str]] = {}
    merged: dict[tuple[Place, ...], list[str]] = {}
    for target in hierarchy.targets:
        if nodes is not None and target in nodes and _is_at(nodes[target].parameters, path, value):
            continue
        replay = hierarchy.replay(target)
        is_layer = any(layer.file == file for layer in replay.layers)
        steps = tuple(replay.follow(path)) if is_layer else ()
        for step in steps:
            if step.error is not None and not step.within:
                raise CommodoreError(str(step.error), where=str(step.place))
        if not steps:
            continue
        winner = _winner(replay, path, value, file)
        if winner is not None:
            overridden.setdefault(winner.place, []).append(target)
        elif not plan.is_item and _has_more(_plain(steps[-1].after), value):
            others = tuple(step.place for step in steps if step.layer.file != file)
            merged.setdefault(others, []).append(target)
    for place, targets in overridden.items():
        yield Problem(
            f"the value has no effect: a higher layer sets {dotted(path)} of {_named(targets)}",
            where=str(place),
            severity="error",
            code="edit/no-effect",
            remedy=f"edit that layer: --at {place.file}",
            options=(place.file,),
        )
    for places, targets in merged.items():
        yield Problem(
            f"{dotted(path)} of {_named(targets)} also has what other layers set",
            where="\n".join(map(str, places)),
            code="edit/merged",
            remedy="by hand, a key that begins with `~` replaces what lower layers set",
        )


def _of_type(plan: Plan, value: Value) -> Iterator[Problem]:
    """Another type than the default of a component that has no schema."""
    hierarchy, name = plan.staged, f"defaults.{plan.target}"
    if name not in hierarchy.files:
        return
    file = hierarchy.file_of(name)
    if hierarchy.files.path(name).resolve().with_name("defaults.schema.json").is_file():
        return
    replay = hierarchy.replay(plan.target)
    steps = replay.follow(plan.path)
    step = next((step for step in steps if step.layer.file == file and not step.lookup), None)
    default = ABSENT if step is None else _plain(replay.resolved(step.value))
    if step is None or _may_be_any(default) or _may_be_any(value):
        return
    if kind_of(default) != kind_of(value):
        yield Problem(
            f"{dotted(plan.path)} is {kind_of(default)} in the defaults, and {kind_of(value)} now",
            where=str(step.place),
            code="parameters/type",
            remedy="put VALUE in quotes to set a text" if isinstance(default, str) else "",
        )


def _may_be_any(value: Value) -> bool:
    """Return whether a value says nothing about its type: missing, empty, or a reference."""
    reference = isinstance(value, Unresolved) or (isinstance(value, str) and "${" in value)
    return value is ABSENT or value is None or reference


def _of_application(hierarchy: Hierarchy, name: str, *, enable: bool) -> Iterator[Problem]:
    staged: Replay = hierarchy.replay(BOOTSTRAP)
    if (name in staged.state.applications.names) == enable:
        return
    place = staged.place_of_application(f"{REMOVED}{name}" if enable else name)
    yield Problem(
        f"the edit has no effect: another layer {'removes' if enable else 'lists'} {name}",
        where=str(place or ""),
        severity="error",
        code="edit/no-effect",
        remedy=f"edit that layer: --at {place.file}" if place else "",
    )


def _is_at(merged: object, path: ParameterPath, value: Value) -> bool:
    """Return whether a merged value is the intended one; references are looked up in layers."""
    for part in path:
        if not isinstance(merged, dict) or part not in merged:
            return False
        merged = merged[part]
    return type(merged) is type(value) and bool(merged == value)


def _named(targets: list[str]) -> str:
    more = f" and {len(targets) - 1} more" if len(targets) > 1 else ""
    return f"target {targets[0]}{more}"


def _winner(replay: Replay, path: ParameterPath, value: Value, file: str) -> Step | None:
    """The layer that decides in place of the file."""
    if isinstance(value, dict) and value:
        winners = (_winner(replay, (*path, key), item, file) for key, item in value.items())
        return next((winner for winner in winners if winner is not None), None)
    steps = replay.follow(path)
    file_steps = [number for number, step in enumerate(steps) if step.layer.file == file]
    later = steps[file_steps[-1] + 1 :] if file_steps else steps
    if isinstance(value, list | dict):
        later = tuple(step for step in later if step.resets)
    if not later or (file_steps and _plain(steps[-1].after) == _plain(steps[file_steps[-1]].after)):
        return None
    return later[-1]


def _has_more(merged: Value, value: Value) -> bool:
    """Return whether other layers add keys or items to a value."""
    if isinstance(value, dict) and isinstance(merged, dict):
        return any(key not in value or _has_more(merged[key], value[key]) for key in merged)
    return isinstance(value, list) and isinstance(merged, list) and len(merged) > len(value)


def _plain(value: Value) -> Value:
    try:
        return plain(value)
    except CommodoreError:
        return value
