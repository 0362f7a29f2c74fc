"""Plan an edit: the layer, the new bytes, and what was intended; nothing is written."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from commodore_py.adapters import yaml
from commodore_py.adapters.reading import content_of
from commodore_py.adapters.yaml.pieces import inline
from commodore_py.adapters.yaml.splice import Absent
from commodore_py.dependencies.protection.class_files import refuse_other_files
from commodore_py.errors import CommodoreError, UsageError
from commodore_py.inventory.class_edits import Edit, edited, own_items, own_value
from commodore_py.inventory.explain.diagnostics import similar
from commodore_py.inventory.explain.explanation import explain
from commodore_py.inventory.explain.replay import compiled_hierarchy
from commodore_py.inventory.explain.tracer import ABSENT, Tracer
from commodore_py.inventory.paths import Index, dotted, path_parts
from commodore_py.model.inventory import BOOTSTRAP

from . import layers

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from commodore_py.config import WorkPaths
    from commodore_py.inventory.explain.replay import Hierarchy, Replay
    from commodore_py.model.spot import ParameterPath

    from .layers import Choice
    from .requests import Request

_APPLICATIONS = ("applications",)
_REMOVED = "~"


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
    """The parameter; empty for an application."""
    application: str = ""

    def __bool__(self) -> bool:
        return self.before != self.after

    def __str__(self) -> str:
        return str(self.request)

    @property
    def file(self) -> Path:
        """The class file."""
        return self.choice.real_file

    @property
    def files(self) -> dict[Path, tuple[bytes, bytes]]:
        """The file with its old and its new content, if it changes."""
        return {self.file: (self.before, self.after)} if self else {}

    @property
    def line(self) -> int:
        """The line of the node, for messages; 0 if nothing changes."""
        if not self:
            return 0
        path = _APPLICATIONS if self.application else ("parameters", *self.path)
        return yaml.line_at(self.before if self.request.verb == "unset" else self.after, [0, *path])

    @property
    def requests_dependencies(self) -> bool:
        """Whether other versions of components and packages may have to be fetched."""
        is_versioned = self.path[:1] in (("components",), ("packages",))
        return is_versioned or (bool(self.application) and self.request.verb == "add")


def plan(paths: WorkPaths, request: Request) -> Plan:
    """The new bytes of the class file that a request belongs to."""
    hierarchy = compiled_hierarchy(paths)
    if request.at is not None:  # named as messages do, or as the shell completes it
        below = paths.root / request.at
        request = replace(request, at=below if below.is_file() else request.at.absolute())
    path = path_parts(request.path)
    _refuse_items_of_lists(path)
    application = _application_in(hierarchy, request, path)
    target = BOOTSTRAP if application else _target_of(hierarchy, path, request.target)
    replay = hierarchy.replay(target)
    if application:
        choice = _listing(hierarchy, replay, request, application)
    else:
        choice = layers.layer_of(hierarchy, replay, request, path)
        meant = layers.meant(replay, path) if request.verb != "unset" else ""
        if meant:
            choice = replace(choice, reason=f"{choice.reason}; did you mean {meant}?")
    refuse_other_files(paths, choice.real_file)
    before = after = content_of(choice.file)
    try:
        if application:
            edits = _edits_of_applications(replay, request, application, choice, before)
        else:
            edits = _edits(request, path, choice, before)
        for edit in edits:
            after = edited(after, edit, name=choice.shown)
    except Absent:
        raise _not_set_there(replay, path, choice) from None
    staged = compiled_hierarchy(paths, {choice.name: after}) if after != before else hierarchy
    path = () if application else path
    return Plan(request, choice, before, after, staged, target, path, application)


def value_at(paths: WorkPaths, path: str, target: str) -> tuple[Any, str]:
    """The merged value at a path, and the place that sets it; of an application, whether it is on.

    All applications are a list without a place.
    """
    hierarchy = compiled_hierarchy(paths)
    named = _application_at(hierarchy, path_parts(path))
    if named is None:
        found = explain(paths, target or BOOTSTRAP, path)
        return found.value, str(found.changes[-1].place)
    replay = hierarchy.replay(BOOTSTRAP)
    enabled = list(replay.state.applications.names)
    if not named:
        return enabled, ""
    place = replay.place_of_application(named) or replay.place_of_application(f"{_REMOVED}{named}")
    return named in enabled, str(place or "")


def _application_at(hierarchy: Hierarchy, path: ParameterPath) -> str | None:
    """The name in `applications.NAME`, empty for all of them; None for a parameter's path."""
    if path[:1] != _APPLICATIONS or Tracer(hierarchy.replay(BOOTSTRAP)).follow(path[:1]):
        return None
    return dotted(path[1:]) if path[1:] else ""


