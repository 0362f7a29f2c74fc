"""Plan an edit: the layers, the new bytes, and what was intended; nothing is written."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

from commodore_py.adapters import yaml
from commodore_py.adapters.yaml.pieces import inline
from commodore_py.adapters.yaml.splice import Absent
from commodore_py.errors import CommodoreError, UsageError
from commodore_py.inventory.engine.class_edits import Edit, edited, own_items, own_value
from commodore_py.inventory.explain.diagnostics import similar
from commodore_py.inventory.explain.steps import ABSENT
from commodore_py.inventory.explain.tracer import Tracer
from commodore_py.inventory.paths import Index, dotted, path_parts
from commodore_py.model.inventory import BOOTSTRAP

from . import layers
from .draft import Draft

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence
    from pathlib import Path

    from commodore_py.config import WorkPaths
    from commodore_py.inventory.explain.replay import Hierarchy, Replay
    from commodore_py.model.spot import ParameterPath

    from .layers import Choice
    from .requests import Operation, Request, Where

_APPLICATIONS = ("applications",)
_REMOVED = "~"
_FIELDS = {
    "applications": "use `commodore edit application enable NAME`, or `disable NAME`",
    "classes": "the list of classes is edited by hand; `commodore bundle use` changes a bundle's",
}


@dataclass(frozen=True, slots=True)
class Planned:
    """An operation on one class file."""

    operation: Operation
    choice: Choice
    before: bytes
    after: bytes
    line: int
    """The line of the node, for messages."""
    edits: tuple[Edit, ...] = ()
    target: str = BOOTSTRAP
    """The target whose layers were looked at."""
    path: ParameterPath = ()
    """The parameter; empty for an application."""


@dataclass(frozen=True, slots=True)
class Plan:
    """All operations of an edit, and the class files that they change."""

    planned: tuple[Planned, ...]
    files: dict[Path, tuple[bytes, bytes]]
    """Each with its old and its new content."""
    staged: Hierarchy

    @property
    def requests_dependencies(self) -> bool:
        """Whether other versions of components and packages may have to be fetched."""
        return any(
            one.path[:1] in (("components",), ("packages",))
            or one.operation.request.verb == "enable"
            for one in self.planned
        )

    def made_again(self, file: Path, base: bytes) -> bytes:
        """Another version of a file with the same operations."""
        for one in self.planned:
            if one.choice.real_file == file:
                base = _all_edited(base, one.edits, one.choice, one.operation.where)
        return base

    def __bool__(self) -> bool:
        return bool(self.files)

    def __str__(self) -> str:
        return ", ".join(dict.fromkeys(str(one.operation.request) for one in self.planned))


def plan(paths: WorkPaths, operations: Sequence[Operation]) -> Plan:
    """The new bytes of the class files that operations belong to, one after the other."""
    draft = Draft(paths)
    planned: list[Planned] = []
    for number, operation in enumerate(operations, 1):
        try:
            one = _planned(draft, operation)
        except CommodoreError as error:
            if len(operations) > 1:
                error.add_note(f"in operation {number}: {operation.request}")
            raise
        draft.stage(one.choice, one.after)
        planned.append(one)
    _refuse_same_nodes(planned)
    return Plan(tuple(planned), draft.files(), draft.hierarchy)


def without_items(path: tuple[str, ...], items: list[Any], gone: Collection[Any]) -> list[Edit]:
    """The edits that remove items from a list, from its end on; the last one removes the list."""
    numbers = [number for number, item in enumerate(items) if item in gone]
    return [Edit("unset", (*path, Index(number))) for number in reversed(numbers)]


def _planned(draft: Draft, operation: Operation) -> Planned:
    at = operation.where.at
    if at is not None:  # named as messages do, or as the shell completes it
        below = draft.paths.root / at
        at = below if below.is_file() else at.absolute()
        operation = replace(operation, where=replace(operation.where, at=at))
    if operation.request.verb in ("enable", "disable"):
        return _application(draft, operation)
    return _parameter(draft, operation)


def _parameter(draft: Draft, operation: Operation) -> Planned:
    request, where = operation.request, operation.where
    path = path_parts(request.path)
    _refuse_items_of_lists(path)
    _refuse_fields(draft.hierarchy, path)
    target = _target_of(draft.hierarchy, path, where.target)
    replay = draft.hierarchy.replay(target)
    choice = layers.layer_of(draft.hierarchy, replay, where, path)
    meant = layers.meant(replay, path) if request.verb != "unset" else ""
    if meant:
        choice = replace(choice, reason=f"{choice.reason}; did you mean {meant}?")
    before = draft.text(choice)
    edits = _edits(request, path, choice, before)
    if request.verb in ("set", "override") and not where.replace_references:
        there = own_value(before, edits[0].path, name=choice.shown)
        _refuse_reference(there, path, request, choice.shown)
    try:
        after = _all_edited(before, edits, choice, where)
    except Absent:
        raise _not_set_there(draft.hierarchy, target, path, choice) from None
    shown = before if request.verb == "unset" else after
    line = yaml.line_at(shown, [0, "parameters", *path]) if after != before else 0
    return Planned(operation, choice, before, after, line, tuple(edits), target, path)


def _application(draft: Draft, operation: Operation) -> Planned:
    name, enable = operation.request.path, operation.request.verb == "enable"
    if name.startswith(_REMOVED) or not name.strip():
        raise CommodoreError(f"{name!r} is not a valid name of an application")
    replay = draft.hierarchy.replay(BOOTSTRAP)
    wanted, opposite = (name, f"{_REMOVED}{name}") if enable else (f"{_REMOVED}{name}", name)
    choice = _listing(draft, replay, operation.where, opposite)
    before = draft.text(choice)
    if (name in replay.state.applications.names) == enable:
        return Planned(operation, choice, before, before, 0)
    items = own_items(before, _APPLICATIONS, name=choice.shown)
    if opposite in items:
        edits = without_items(_APPLICATIONS, items, (opposite,))
        if len(edits) == len(items):
            edits = [Edit("unset", _APPLICATIONS)]
    else:
        edits = [Edit("append", _APPLICATIONS, [wanted])]
    after = _all_edited(before, edits, choice, operation.where)
    line = yaml.line_at(after, [0, *_APPLICATIONS])
    return Planned(operation, choice, before, after, line, tuple(edits))


def _listing(draft: Draft, replay: Replay, where: Where, opposite: str) -> Choice:
    """The layer that lists the opposite, else the one that is usual for the scope."""
    if where.at is not None:
        return layers.named(draft.hierarchy, replay, where.at)
    hierarchy = draft.hierarchy
    scope = layers.scope_of(replay, where.level)
    names = [name for name, _ in layers.candidates(hierarchy, replay, scope)]
    for name in names:
        text = hierarchy.files.text(name)
        if opposite in own_items(text, _APPLICATIONS, name=hierarchy.file_of(name)):
            return layers.chosen(hierarchy, name, f"lists {opposite} now")
    usual = scope.usual if scope.usual in names else names[0]
    return layers.chosen(hierarchy, usual, f"the class of {scope}")


def _all_edited(before: bytes, edits: Iterable[Edit], choice: Choice, where: Where) -> bytes:
    """The bytes of a class file after some edits."""
    for edit in edits:
        own = edit._replace(through_anchors=where.through_anchors)
        before = edited(before, own, name=choice.shown)
    return before


def _edits(request: Request, path: ParameterPath, choice: Choice, before: bytes) -> list[Edit]:
    """The operation as edits of the file; none if there is nothing to do."""
    at = ("parameters", *(str(part) for part in path))
    match request.verb:
        case "set":
            return [Edit("set", at, request.values[0])]
        case "override":
            return [Edit("set", at, request.values[0], "=" if request.constant else "~")]
        case "unset":
            return [Edit("unset", at)]
    items = own_items(before, at, name=choice.shown)
    if request.verb == "append":
        new = [value for value in request.values if value not in items]
        return [Edit("append", at, new)] if new else []
    missing = [value for value in request.values if value not in items]
    if missing:
        raise CommodoreError(
            f"{inline(missing[0])} is not an item of {dotted(path)} in this file",
            where=choice.shown,
            hint="lists only grow from layer to layer: `commodore edit override` sets one that"
            " replaces what lower layers list",
        )
    return without_items(at, items, request.values)


def _refuse_items_of_lists(path: ParameterPath) -> None:
    number = next((number for number, part in enumerate(path) if isinstance(part, Index)), None)
    if number is not None:
        raise CommodoreError(
            f"{dotted(path)} is an item of a list, which layers add to and do not name",
            hint=f"use `commodore edit append {dotted(path[:number])} …`, or `commodore edit"
            " override` for a list that replaces it",
        )


def _refuse_fields(hierarchy: Hierarchy, path: ParameterPath) -> None:
    """Refuse names of a class's own lists, unless a parameter has that name."""
    hint = _FIELDS.get(dotted(path))
    if hint and not Tracer(hierarchy.replay(BOOTSTRAP)).follow(path):
        raise UsageError(f"{dotted(path)} is a list of class files, and not a parameter", hint=hint)


