"""Whether an edit takes effect: the merged value is compared with the intended one (pure)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commodore_py.errors import CommodoreError
from commodore_py.inventory.engine.values import Value, plain
from commodore_py.inventory.explain.steps import ABSENT
from commodore_py.inventory.explain.tracer import Tracer
from commodore_py.inventory.paths import dotted
from commodore_py.model.problem import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from commodore_py.inventory.explain.places import Place
    from commodore_py.inventory.explain.replay import Hierarchy
    from commodore_py.inventory.explain.steps import Step
    from commodore_py.model.spot import ParameterPath


def problems_of_set(
    hierarchy: Hierarchy, file: str, path: ParameterPath, value: Value
) -> Iterator[Problem]:
    """Why a value that a file sets is not, or not alone, the merged one; a problem a cause."""
    overridden: dict[Place, list[str]] = {}
    merged: dict[tuple[Place, ...], list[str]] = {}
    for target in hierarchy.targets:
        replay = hierarchy.replay(target)
        if all(layer.file != file for layer in replay.layers):
            continue
        tracer = Tracer(replay)
        steps = tracer.follow(path)
        if not steps:
            continue
        for step in steps:
            if step.error is not None and not step.within:
                raise CommodoreError(str(step.error), where=str(step.place))
        winner = _winner(tracer, path, value, file)
        if winner is not None:
            overridden.setdefault(winner.place, []).append(target)
        elif _has_more(_plain(steps[-1].after), value):
            others = tuple(step.place for step in steps if step.layer.file != file)
            merged.setdefault(others, []).append(target)
    for place, targets in overridden.items():
        yield Problem(
            f"the value has no effect: a higher layer sets {dotted(path)} of {_named(targets)}",
            where=str(place),
            severity="error",
            code="edit/no-effect",
            remedy=f"edit that layer: --at {place.file}",
        )
    for places, targets in merged.items():
        yield Problem(
            f"{dotted(path)} of {_named(targets)} also has what other layers set",
            where="\n".join(map(str, places)),
            code="edit/merged",
            remedy="`commodore edit override` replaces what lower layers set",
        )


def _named(targets: list[str]) -> str:
    more = f" and {len(targets) - 1} more" if len(targets) > 1 else ""
    return f"target {targets[0]}{more}"


def value_now(hierarchy: Hierarchy, target: str, path: ParameterPath) -> tuple[Value, str]:
    """The merged value at a path, and the place of the layer that gave it; `ABSENT` if none."""
    steps = Tracer(hierarchy.replay(target)).follow(path)
    if not steps:
        return ABSENT, ""
    return _plain(steps[-1].after), str(steps[-1].place)


def _winner(tracer: Tracer, path: ParameterPath, value: Value, file: str) -> Step | None:
    """The layer that decides in place of the file."""
    if isinstance(value, dict) and value:
        winners = (_winner(tracer, (*path, key), item, file) for key, item in value.items())
        return next((one for one in winners if one is not None), None)
    steps = tracer.follow(path)
    own = [number for number, step in enumerate(steps) if step.layer.file == file]
    later = steps[own[-1] + 1 :] if own else steps
    if isinstance(value, list | dict):
        later = tuple(step for step in later if step.resets)
    if not later or (own and _plain(steps[-1].after) == _plain(steps[own[-1]].after)):
        return None
    return later[-1]


def _has_more(merged: Value, value: Value) -> bool:
    """Whether other layers add keys or items to a value."""
    if isinstance(value, dict) and isinstance(merged, dict):
        return any(key not in value or _has_more(merged[key], value[key]) for key in merged)
    return isinstance(value, list) and isinstance(merged, list) and len(merged) > len(value)


def _plain(value: Value) -> Value:
    try:
        return plain(value)
    except CommodoreError:
        return value
