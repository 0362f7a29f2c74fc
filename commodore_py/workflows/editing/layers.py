"""Which class file an edit belongs to: a layer within its scope."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from commodore_py.errors import CommodoreError
from commodore_py.inventory.engine.values import Map
from commodore_py.inventory.paths import dotted
from commodore_py.model.names import did_you_mean, typo_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from commodore_py.inventory.explain.hierarchy import Hierarchy
    from commodore_py.inventory.explain.replay import Replay
    from commodore_py.inventory.explain.steps import Layer
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

    @classmethod
    def of(cls, replay: Replay, level: Level) -> Scope:
        """The classes of a level, for the cluster that was compiled."""
        tenant, cluster = (
            str(replay.value(("cluster", name))) if replay.follow(("cluster", name)) else ""
            for name in ("tenant", "name")
        )
        return cls(level, tenant, cluster)

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
        usual = {
            "cluster": f"{self.tenant}.{self.cluster}",
            "tenant": f"{self.tenant}.{_COMMON}",
            "global": f"{_GLOBAL}.{_ENTRY}",
        }
        return usual[self.level]

    def __str__(self) -> str:
        shown = {
            "cluster": f"cluster {self.cluster}",
            "tenant": f"tenant {self.tenant}",
            "global": "all clusters",
        }
        return shown[self.level]


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


def choose(
    hierarchy: Hierarchy,
    replay: Replay,
    request: Request,
    holds: Callable[[str, Layer], int],
    reasons: Mapping[int, str],
) -> Choice:
    """The file that is named, or the highest layer of the scope that holds most of it.

    `holds` is how much a class and its layer hold of what is edited; 0 has no reason.
    """
    if request.at is not None:
        return _named(hierarchy, replay, request.at)
    scope = Scope.of(replay, request.level)
    holding = {
        layer.absolute: holds(layer.absolute, layer)
        for layer in reversed(replay.layers)
        if layer.absolute in hierarchy.files and scope.holds(layer.absolute)
    }
    if not holding:
        raise _none(hierarchy, replay, scope)
    depth = max(holding.values())
    name = next(name for name, held in holding.items() if held == depth)
    if not depth and scope.usual in holding:
        name = scope.usual
    reason = reasons[depth] if depth else f"the class of {scope}"
    return _chosen(hierarchy, name, reason, [other for other in holding if other != name])


def choose_for(
    hierarchy: Hierarchy, replay: Replay, request: Request, path: ParameterPath
) -> Choice:
    """The layer that a request about a parameter changes: it sets the path, or most above it."""
    reasons = dict.fromkeys(range(len(path)), "sets what is above it")
    reasons[len(path)] = "sets it now"
    return choose(hierarchy, replay, request, lambda _, layer: _depth(layer, path), reasons)


def _chosen(hierarchy: Hierarchy, name: str, reason: str, others: list[str]) -> Choice:
    shown = tuple(map(hierarchy.file_of, others))
    return Choice(name, hierarchy.files.path(name), hierarchy.file_of(name), reason, shown)


def _named(hierarchy: Hierarchy, replay: Replay, file: Path) -> Choice:
    """The layer of a file that the user names."""
    path = file.resolve()
    files = hierarchy.files
    names = [name for name in files.names() if files.path(name).resolve() == path]
    if not names:
        raise CommodoreError(
            "not a class file of this hierarchy" if file.is_file() else "no such file",
            where=str(file),
        )
    choice = _chosen(hierarchy, names[0], "named by --at", [])
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
    for depth, part in enumerate(path):
        if replay.follow(path[: depth + 1]):
            continue
        value = replay.value(path[:depth])
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
    included = sorted(layer.absolute for layer in replay.layers if layer.absolute)
    tops = {scope.tenant, _GLOBAL}
    files = [hierarchy.file_of(name) for name in included if name.split(".")[0] in tops]
    wider = "--tenant or --global" if scope.level == "cluster" else "--global"
    hint = f"use {wider}, or name one of these by --at: {', '.join(files)}"
    if scope.level == "global":
        hint = did_you_mean(scope.usual, hierarchy.files.names(), listed="there are")
    return CommodoreError(f"no class of {scope} is included by target {replay.target}", hint=hint)
