"""Edits of the list of applications: items that enable or remove instances."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commodore_py.errors import UsageError
from commodore_py.inventory.class_edits import Edit, own_items
from commodore_py.inventory.explain.places import items_of
from commodore_py.inventory.paths import Index, dotted
from commodore_py.model.inventory import BOOTSTRAP
from commodore_py.model.names import did_you_mean

from . import layers
from .requests import UnknownName

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from commodore_py.inventory.explain.hierarchy import Hierarchy
    from commodore_py.inventory.explain.replay import Replay
    from commodore_py.inventory.explain.steps import Layer
    from commodore_py.model.spot import ParameterPath

    from .layers import Choice
    from .requests import Request

APPLICATIONS = ("applications",)
REMOVED = "~"
_ALIAS = " as "


def value_of_applications(hierarchy: Hierarchy, named: str) -> tuple[Any, str]:
    """Return which applications are on, and the places that decide; all of them without a name."""
    replay = hierarchy.replay(BOOTSTRAP)
    enabled = list(replay.state.applications.names)
    if not named:
        return enabled, ""
    name = _item_of(replay, named)
    place = replay.place_of_application(name) or replay.place_of_application(f"{REMOVED}{name}")
    return name in enabled, str(place or "")


def application_at(hierarchy: Hierarchy, path: ParameterPath) -> str | None:
    """The name in `applications.NAME`, empty for all of them; None for a parameter's path."""
    if path[:1] != APPLICATIONS or hierarchy.replay(BOOTSTRAP).follow(path[:1]):
        return None
    return dotted(path[1:]) if path[1:] else ""


def application_in(hierarchy: Hierarchy, request: Request, path: ParameterPath) -> str:
    """The application of a request as it is listed; empty if it is about a parameter."""
    if path == ("classes",) and not hierarchy.replay(BOOTSTRAP).follow(path):
        raise UsageError(
            "classes is a list of class files, and not a parameter",
            hint="edit it by hand; `commodore bundle use` changes the one of a bundle",
        )
    named = application_at(hierarchy, path)
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
    if name.startswith(REMOVED) or not name.strip():
        raise UsageError(f"{name!r} is not a valid name of an application")
    return _item_of(hierarchy.replay(BOOTSTRAP), name)


def edits_of_applications(
    replay: Replay, request: Request, name: str, choice: Choice, before: bytes
) -> list[Edit]:
    """An item more or less; none if that is in effect already."""
    enable = request.verb == "add"
    if (name in replay.state.applications.names) == enable:
        return []
    item, opposite = _items(name, enable=enable)
    items = own_items(before, APPLICATIONS, name=choice.shown)
    if opposite not in items:
        return [Edit("append", APPLICATIONS, [item])]
    if set(items) == {opposite}:
        return [Edit("unset", APPLICATIONS)]
    return without_item(APPLICATIONS, items, opposite)


def without_item(path: tuple[str | int, ...], items: Iterable[Any], gone: object) -> list[Edit]:
    """The edits that remove an item from a list, from its end on."""
    numbers = [number for number, item in enumerate(items) if item == gone]
    return [Edit("unset", (*path, Index(number))) for number in reversed(numbers)]


def layer_of_application(
    hierarchy: Hierarchy, replay: Replay, request: Request, name: str
) -> Choice:
    """The layer that lists the opposite, else the one that is usual for the scope."""
    _, opposite = _items(name, enable=request.verb == "add")

    def lists(class_name: str, layer: Layer) -> int:
        text = hierarchy.files.text(class_name)
        return opposite in own_items(text, APPLICATIONS, name=layer.file)

    return layers.choose(hierarchy, replay, request, lists, {1: f"lists {opposite} now"})


def _item_of(replay: Replay, name: str) -> str:
    """The item that stands for an application, or for an instance by its own name."""
    listed = {
        item.removeprefix(REMOVED)
        for layer in replay.layers
        for item, _ in items_of(layer.fields.get("applications"))
    } | set(replay.state.applications.names)
    aliases = {item.partition(_ALIAS)[2]: item for item in listed if _ALIAS in item}
    if name in listed or name in aliases:
        return name if name in listed else aliases[name]
    component = name.partition(_ALIAS)[0]
    section, key = "components", component
    if component.startswith("pkg."):
        section, key = "packages", component.removeprefix("pkg.")
    if replay.follow((section, key)):
        return name
    components = getattr(replay.value(("components",)), "items", ())
    raise UnknownName(
        f"{name} is not an application of this cluster, and {component} is not a component",
        hint=did_you_mean(
            component, {*listed, *aliases, *map(str, components)}, listed="there are"
        ),
    )


def _items(name: str, *, enable: bool) -> tuple[str, str]:
    """The item that enables or removes, and the item with the opposite effect."""
    removed = f"{REMOVED}{name}"
    return (name, removed) if enable else (removed, name)
