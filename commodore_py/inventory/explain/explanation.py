"""Why a parameter has its value: each layer that sets it, and each reference that it uses."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from commodore_py.adapters import yaml
from commodore_py.errors import CommodoreError
from commodore_py.inventory.engine.values import (
    Map,
    Sequence,
    Stack,
    Token,
    Unresolved,
    plain,
    plain_key,
)
from commodore_py.inventory.paths import Selector, dotted, path_parts
from commodore_py.manifests.objects import value_in
from commodore_py.model.inventory import BOOTSTRAP, parameter_key
from commodore_py.model.names import did_you_mean

from .diagnostics import raise_failures
from .hierarchy import compiled_hierarchy
from .steps import ABSENT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from commodore_py.config import WorkPaths
    from commodore_py.inventory.engine.values import Value
    from commodore_py.model.problem import Place
    from commodore_py.model.spot import ParameterPath

    from .hierarchy import Hierarchy
    from .lookups import Lookup
    from .replay import Replay
    from .steps import Step

MISSING: Any = ABSENT
"""Stands for no value, in `before` and `after`."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A reference and its value."""

    written: str
    path: str
    value: Any
    default: bool = False
    problem: str = ""
    inner: tuple[Reference, ...] = ()


@dataclass(frozen=True, slots=True)
class Change:
    """The effect of one layer on the value."""

    action: str
    """set, replace, merge, append, override, null, remove or fail"""
    place: Place
    chain: tuple[str, ...]
    at: str
    key: str
    """The key as written, with its marks."""
    written: Any
    before: Any
    after: Any
    mark: str = ""
    """The key with the `~` that discarded the value before."""
    constant: bool = False
    problem: str = ""
    references: tuple[Reference, ...] = ()


@dataclass(frozen=True, slots=True)
class Explanation:
    """How a parameter got its value."""

    target: str
    path: str
    value: Any
    problem: str
    changes: tuple[Change, ...]
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
        changes: list[Change] = []
        for step in steps:
            lookups = (step.lookup,) if step.lookup else tuple(replay.lookups(step.value))
            changes.append(_change(step, lookups, current))
            waiting.extend(_paths(lookups))
        explanations[current] = Explanation(
            replay.target, dotted(current), _plain(value), _problem(value), tuple(changes)
        )
    result = explanations.pop(path)
    return replace(result, looked_up={other.path: other for other in explanations.values()})


def _by_index(replay: Replay, path: ParameterPath) -> ParameterPath:
    """A path whose list items have their index in the merged list."""
    for depth, part in enumerate(path):
        if isinstance(part, Selector):
            index = part.index_in(_plain(replay.value(path[:depth])))
            if index is None:
                what = f"no single item of {dotted(path[:depth])} has {part.field} {part.value}"
                raise UnknownParameter(what, where=f"target {replay.target}")
            path = (*path[:depth], index, *path[depth + 1 :])
    return path


def _paths(lookups: Iterable[Lookup]) -> Iterator[ParameterPath]:
    """The parameters that are looked up, innermost references first."""
    for lookup in lookups:
        yield from _paths(lookup.inner)
        if lookup.path and not lookup.default:
            yield lookup.path


def _change(step: Step, lookups: tuple[Lookup, ...], path: ParameterPath) -> Change:
    return Change(
        _action(step),
        step.place,
        step.layer.chain,
        dotted(step.at),
        str(step.key.value if step.key is not None else "") or dotted(path[-1:]),
        MISSING if step.value is ABSENT else _as_written(step.value),
        _plain(step.before),
        _plain(step.after),
        mark=step.mark,
        constant=step.constant,
        problem=str(step.error) if step.error is not None else _problem(step.after),
        references=tuple(map(_reference, lookups)),
    )


def _action(step: Step) -> str:  # noqa: PLR0911 - a line per kind of step
    before, after = step.before, step.after
    if step.error is not None or type(after) is Unresolved:
        return "fail"
    if step.value is ABSENT:
        return "remove"
    if before is ABSENT:
        return "set"
    if after is None:
        return "null"
    if step.resets:
        return "override"
    if type(before) is Map and type(after) is Map:
        return "merge"
    if isinstance(before, (list, Sequence)) and isinstance(after, (list, Sequence)):
        return "append"
    return "replace"


def _reference(lookup: Lookup) -> Reference:
    return Reference(
        lookup.written,
        dotted(lookup.path),
        _plain(lookup.value),
        default=lookup.default,
        problem=_problem(lookup.value),
        inner=tuple(map(_reference, lookup.inner)),
    )


def _as_written(value: Value) -> Any:  # noqa: ANN401 - plain YAML values
    """A value as in its file, with references and marks."""
    match value:
        case Token():
            return value.text
        case Map():
            return {_marked(value, key): _as_written(child) for key, child in value.items.items()}
        case Sequence():
            return [_as_written(item) for item in value.items]
        case list():
            return [_as_written(item) for item in value]
        case Stack():
            return _as_written(value.layers[-1])
    return value


def _marked(value: Map, key: Any) -> Any:  # noqa: ANN401 - plain YAML keys
    marks = ("=" if key in value.constant else "") + ("~" if key in value.overriding else "")
    return f"{marks}{plain_key(key)}" if marks else plain_key(key)


def _plain(value: Value) -> Any:  # noqa: ANN401 - plain YAML values
    if value is ABSENT or type(value) is Unresolved:
        return MISSING
    return _without_unresolved(plain(value))


def _without_unresolved(value: Any) -> Any:  # noqa: ANN401 - plain YAML values
    """A value with a message in place of each part that cannot be resolved."""
    if isinstance(value, dict):
        return {key: _without_unresolved(child) for key, child in value.items()}
    if isinstance(value, list):
        return [_without_unresolved(item) for item in value]
    return f"<cannot be resolved: {value.error}>" if isinstance(value, Unresolved) else value


def _problem(value: Value) -> str:
    return str(value.error) if type(value) is Unresolved else ""


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
