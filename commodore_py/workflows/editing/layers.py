"""Which class file an edit belongs to: a layer within its scope."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from commodore_py.errors import CommodoreError
from commodore_py.inventory.engine.values import Map
from commodore_py.inventory.explain.tracer import Tracer
from commodore_py.inventory.paths import dotted
from commodore_py.model.inventory import BOOTSTRAP
from commodore_py.model.names import did_you_mean, typo_of

if TYPE_CHECKING:
    from pathlib import Path

    from commodore_py.inventory.explain.replay import Hierarchy, Layer, Replay
    from commodore_py.model.spot import ParameterPath

    from .requests import Level, Request

_GLOBAL = "global"
_GENERATED = "params"
_ENTRY = "commodore"
_COMMON = "common"


@dataclass(frozen=True, slots=True)
class Scope:
    """Which clusters an edit may reach: layers of the level, and of no other."""

    level: Level
    tenant: str
    cluster: str

    def holds(self, name: str) -> bool:
        """Return whether a class belongs to the level."""
        top, *parts = name.split(".")
        names_cluster = top == self.tenant and self.cluster in parts
        match self.level:
            case "cluster":
                return names_cluster
            case "tenant":
                return top == self.tenant and not names_cluster
        return top == _GLOBAL

    @property
    def usual(self) -> str:
        """The class that takes what none of the level has set before."""
        match self.level:
            case "cluster":
                return f"{self.tenant}.{self.cluster}"
            case "tenant":
                return f"{self.tenant}.{_COMMON}"
        return f"{_GLOBAL}.{_ENTRY}"

    def __str__(self) -> str:
        match self.level:
            case "cluster":
                return f"cluster {self.cluster}"
            case "tenant":
                return f"tenant {self.tenant}"
        return "all clusters"


@dataclass(frozen=True, slots=True)
class Choice:
    """The layer of an edit, and why it is this one."""

    name: str
    file: Path
    shown: str
    reason: str
    others: tuple[str, ...] = ()
    """Files of the same scope that could take it, too."""

    @property
    def real_file(self) -> Path:
        """The file, by the real name of its folder: a link stays one, and is refused."""
        return self.file.parent.resolve() / self.file.name


def choose(hierarchy: Hierarchy, replay: Replay, scope: Scope, path: ParameterPath) -> Choice:
    """The highest layer of a scope that sets a path, else most of what is above it."""
    layers = candidates(hierarchy, replay, scope)
    depths = [_depth(layer, path) for _, layer in layers]
    deepest = max(depths)
    if deepest == len(path):
        name, reason = layers[depths.index(deepest)][0], "sets it now"
    elif deepest:
        name, reason = layers[depths.index(deepest)][0], "sets what is above it"
    else:
        name = scope.usual if scope.usual in dict(layers) else layers[0][0]
        reason = f"the class of {scope}"
    return chosen(
        hierarchy, name, reason, [layer_name for layer_name, _ in layers if layer_name != name]
    )


def candidates(hierarchy: Hierarchy, replay: Replay, scope: Scope) -> list[tuple[str, Layer]]:
    """The layers of a scope with the names of their classes, the highest first; at least one."""
    names = {hierarchy.file_of(name): name for name in hierarchy.files.names()}
    layers = [
        (name, layer)
        for layer in reversed(replay.layers)
        if (name := names.get(layer.file, "")) and scope.holds(name)
    ]
    if not layers:
        raise _none(hierarchy, replay, scope)
    return layers


def chosen(hierarchy: Hierarchy, name: str, reason: str, others: list[str] | None = None) -> Choice:
    """A class as the layer of an edit."""
    shown = [hierarchy.file_of(other) for other in others or []]
    return Choice(name, hierarchy.files.path(name), hierarchy.file_of(name), reason, tuple(shown))


def layer_of(hierarchy: Hierarchy, replay: Replay, request: Request, path: ParameterPath) -> Choice:
    """The layer that a request about a parameter changes."""
    if request.at is not None:
        return named(hierarchy, replay, request.at)
    return choose(hierarchy, replay, scope_of(replay, request.level), path)


def scope_of(replay: Replay, level: Level) -> Scope:
    """The classes of a level, for the cluster that was compiled."""
    tracer = Tracer(replay)
    ids = {
        name: str(tracer.value(("cluster", name)))
        for name in ("tenant", "name")
        if tracer.follow(("cluster", name))
    }
    return Scope(level, ids.get("tenant", ""), ids.get("name", ""))


def tenant_in(hierarchy: Hierarchy) -> str:
    """The tenant of the cluster that was compiled."""
    return scope_of(hierarchy.replay(BOOTSTRAP), "tenant").tenant


def named(hierarchy: Hierarchy, replay: Replay, file: Path) -> Choice:
    """The layer of a file that the user names."""
    path = file.resolve()
    files = hierarchy.files
    names = [name for name in files.names() if files.path(name).resolve() == path]
    if not names:
        raise CommodoreError(
            "not a class file of this hierarchy" if file.is_file() else "no such file",
            where=str(file),
        )
    choice = chosen(hierarchy, names[0], "named by --at")
    if choice.name.split(".")[0] == _GENERATED:
        raise CommodoreError(
            "this file is generated from the facts of the cluster",
            where=choice.shown,
            hint="change the facts where they are kept",
        )
    if choice.shown not in {layer.file for layer in replay.layers}:
        raise CommodoreError(
            f"class {choice.name} is not included by target {replay.target}",
            where=choice.shown,
            hint="add it to the list of classes of a file that is",
        )
    return choice


def meant(replay: Replay, path: ParameterPath) -> str:
    """A parameter that is set and has almost the name of one that is not."""
    tracer = Tracer(replay)
    for depth, part in enumerate(path):
        if tracer.follow(path[: depth + 1]):
            continue
        value = tracer.value(path[:depth])
        keys = [str(key) for key in value.items] if isinstance(value, Map) else []
        close = typo_of(str(part), keys)
        return dotted((*path[:depth], close, *path[depth + 1 :])) if close else ""
    return ""


def _depth(layer: Layer, path: ParameterPath) -> int:
    """How much of a path a layer holds."""
    value: object = layer.parameters
    for depth, part in enumerate(path):
        if not isinstance(value, Map):
            return depth
        key = next((key for key in value.items if str(key) == str(part)), None)
        if key is None:
            return depth
        value = value.items[key]
    return len(path)


def _none(hierarchy: Hierarchy, replay: Replay, scope: Scope) -> CommodoreError:
    included = [layer.file for layer in replay.layers]
    files = [
        hierarchy.file_of(name)
        for name in sorted(hierarchy.files.names())
        if name.split(".")[0] in {scope.tenant, _GLOBAL} and hierarchy.file_of(name) in included
    ]
    wider = "--tenant or --global" if scope.level == "cluster" else "--global"
    hint = f"use {wider}, or name one of these by --at: {', '.join(files)}"
    if scope.level == "global":
        hint = did_you_mean(scope.usual, hierarchy.files.names(), listed="there are")
    return CommodoreError(f"no class of {scope} is included by target {replay.target}", hint=hint)