def _application_in(hierarchy: Hierarchy, request: Request, path: ParameterPath) -> str:
    """The application of a request; empty if it is about a parameter."""
    if path == ("classes",) and not Tracer(hierarchy.replay(BOOTSTRAP)).follow(path):
        raise UsageError(
            "classes is a list of class files, and not a parameter",
            hint="edit it by hand; `commodore bundle use` changes the one of a bundle",
        )
    named = _application_at(hierarchy, path)
    if named is None:
        if request.value is None and request.verb in ("add", "remove"):
            hint = f"remove the parameter: commodore edit unset {request.path}"
            raise UsageError("VALUE is missing", hint=hint if request.verb == "remove" else "")
        return ""
    if request.verb in ("set", "unset"):
        raise UsageError(
            "applications are added and removed",
            hint="commodore edit add applications NAME, or commodore edit remove applications NAME",
        )
    name = named or str(request.value or "")
    if name.startswith(_REMOVED) or not name.strip():
        raise UsageError(f"{name!r} is not a valid name of an application")
    return name


def _edits_of_applications(
    replay: Replay, request: Request, name: str, choice: Choice, before: bytes
) -> list[Edit]:
    """An item more or less; none if that is in effect already."""
    enable = request.verb == "add"
    names = replay.state.applications.names
    component = ("components", name.partition(" as ")[0])
    if not enable and name not in names and not Tracer(replay).follow(component):
        raise CommodoreError(
            f"{name} is not an application of this cluster",
            hint=similar(name, names, "the applications are"),
        )
    if (name in names) == enable:
        return []
    wanted, opposite = _words(name, enable=enable)
    items = own_items(before, _APPLICATIONS, name=choice.shown)
    if opposite not in items:
        return [Edit("append", _APPLICATIONS, [wanted])]
    if set(items) == {opposite}:
        return [Edit("unset", _APPLICATIONS)]
    return _without_item(_APPLICATIONS, items, opposite)


def _words(name: str, *, enable: bool) -> tuple[str, str]:
    """The item that has the wanted effect, and the item that has the opposite one."""
    removed = f"{_REMOVED}{name}"
    return (name, removed) if enable else (removed, name)


def _listing(hierarchy: Hierarchy, replay: Replay, request: Request, name: str) -> Choice:
    """The layer that lists the opposite, else the one that is usual for the scope."""
    if request.at is not None:
        return layers.named(hierarchy, replay, request.at)
    _, opposite = _words(name, enable=request.verb == "add")
    scope = layers.scope_of(replay, request.level)
    names = [name for name, _ in layers.candidates(hierarchy, replay, scope)]
    for one in names:
        text = hierarchy.files.text(one)
        if opposite in own_items(text, _APPLICATIONS, name=hierarchy.file_of(one)):
            return layers.chosen(hierarchy, one, f"lists {opposite} now")
    usual = scope.usual if scope.usual in names else names[0]
    return layers.chosen(hierarchy, usual, f"the class of {scope}")


def _edits(request: Request, path: ParameterPath, choice: Choice, before: bytes) -> list[Edit]:
    """The request as edits of the file; none if there is nothing to do."""
    at = ("parameters", *(str(part) for part in path))
    match request.verb:
        case "set":
            _refuse_reference(own_value(before, at, name=choice.shown), path, request, choice.shown)
            return [Edit("set", at, request.value)]
        case "unset":
            return [Edit("unset", at)]
    items = own_items(before, at, name=choice.shown)
    if request.verb == "add":
        return [] if request.value in items else [Edit("append", at, [request.value])]
    if request.value not in items:
        raise CommodoreError(
            f"{inline(request.value)} is not an item of {dotted(path)} in this file",
            where=choice.shown,
            hint="lists only grow from layer to layer; by hand, a key that begins with `~` replaces"
            " what lower layers list",
        )
    return _without_item(at, items, request.value)


def _without_item(path: tuple[str, ...], items: Iterable[Any], gone: object) -> list[Edit]:
    """The edits that remove an item from a list, from its end on."""
    numbers = [number for number, item in enumerate(items) if item == gone]
    return [Edit("unset", (*path, Index(number))) for number in reversed(numbers)]


def _refuse_items_of_lists(path: ParameterPath) -> None:
    number = next((number for number, part in enumerate(path) if isinstance(part, Index)), None)
    if number is not None:
        raise CommodoreError(
            f"{dotted(path)} is an item of a list, which layers add to and do not name",
            hint=f"use `commodore edit add {dotted(path[:number])} VALUE`, or `remove`",
        )


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


def _target_of(hierarchy: Hierarchy, path: ParameterPath, named: str) -> str:
    if named and named not in hierarchy.targets:
        hint = similar(named, hierarchy.targets, "the targets are")
        raise CommodoreError(f"target {named} not found", where="--target", hint=hint)
    key = str(path[0]).replace("_", "-")
    return named or (key if key in hierarchy.targets else BOOTSTRAP)


def _not_set_there(replay: Replay, path: ParameterPath, choice: Choice) -> CommodoreError:
    steps = Tracer(replay).follow(path)
    places = [str(step.place) for step in steps if step.value is not ABSENT]
    hint = f"it is set by {', '.join(places)}: name the file with --at" if places else ""
    return CommodoreError(f"{dotted(path)} is not set by this file", where=choice.shown, hint=hint)
