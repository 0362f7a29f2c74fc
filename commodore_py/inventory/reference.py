"""The hierarchy as reclass-rs resolves it, in another process: it may crash."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from commodore_py.adapters import isolated
from commodore_py.errors import CommodoreError
from commodore_py.model.inventory import Node

from .layout import lay_out

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from commodore_py.model.classpath import ClassPath

    from .targets import Target


class InventoryError(CommodoreError):
    """The hierarchy could not be resolved."""


def render(
    classes: ClassPath, targets: Mapping[str, Target], params: bytes, *, missing_ok: bool
) -> dict[str, Node]:
    """Every target's node; with `missing_ok`, missing classes are ignored."""
    return render_folder(
        lambda folder: lay_out(folder, classes, targets, params), missing_ok=missing_ok
    )


def render_folder(
    fill: Callable[[Path], None], *, missing_ok: bool, forward: bool = False
) -> dict[str, Node]:
    """The nodes of an inventory that `fill` writes; `forward` shows what reclass-rs prints."""
    with tempfile.TemporaryDirectory(prefix="commodore-inventory-") as scratch:
        folder = Path(scratch).resolve()
        fill(folder)
        try:
            nodes: dict[str, Any] = isolated.call(
                f"{__name__}:run_reclass", str(folder), missing_ok, forward=forward
            )
        except isolated.Crashed as error:
            raise InventoryError(
                f"the inventory cannot be rendered: {error}",
                hint="a YAML tag (`!something`) in a class is the usual reason",
            ) from error
        except InventoryError as error:
            # The temporary folder is removed when this is read.
            message = str(error).replace(str(folder), "inventory")
            raise InventoryError(message, hint=error.hint) from error
    return {name: _node(name, raw) for name, raw in nodes.items()}


def run_reclass(folder: str, missing_ok: bool) -> dict[str, Any]:  # noqa: FBT001 - called in the other process
    """Render an inventory (runs in the other process)."""
    import reclass_rs  # only where it may crash

    try:
        reclass = reclass_rs.Reclass(
            nodes_path=f"{folder}/targets",
            classes_path=f"{folder}/classes",
            ignore_class_notfound=missing_ok,
        )
        rendered: dict[str, Any] = reclass.inventory().as_dict()
    except ValueError as error:
        raise InventoryError(
            f"the inventory cannot be rendered: {error}", hint=_hint(error)
        ) from error
    nodes: dict[str, Any] = rendered["nodes"]
    return nodes


def _hint(error: ValueError) -> str:
    text = str(error).lower()
    if "class" in text and "not found" in text:
        return "check the class name, or add the package that provides it"
    if "lookup" in text or "reference" in text or "key" in text:
        return (
            "the parameter must exist where it is referenced;"
            " component defaults are not known while packages and components are looked for"
        )
    return ""


def _node(name: str, raw: dict[str, Any]) -> Node:
    return Node(
        name=name,
        parameters=raw["parameters"],
        applications=tuple(raw["applications"]),
        included=(tuple(raw["classes"]),),
        raw=raw,
    )
