"""The component that a missing Jsonnet library usually comes from (pure)."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from commodore_py.errors import CommodoreError
    from commodore_py.model.inventory import Node

_SUFFIXES = {".libsonnet", ".libjsonnet"}
_FOLDER = "lib"


def explain_missing_library(error: CommodoreError, node: Node, *, alone: bool) -> None:
    """Add to errors about imports which component usually provides the library.

    A component that is compiled alone gets libraries of others from folders that the user names.
    """
    for one in error.parts:
        path = PurePosixPath(str(one.subject))
        if path.suffix not in _SUFFIXES or path.parts[:-1] != (_FOLDER,):
            continue
        listed = node.parameters.get("components")
        component = _provider(path.stem, {*(listed or ())})
        if alone:
            advice = "name a folder that has it with -J"
        elif component in node.applications:
            advice = "the version in use has no such library"
        elif component in (listed or ()):
            advice = "add it to `applications`"
        else:
            advice = "add it to `applications`, and its url and version to parameters.components"
        one.hint = f"component {component} usually provides it: {advice}; {one.hint}"


def _provider(stem: str, known: set[str]) -> str:
    """Libraries are named after their component: the longest name wins."""
    fitting = [name for name in known if stem == name or stem.startswith(f"{name}-")]
    return max(fitting, key=len, default=stem)
