"""Plan an edit: the layer, the new bytes, and what was intended; nothing is written."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from commodore_py.adapters import yaml
from commodore_py.adapters.reading import content_of
from commodore_py.adapters.yaml.pieces import inline
from commodore_py.adapters.yaml.splice import Absent
from commodore_py.dependencies.protection.class_files import refuse_other_files
from commodore_py.errors import CommodoreError
from commodore_py.inventory.class_edits import Edit, edited, own_items, own_value
from commodore_py.inventory.explain.explanation import explain
from commodore_py.inventory.explain.hierarchy import compiled_hierarchy
from commodore_py.inventory.explain.steps import ABSENT
from commodore_py.inventory.paths import Index, dotted, path_parts
from commodore_py.model.inventory import BOOTSTRAP, parameter_key
from commodore_py.model.names import did_you_mean

from . import layers
from .applications import (
    APPLICATIONS,
    application_at,
    application_in,
    edits_of_applications,
    layer_of_application,
    value_of_applications,
    without_item,
)
from .list_items import layer_of_item, list_in, of_item, refuse_indices, refuse_taken_key
from .requests import UnknownName

if TYPE_CHECKING:
    from pathlib import Path

    from commodore_py.config import WorkPaths
    from commodore_py.inventory.explain.hierarchy import Hierarchy
    from commodore_py.inventory.explain.replay import Replay
    from commodore_py.model.spot import ParameterPath

    from .layers import Choice
    from .requests import Request


@dataclass(frozen=True, slots=True)
class Plan:
    """An edit of one class file."""

    request: Request
    choice: Choice
    before: bytes
    after: bytes
    staged: Hierarchy
    """The hierarchy with the new bytes."""
    target: str = BOOTSTRAP
    """The target whose layers were looked at."""
    path: ParameterPath = ()
    """The parameter, or the list that the item is in; empty for an application."""
    at: tuple[str | int, ...] = APPLICATIONS
    """The same or the item in the class file."""
    application: str = ""
    meant: str = ""
    """A parameter that is set, of almost the same name as one that is not."""
    stray: str = ""
    """For a parameter outside of all that layers set: where those of components are."""

    def __bool__(self) -> bool:
        return self.before != self.after

    def __str__(self) -> str:
        return str(self.request)

    @property
    def file(self) -> Path:
        """The class file."""
        return self.choice.real_file

    @property
    def line(self) -> int:
        """The line of the node, for messages; 0 if nothing changes."""
        if not self:
            return 0
        text = self.before if self.request.verb == "unset" else self.after
        return yaml.line_at(text, [0, *self.at])

    @property
    def is_item(self) -> bool:
        """True if it is about an item of a list, or what is below one."""
        return any(isinstance(part, Index) for part in self.at)

    @property
    def requests_dependencies(self) -> bool:
        """True if other versions of components and packages may have to be fetched."""
        is_versioned = self.path[:1] in (("components",), ("packages",))
        return is_versioned or (bool(self.application) and self.request.verb == "add")


def plan(paths: WorkPaths, request: Request) -> Plan:
    """The new bytes of the class file that a request belongs to."""
    hierarchy = compiled_hierarchy(paths)
    if request.at is not None:  # named as messages do, or as the shell completes it
        below = paths.root / request.at
        request = replace(request, at=below if below.is_file() else request.at.absolute())
    path = path_parts(request.path)
    refuse_indices(path)
    if request.item:
        replay = hierarchy.replay(target_of(hierarchy, path, request.target))
        request = of_item(replay, path, request)
        path = path_parts(request.path)
    application = application_in(hierarchy, request, path)
    target = BOOTSTRAP if application else target_of(hierarchy, path, request.target)
    replay = hierarchy.replay(target)
    at: tuple[str | int, ...] = APPLICATIONS
    meant, stray, is_item = "", "", list_in(path) != path
    if application:
        choice = layer_of_application(hierarchy, replay, request, application)
    elif is_item:
        choice, at = layer_of_item(hierarchy, replay, request, path)
    else:
        _refuse_unknown(hierarchy, replay, path)
        choice = layers.choose_for(hierarchy, replay, request, path)
        at = ("parameters", *map(str, path))
        meant = layers.meant(replay, path)
        stray = "" if meant else _stray(hierarchy, replay, path)
    refuse_other_files(paths, choice.real_file)
    before = after = content_of(choice.file)
    try:
        if application:
            edits = edits_of_applications(replay, request, application, choice, before)
        else:
            edits = _edits(request, path, at, choice, before)
            if edits and request.verb == "add":
                refuse_taken_key(replay, path, request.value)
        for edit in edits:
            after = edited(after, edit, name=choice.shown)
    except Absent:
        raise _not_set_there(replay, path, choice, meant) from None
    staged = compiled_hierarchy(paths, {choice.name: after}) if after != before else hierarchy
    path = () if application else list_in(path)
    return Plan(request, choice, before, after, staged, target, path, at, application, meant, stray)


def value_at(paths: WorkPaths, path: str, target: str) -> tuple[Any, str]:
    """The merged value at a path, or whether an application is on; and the place that sets it."""
    hierarchy = compiled_hierarchy(paths)
    application = application_at(hierarchy, path_parts(path))
    if application is not None:
        return value_of_applications(hierarchy, application)
    explanation = explain(paths, target or BOOTSTRAP, path)
    return explanation.value, str(explanation.steps[-1].place)


def _edits(
    request: Request,
    path: ParameterPath,
    at: tuple[str | int, ...],
    choice: Choice,
    before: bytes,
) -> list[Edit]:
    """The request as edits of the file; none if there is nothing to do."""
    match request.verb:
        case "set":
            _refuse_reference(own_value(before, at, name=choice.shown), path, request, choice.shown)
            return [Edit("set", at, request.value)]
        case "unset":
            return [Edit("unset", at)]
    items = own_items(before, at, name=choice.shown)
    if request.verb == "add":
        if request.value in items:
            return []
        return [Edit("append", at, [request.value])]
    if request.value not in items:
        raise CommodoreError(
            f"{inline(request.value)} is not an item of {dotted(path)} in this file",
            where=choice.shown,
            hint="lists only grow from layer to layer; by hand, a key that begins with `~` replaces"
            " what lower layers list",
        )
    return without_item(at, items, request.value)


def _refuse_reference(present: object, path: ParameterPath, request: Request, where: str) -> None:
    """Refuse to replace a reference, which others may expect to be one."""
    if not isinstance(present, str) or "${" not in present or present == request.value:
        return
    parameter = present[present.index("${") + 2 :].partition("}")[0].replace(":", ".")
    raise CommodoreError(
        f"the value of {dotted(path)} is a reference: {present}",
        where=where,
        hint=f"edit the parameter referred to, {parameter}; or `commodore edit unset` it first",
    )


def target_of(hierarchy: Hierarchy, path: ParameterPath, named: str = "") -> str:
    """The target whose layers count for a path: the one that is named, or else its instance."""
    if named and named not in hierarchy.targets:
        hint = did_you_mean(named, hierarchy.targets, listed="the targets are")
        raise UnknownName(f"target {named} not found", where="--target", hint=hint)
    key = str(path[0]).replace("_", "-")
    return named or (key if key in hierarchy.targets else BOOTSTRAP)


def _refuse_unknown(hierarchy: Hierarchy, replay: Replay, path: ParameterPath) -> None:
    """Refuse a field of what does not exist, and an instance in place of its parameters."""
    top, inner = str(path[0]), path[1:]
    key = parameter_key(top)
    if top != key and top in hierarchy.targets and not replay.follow(path[:1]):
        message = f"{top} is an instance, whose parameters are below {key}"
        raise CommodoreError(message, hint=f"did you mean {dotted((key, *inner))}?")
    is_field = top in ("components", "packages") and len(inner) > 1
    if is_field and not replay.follow(path[:2]) and inner[0] not in hierarchy.targets:
        names = map(str, getattr(replay.value(path[:1]), "items", ()))
        message = f"there is no {top.removesuffix('s')} {inner[0]}"
        raise UnknownName(message, hint=did_you_mean(str(inner[0]), names, listed="there are"))


def _stray(hierarchy: Hierarchy, replay: Replay, path: ParameterPath) -> str:
    """For a parameter outside of all that layers set: where those of components are.

    A name with an underscore in front is by convention that of a variable.
    """
    top = str(path[0])
    keys = sorted({parameter_key(name) for name in hierarchy.targets} - {parameter_key(BOOTSTRAP)})
    if top.startswith("_") or top in keys or replay.follow(path[:1]):
        return ""
    replays = ((key, hierarchy.replay(target_of(hierarchy, (key,), ""))) for key in keys)
    inside = [
        dotted((key, *path))
        for key, component_replay in replays
        if component_replay.follow((key, path[0]))
    ]
    if inside:
        return f"did you mean {' or '.join(inside)}?"
    return did_you_mean(
        top, keys, listed="parameters of components are below", otherwise="there are no components"
    )


def _not_set_there(
    replay: Replay, path: ParameterPath, choice: Choice, meant: str
) -> CommodoreError:
    steps = replay.follow(path)
    places = [str(step.place) for step in steps if step.value is not ABSENT]
    hint = f"it is set by {', '.join(places)}: name the file with --at" if places else ""
    hint = hint or (f"did you mean {meant}?" if meant else "")
    return CommodoreError(f"{dotted(path)} is not set by this file", where=choice.shown, hint=hint)
