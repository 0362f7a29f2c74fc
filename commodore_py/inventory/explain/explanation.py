"""Why a parameter has its value: each layer that sets it, and each reference that it uses."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from commodore_py.adapters import yaml
from commodore_py.errors import CommodoreError
from commodore_py.inventory.engine.values import Map, Unresolved
from commodore_py.inventory.paths import Selector, dotted, path_parts
from commodore_py.manifests.objects import value_in
from commodore_py.model.inventory import BOOTSTRAP, parameter_key
from commodore_py.model.names import did_you_mean

from .diagnostics import raise_failures
from .hierarchy import compiled_hierarchy
from .steps import plain_value, problem_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from commodore_py.config import WorkPaths
    from commodore_py.model.spot import ParameterPath

    from .hierarchy import Hierarchy
    from .lookups import Lookup
    from .replay import Replay
    from .steps import Step


@dataclass(frozen=True, slots=True)
class Explanation:
    """How a parameter got its value."""

    target: str
    path: str
    name: str
    """The last part of the path."""
    value: Any
    problem: str
    steps: tuple[Step, ...]
    looked_up: Mapping[str, Explanation] = field(default_factory=dict)
    """The same for each parameter that its references look up, directly or not."""


class UnknownParameter(CommodoreError):
    """A parameter that no layer sets."""

    problem_code = "parameters/not-set"


def explain(paths: WorkPaths, target: str, written: str) -> Explanation:
    """Why a parameter of a target, or of the cluster by its id, has its value.

    A parameter that no layer sets is an error.
    """
    hierarchy = compiled_hierarchy(paths)
    name, parts = _target_named(hierarchy, paths, target), path_parts(written)
    replay = hierarchy.replay(name)
    raise_failures(hierarchy, replay)
    path = _by_index(replay, parts)
    if not replay.follow(path):
        raise _unknown_parameter(replay, path)
    explanations: dict[ParameterPath, Explanation] = {}
    waiting = deque([path])
    while waiting:
        current = waiting.popleft()
        steps = replay.follow(current)
        if current in explanations or not steps:
            continue
        value = steps[-1].after
        steps = tuple(replace(step, references=_references(replay, step)) for step in steps)
        for step in steps:
            waiting.extend(_paths(step.references))
        explanations[current] = Explanation(
            replay.target,
            dotted(current),
            dotted(current[-1:]),
            plain_value(value),
            problem_of(value),
            steps,
        )
    result = explanations.pop(path)
    return replace(result, looked_up={other.path: other for other in explanations.values()})


def _by_index(replay: Replay, path: ParameterPath) -> ParameterPath:
    """A path whose list items have their index in the merged list."""
    for depth, part in enumerate(path):
        if isinstance(part, Selector):
            index = part.index_in(plain_value(replay.value(path[:depth])))
            if index is None:
                what = f"no single item of {dotted(path[:depth])} has {part.field} {part.value}"
                raise UnknownParameter(what, where=f"target {replay.target}")
            path = (*path[:depth], index, *path[depth + 1 :])
    return path


def _references(replay: Replay, step: Step) -> tuple[Lookup, ...]:
    return (step.lookup,) if step.lookup else tuple(replay.lookups(step.value))


def _paths(lookups: Iterable[Lookup]) -> Iterator[ParameterPath]:
    """The parameters that are looked up, innermost references first."""
    for lookup in lookups:
        yield from _paths(lookup.inner)
        if lookup.path and not lookup.default:
            yield lookup.path


def _target_named(hierarchy: Hierarchy, paths: WorkPaths, name: str) -> str:
    if name in hierarchy.targets:
        return name
    cluster = _cluster_id(paths)
    if name == cluster and BOOTSTRAP in hierarchy.targets:
        return BOOTSTRAP
    targets = [*hierarchy.targets, *([cluster] if cluster else [])]
    raise CommodoreError(
        f"target {name} not found",
        where=str(paths.targets),
        hint=did_you_mean(name, targets, listed="the targets are"),
    )


def _cluster_id(paths: WorkPaths) -> str:
    if not paths.params_file.is_file():
        return ""
    name = value_in(yaml.load_file(paths.params_file), "parameters", "cluster", "name")
    return name if isinstance(name, str) else ""


def _unknown_parameter(replay: Replay, path: ParameterPath) -> CommodoreError:
    above = path[:-1]
    while above and not replay.follow(above):
        above = above[:-1]
    value = replay.value(above)
    missing = dotted(path[: len(above) + 1])
    if type(value) is Map:
        keys = [dotted((*above, key)) for key in value.items]
        of_target = (parameter_key(replay.target), *path)
        hint = did_you_mean(missing, keys, listed="there are")
        if replay.follow(of_target):
            hint = f"did you mean {dotted(of_target)}?"
    elif type(value) is Unresolved:
        hint = f"{dotted(above)} cannot be resolved: {value.error}"
    else:
        hint = f"{dotted(above)} is not a mapping" if above else ""
    return UnknownParameter(f"no layer of target {replay.target} sets {missing}", hint=hint)
