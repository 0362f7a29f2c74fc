"""Plan an edit: the layer, the new bytes, and what the edit does to the merged values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from commodore_py.adapters import yaml
from commodore_py.adapters.reading import content_of
from commodore_py.adapters.yaml.pieces import inline
from commodore_py.adapters.yaml.splice import Absent
from commodore_py.errors import CommodoreError
from commodore_py.inventory.engine.class_edits import Edit, edited, own_items
from commodore_py.inventory.explain.diagnostics import raise_failures
from commodore_py.inventory.explain.replay import compiled_hierarchy
from commodore_py.inventory.explain.steps import ABSENT
from commodore_py.inventory.explain.tracer import Tracer
from commodore_py.inventory.paths import Index, dotted, path_parts
from commodore_py.model.inventory import BOOTSTRAP

from . import layers
from .effect import problems_of_set, value_now
from .journal import refuse_other_files

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from pathlib import Path

    from commodore_py.config import WorkPaths
    from commodore_py.inventory.explain.replay import Hierarchy, Replay
    from commodore_py.model.problem import Problem
    from commodore_py.model.spot import ParameterPath

    from .layers import Choice, Level

Verb = Literal["set", "unset", "append", "remove", "override"]


@dataclass(frozen=True, slots=True)
class Request:
    """An operation on a parameter."""

    verb: Verb
    path: str
    values: tuple[Any, ...] = ()
    """One for `set` and `override`; items for `append` and `remove`."""
    constant: bool = False
    """Whether `override` makes the key constant."""


@dataclass(frozen=True, slots=True)
class Where:
    """What an edit may change."""

    level: Level = "cluster"
    at: Path | None = None
    """A class file; otherwise the layer is looked for."""
    target: str = ""
    """The target whose layers count; all have the same classes of tenant and global repository."""
    through_anchors: bool = False


@dataclass(frozen=True, slots=True)
class Planned:
    """An edit of one class file that has not been written."""

    choice: Choice
    before: bytes
    after: bytes
    line: int
    """The line of the node, for messages."""
    problems: tuple[Problem, ...] = ()
    now: str = ""
    """For `unset`: the value that applies then, and its place."""

    @property
    def file(self) -> Path:
        """The file, by the real name of its folder."""
        return file_of(self.choice)


def file_of(choice: Choice) -> Path:
    """The file of a layer, by the real name of its folder: a link stays one, and is refused."""
    return choice.file.parent.resolve() / choice.file.name


def plan(paths: WorkPaths, request: Request, where: Where, *, check: bool = True) -> Planned:
    """The new bytes of the class file that an operation belongs to; with `check`, its effect."""
    path = path_parts(request.path)
    _refuse_items_of_lists(path)
    hierarchy = compiled_hierarchy(paths)
    target = _target_of(hierarchy, path, where.target)
    choice = _chosen(paths, hierarchy, target, path, where)
    refuse_other_files(paths, file_of(choice))
    before = content_of(choice.file)
    edits = _edits(request, path, choice, before)
    try:
        after = all_edited(before, edits, choice, where)
    except Absent:
        raise _not_set_there(hierarchy, target, path, choice) from None
    if after == before:
        return Planned(choice, before, before, 0)
    problems: list[Problem] = []
    now = ""
    if check:
        staged = compiled_hierarchy(paths, {choice.name: after})
        problems, now = _effect(staged, target, path, edits[-1], choice)
    line = yaml.line_at(after, [0, "parameters", *path])
    return Planned(choice, before, after, line, tuple(problems), now)


def all_edited(before: bytes, edits: Iterable[Edit], choice: Choice, where: Where) -> bytes:
    """The bytes of a class file after some edits."""
    for edit in edits:
        own = edit._replace(through_anchors=where.through_anchors)
        before = edited(before, own, name=choice.shown)
    return before


def without_items(path: tuple[str, ...], items: list[Any], gone: Collection[Any]) -> list[Edit]:
    """The edits that remove items from a list, from its end on; the last one removes the list."""
    numbers = [number for number, item in enumerate(items) if item in gone]
    return [Edit("unset", (*path, Index(number))) for number in reversed(numbers)]


def _effect(
    staged: Hierarchy, target: str, path: ParameterPath, edit: Edit, choice: Choice
) -> tuple[list[Problem], str]:
    for name in staged.targets:
        raise_failures(staged, staged.replay(name))
    if edit.verb == "unset":
        value, place = value_now(staged, target, path)
        return [], "" if value is ABSENT else f"{inline(value)} ({place})"
    value = edit.value
    if edit.verb == "append":
        value = [*own_items(choice.file.read_bytes(), edit.path, name=choice.shown), *edit.value]
    return [*problems_of_set(staged, choice.shown, path, value)], ""


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


def _target_of(hierarchy: Hierarchy, path: ParameterPath, named: str) -> str:
    if named and named not in hierarchy.targets:
        raise CommodoreError(f"target {named} not found", where="--target")
    key = str(path[0]).replace("_", "-")
    return named or (key if key in hierarchy.targets else BOOTSTRAP)


def _chosen(
    paths: WorkPaths, hierarchy: Hierarchy, target: str, path: ParameterPath, where: Where
) -> Choice:
    replay = hierarchy.replay(target)
    if where.at is not None:
        return named_layer(paths, hierarchy, replay, where.at)
    return layers.choose(hierarchy, replay, scope_of(replay, where.level), path)


def named_layer(paths: WorkPaths, hierarchy: Hierarchy, replay: Replay, file: Path) -> Choice:
    """The layer of a file that is named as messages do, or as the shell completes it."""
    below = paths.root / file
    return layers.named(hierarchy, replay, below if below.is_file() else file.absolute())


def scope_of(replay: Replay, level: Level) -> layers.Scope:
    """The classes of a level, for the cluster that was compiled."""
    tracer = Tracer(replay)
    ids = {
        name: str(tracer.value(("cluster", name)))
        for name in ("tenant", "name")
        if tracer.follow(("cluster", name))
    }
    return layers.Scope(level, ids.get("tenant", ""), ids.get("name", ""))


def _not_set_there(
    hierarchy: Hierarchy, target: str, path: ParameterPath, choice: Choice
) -> CommodoreError:
    steps = Tracer(hierarchy.replay(target)).follow(path)
    places = [str(step.place) for step in steps if step.value is not ABSENT]
    hint = f"it is set by {', '.join(places)}: name the file with --at" if places else ""
    return CommodoreError(f"{dotted(path)} is not set by this file", where=choice.shown, hint=hint)