def _refuse_reference(there: object, path: ParameterPath, request: Request, where: str) -> None:
    """Refuse to replace a reference, which others may expect to be one."""
    if not isinstance(there, str) or "${" not in there or there == request.values[0]:
        return
    parameter = there[there.index("${") + 2 :].partition("}")[0].replace(":", ".")
    raise CommodoreError(
        f"the value of {dotted(path)} is a reference: {there}",
        where=where,
        hint=f"edit the parameter referred to, {parameter}; --replace-reference sets a value here",
    )


def _refuse_same_nodes(planned: Iterable[Planned]) -> None:
    """Refuse operations whose result depends on their order."""
    nodes = [
        (one, edit)
        for one in planned
        for edit in one.edits
        if one.operation.request.verb not in ("append", "remove", "enable", "disable")
    ]
    for (one, edit), (other, more) in combinations(nodes, 2):
        length = min(len(edit.path), len(more.path))
        if one.choice.name == other.choice.name and edit.path[:length] == more.path[:length]:
            raise UsageError(
                f"two operations touch one node: {one.operation.request} and"
                f" {other.operation.request}",
                where=one.choice.shown,
            )


def _target_of(hierarchy: Hierarchy, path: ParameterPath, named: str) -> str:
    if named and named not in hierarchy.targets:
        hint = similar(named, hierarchy.targets, "the targets are")
        raise CommodoreError(f"target {named} not found", where="--target", hint=hint)
    key = str(path[0]).replace("_", "-")
    return named or (key if key in hierarchy.targets else BOOTSTRAP)


def _not_set_there(
    hierarchy: Hierarchy, target: str, path: ParameterPath, choice: Choice
) -> CommodoreError:
    steps = Tracer(hierarchy.replay(target)).follow(path)
    places = [str(step.place) for step in steps if step.value is not ABSENT]
    hint = f"it is set by {', '.join(places)}: name the file with --at" if places else ""
    return CommodoreError(f"{dotted(path)} is not set by this file", where=choice.shown, hint=hint)
