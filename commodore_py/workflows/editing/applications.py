"""Plan to enable or disable an application: a name in the list of a class, or its removal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commodore_py.adapters import yaml
from commodore_py.adapters.reading import content_of
from commodore_py.errors import CommodoreError
from commodore_py.inventory.engine.class_edits import Edit, own_items
from commodore_py.inventory.explain.replay import compiled_hierarchy
from commodore_py.model.inventory import BOOTSTRAP
from commodore_py.model.problem import Problem

from . import layers
from .journal import refuse_other_files
from .plan import Planned, all_edited, file_of, named_layer, scope_of, without_items

if TYPE_CHECKING:
    from commodore_py.config import WorkPaths
    from commodore_py.inventory.explain.replay import Hierarchy, Replay

    from .layers import Choice
    from .plan import Where

_FIELD = ("applications",)
_REMOVED = "~"


def plan(paths: WorkPaths, name: str, where: Where, *, enable: bool) -> Planned:
    """The new bytes of the class file that lists an application, or is to list its removal."""
    if name.startswith(_REMOVED) or not name.strip():
        raise CommodoreError(f"{name!r} is not a valid name of an application")
    hierarchy = compiled_hierarchy(paths)
    replay = hierarchy.replay(BOOTSTRAP)
    wanted, opposite = (name, f"{_REMOVED}{name}") if enable else (f"{_REMOVED}{name}", name)
    choice = _chosen(paths, hierarchy, replay, where, opposite)
    refuse_other_files(paths, file_of(choice))
    before = content_of(choice.file)
    if (name in replay.state.applications.names) == enable:
        return Planned(choice, before, before, 0)
    items = own_items(before, _FIELD, name=choice.shown)
    if opposite in items:
        edits = without_items(_FIELD, items, (opposite,))
    else:
        edits = [Edit("append", _FIELD, [wanted])]
    after = all_edited(before, edits, choice, where)
    staged = compiled_hierarchy(paths, {choice.name: after}).replay(BOOTSTRAP)
    line = yaml.line_at(after, [0, *_FIELD])
    return Planned(choice, before, after, line, _problems(staged, name, enable=enable))


def _chosen(
    paths: WorkPaths, hierarchy: Hierarchy, replay: Replay, where: Where, opposite: str
) -> Choice:
    """The layer that lists the opposite, else the one that is usual for the scope."""
    if where.at is not None:
        return named_layer(paths, hierarchy, replay, where.at)
    scope = scope_of(replay, where.level)
    names = [name for name, _ in layers.candidates(hierarchy, replay, scope)]
    for name in names:
        text = hierarchy.files.text(name)
        if opposite in own_items(text, _FIELD, name=hierarchy.file_of(name)):
            return layers.chosen(hierarchy, name, f"lists {opposite} now")
    usual = scope.usual if scope.usual in names else names[0]
    return layers.chosen(hierarchy, usual, f"the class of {scope}")


def _problems(staged: Replay, name: str, *, enable: bool) -> tuple[Problem, ...]:
    if (name in staged.state.applications.names) == enable:
        return ()
    place = staged.place_of_application(f"{_REMOVED}{name}" if enable else name)
    return (
        Problem(
            f"the edit has no effect: another layer {'removes' if enable else 'lists'} {name}",
            where=str(place or ""),
            severity="error",
            code="edit/no-effect",
            remedy=f"edit that layer: --at {place.file}" if place else "",
        ),
    )
