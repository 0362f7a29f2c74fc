"""Why a parameter has its value, and what a line of a class file reaches: replayed when asked."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from commodore_py.adapters import yaml
from commodore_py.errors import CommodoreError
from commodore_py.inventory.engine.classes import ClassFiles
from commodore_py.inventory.engine.values import Map, Unresolved
from commodore_py.inventory.paths import dotted, path_parts
from commodore_py.model.inventory import BOOTSTRAP

from . import places
from .diagnostics import raise_failures, similar
from .line_effects import reached
from .replay import Hierarchy
from .steps import ABSENT
from .stories import told
from .tracer import Tracer

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from commodore_py.config import WorkPaths
    from commodore_py.inventory.engine.values import Value
    from commodore_py.model.spot import ParameterPath

    from .line_effects import Reach
    from .steps import Lookup, Step
    from .stories import Story

_PARAMETERS = "parameters"


@dataclass(frozen=True, slots=True)
class Explanation:
    """The steps to the value at a path, and those to what its references look up."""

    target: str
    path: ParameterPath
    steps: tuple[Step, ...]
    references: tuple[tuple[Lookup, ...], ...]
    """What each step's references came to."""
    looked_up: Mapping[ParameterPath, Explanation] = field(default_factory=dict)
    """How each parameter that was looked up, directly or not, got its value."""

    @property
    def value(self) -> Value:
        """The final value; ABSENT if there is none."""
        return self.steps[-1].after if self.steps else ABSENT


def laid_out(paths: WorkPaths) -> Hierarchy:
    """The hierarchy as the last compile left it in the working directory."""
    files = sorted(paths.targets.glob("*.yml")) if paths.targets.is_dir() else []
    if not files or not paths.classes.is_dir():
        raise CommodoreError(
            "there is no inventory to look into",
            where=str(paths.inventory),
            hint="compile the cluster here first, or name its working directory:"
            " `commodore -d DIR inventory explain …`",
        )
    root = paths.root.resolve()
    return Hierarchy(
        ClassFiles([("", paths.classes)]),
        {file.stem: file.read_bytes() for file in files},
        shown=lambda file: places.shown(file, root),
        target_file=lambda name: places.shown(paths.targets / f"{name}.yml", root),
    )


def explain(paths: WorkPaths, target: str, path: str) -> Explanation:
    """Why a parameter of a target, or of the cluster by its id, has its value."""
    hierarchy = laid_out(paths)
    name = _target_named(hierarchy, paths, target)
    return explained(hierarchy, name, path_parts(path))


def explained(hierarchy: Hierarchy, target: str, path: ParameterPath) -> Explanation:
    """Why a parameter of a target has its value; parameters that are nowhere are an error."""
    replay = hierarchy.replay(target)
    raise_failures(hierarchy, replay)
    tracer = Tracer(replay)
    if not tracer.follow(path):
        raise _nowhere(tracer, target, path)
    looked_up: dict[ParameterPath, Explanation] = {}
    result = _explanation(tracer, target, path, looked_up)
    waiting = _paths(result)
    while waiting:
        below = waiting.pop(0)
        if below not in looked_up and below != path and tracer.follow(below):
            looked_up[below] = _explanation(tracer, target, below, {})
            waiting += _paths(looked_up[below])
    return result


def _explanation(
    tracer: Tracer,
    target: str,
    path: ParameterPath,
    looked_up: dict[ParameterPath, Explanation],
) -> Explanation:
    steps = tracer.follow(path)
    references = tuple(tuple(_references(tracer, step)) for step in steps)
    return Explanation(target, path, steps, references, looked_up)


def _references(tracer: Tracer, step: Step) -> list[Lookup]:
    if step.lookup is not None:
        return [step.lookup]
    return list(tracer.lookups(step.value)) if step.value is not ABSENT else []


def _paths(explanation: Explanation) -> list[ParameterPath]:
    """What was looked up, innermost references first."""
    found: list[ParameterPath] = []

    def collect(lookup: Lookup) -> None:
        for inner in lookup.inner:
            collect(inner)
        if lookup.path and not lookup.default:
            found.append(lookup.path)

    for lookups in explanation.references:
        for lookup in lookups:
            collect(lookup)
    return found


def _target_named(hierarchy: Hierarchy, paths: WorkPaths, name: str) -> str:
    if name in hierarchy.targets:
        return name
    cluster = _cluster_id(paths)
    if name == cluster and BOOTSTRAP in hierarchy.targets:
        return BOOTSTRAP
    known = [*hierarchy.targets, *([cluster] if cluster else [])]
    raise CommodoreError(
        f"there is no target {name}",
        where=str(paths.targets),
        hint=similar(name, known, "the targets are"),
    )


def _cluster_id(paths: WorkPaths) -> str:
    if not paths.params_file.is_file():
        return ""
    content = yaml.load_file(paths.params_file)
    for key in (_PARAMETERS, "cluster", "name"):
        content = content.get(key) if isinstance(content, dict) else None
    return content if isinstance(content, str) else ""


def _nowhere(tracer: Tracer, target: str, path: ParameterPath) -> CommodoreError:
    above = path[:-1]
    while above and not tracer.follow(above):
        above = above[:-1]
    value = tracer.value(above)
    missing = dotted(path[: len(above) + 1])
    if type(value) is Map:
        keys = [dotted((*above, key)) for key in value.items]
        hint = similar(missing, keys, "there are")
    elif type(value) is Unresolved:
        hint = f"{dotted(above)} cannot be resolved: {value.error}"
    else:
        hint = f"{dotted(above)} is no mapping" if above else ""
    return CommodoreError(f"no layer of target {target} says anything about {missing}", hint=hint)


def reach(paths: WorkPaths, file: Path, line: int) -> Reach:
    """The parameters and targets that a line of a class file reaches."""
    return reached(laid_out(paths), file, line)


def story(paths: WorkPaths, target: str, path: str) -> Story:
    """Why a parameter of a target, or of the cluster by its id, has its value."""
    return told(explain(paths, target, path))
