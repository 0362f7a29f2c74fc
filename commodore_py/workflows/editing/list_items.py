"""Items of lists that are edited in place: mappings with a key that names them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from commodore_py.errors import CommodoreError
from commodore_py.inventory.class_edits import own_value
from commodore_py.inventory.engine.values import plain
from commodore_py.inventory.paths import Index, Selector, dotted
from commodore_py.manifests.objects import items, mappings
from commodore_py.model.names import did_you_mean

from . import layers

if TYPE_CHECKING:
    from commodore_py.inventory.explain.hierarchy import Hierarchy
    from commodore_py.inventory.explain.replay import Replay
    from commodore_py.inventory.explain.steps import Layer
    from commodore_py.model.spot import ParameterPath

    from .layers import Choice
    from .requests import Request

    FilePath = tuple[str | int, ...]

_KEYS = ("name", "id", "key")
"""Keys that name the items of a list; the first one that all items have counts."""


class KeyTaken(CommodoreError):
    """A list has an item of that key already."""

    problem_code = "edit/key-taken"


class NoSuchItem(CommodoreError):
    """A list has no item of that key."""

    problem_code = "edit/no-such-item"


def list_in(path: ParameterPath) -> ParameterPath:
    """The list that a path leads into; all of the path if it leads into none."""
    depth = next((depth for depth, part in enumerate(path) if isinstance(part, Selector)), None)
    return path[:depth]


def refuse_indices(path: ParameterPath) -> None:
    """Refuse an item by its index, which is another one in each layer."""
    depth = next((depth for depth, part in enumerate(path) if isinstance(part, Index)), None)
    if depth is not None:
        above = dotted(path[:depth])
        raise CommodoreError(
            f"{dotted(path)} is an item of a list, which layers add to and do not name",
            hint=f"use `commodore edit add {above} VALUE`, or `remove`; an item with a key is"
            f" {above}[name=VALUE]",
        )


def layer_of_item(
    hierarchy: Hierarchy, replay: Replay, request: Request, path: ParameterPath
) -> tuple[Choice, FilePath]:
    """The highest layer of the scope that lists the item, and the item's path in its file."""
    _refuse_ambiguous(replay, path)

    def lists(name: str, _: Layer) -> int:
        return _path_in(hierarchy, name, path) is not None

    choice = layers.choose(hierarchy, replay, request, lists, {1: "lists it now"})
    at = _path_in(hierarchy, choice.name, path)
    if at is not None:
        return choice, at
    files = [
        layer.file
        for layer in replay.layers
        if layer.absolute in hierarchy.files
        and _path_in(hierarchy, layer.absolute, path) is not None
    ]
    where = request.at.name if request.at else layers.Scope.of(replay, request.level)
    raise CommodoreError(
        f"no class of {where} lists {dotted(path)}",
        where="\n".join(files),
        hint="name the file that lists it by --at" if files else "",
    )


def refuse_taken_key(replay: Replay, path: ParameterPath, value: object) -> None:
    """Refuse to add an item whose key names another one of the merged list."""
    present = _merged(replay, path)
    if not isinstance(value, dict) or not all(isinstance(item, dict) for item in present):
        return
    key = next(
        (candidate for candidate in _KEYS if all(candidate in item for item in (*present, value))),
        None,
    )
    if key is None:
        return
    selector = Selector(key, str(value[key]))
    if any(str(item[key]) == selector.value for item in present):
        raise KeyTaken(
            f"{dotted(path)} has an item with {key} {selector.value}",
            hint=f"change it: commodore edit set '{dotted((*path, selector))}.FIELD' VALUE",
        )


def of_item(replay: Replay, path: ParameterPath, request: Request) -> Request:
    """The request for the item that it names: by the item's path, or by its text."""
    item = _item_named(replay, path, request.item)
    if isinstance(item, Selector):
        verb = "unset" if request.verb == "remove" else request.verb
        return replace(request, verb=verb, path=dotted((*path, item)), item="")
    if request.verb != "remove":
        raise CommodoreError(
            f"{request.item} is an item of {dotted(path)} without fields",
            hint="remove it, and add another one",
        )
    return replace(request, value=item, item="")


def _item_named(replay: Replay, path: ParameterPath, name: str) -> object:
    """The selector of the item that a key names, or the plain item that is written like it."""
    present = _merged(replay, path)
    plain_items = [item for item in present if not isinstance(item, dict)]
    for item in plain_items:
        if str(item) == name:
            return item
    named = mappings(present)
    key = next((key for key in _KEYS if any(str(item.get(key)) == name for item in named)), "")
    if not key:
        keys = [str(item[key]) for item in named for key in _KEYS if key in item]
        raise NoSuchItem(
            f"{dotted(path)} has no item {name}",
            hint=did_you_mean(name, keys or plain_items, listed="items are"),
        )
    return Selector(key, name)


def _refuse_ambiguous(replay: Replay, path: ParameterPath) -> None:
    """Refuse a key that no item has, or that several have."""
    above = list_in(path)
    selector = path[len(above)]
    assert isinstance(selector, Selector)  # noqa: S101 - the path leads into a list
    present = mappings(_merged(replay, above))
    values = [str(item[selector.field]) for item in present if selector.field in item]
    if values.count(selector.value) == 1:
        return
    is_missing = selector.value not in values
    number = "no item" if is_missing else "several items"
    raise (NoSuchItem if is_missing else CommodoreError)(
        f"{number} of {dotted(above)} with {selector.field} {selector.value}",
        hint=""
        if selector.value in values
        else did_you_mean(selector.value, values, listed="items are"),
    )


def _merged(replay: Replay, path: ParameterPath) -> list[Any]:
    """The items of the merged list; the path may lead into items of lists around it."""
    above = list_in(path)
    value: Any = plain(replay.value(above)) if replay.follow(above) else None
    for part in path[len(above) :]:
        if isinstance(part, Selector):
            index = part.index_in(value)
            value = value[index] if index is not None else None
        else:
            value = value.get(part) if isinstance(value, dict) else None
    return items(value)


def _path_in(hierarchy: Hierarchy, name: str, path: ParameterPath) -> FilePath | None:
    """The path in a class file, with the indices of items there; None if an item is missing."""
    at: FilePath = ("parameters",)
    for part in path:
        if isinstance(part, Selector):
            text, file = hierarchy.files.text(name), hierarchy.file_of(name)
            index = part.index_in(own_value(text, at, name=file))
            if index is None:
                return None
            at = (*at, index)
        else:
            at = (*at, str(part))
    return at
