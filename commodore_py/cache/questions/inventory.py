"""Questions about the inventory: targets, their parameters, and references to secrets."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import unquote

from commodore_py.adapters.jsonnet.inventory import part_of
from commodore_py.cache import digests
from commodore_py.cache.digests import NOTHING, UNKNOWN

from .base import Kind

if TYPE_CHECKING:
    from commodore_py.adapters.jsonnet.inventory import TargetViews

    from .base import View


def _of_part(about: str, view: View) -> str:
    """The digest of a value, or of the names in it.

    The part is of the own target (`self`), of another, or the names of `targets`. It is written as
    in `lib/kapitan.libjsonnet`: quoted parts between slashes. Everything in a target is
    `whole/<target>`.
    """
    targets = view.targets
    if targets is None:
        return UNKNOWN
    return view.once(f"{view.target} inventory {about}", lambda: _answer(about, targets, view))


def _answer(about: str, targets: TargetViews, view: View) -> str:
    whole, _, target = about.partition("/")
    if whole == "whole":
        target = unquote(target)
        if target not in targets.names():
            return NOTHING
        return digests.of_inventory(dict(targets.of(target)), view.roots)
    part = part_of(targets, view.target, about)
    if part is None:
        return NOTHING
    return digests.of_inventory(tuple(part.value) if part.names_only else part.value, view.roots)


def _with_dots(about: str) -> str:
    return unquote(about.removeprefix("self/").replace("/", "."))


INVENTORY = Kind("inventory", "the inventory has changed: {}", _of_part, _with_dots)
REFERENCE = Kind(
    "reference",  # by its backend and path
    "the reference {} has changed",
    lambda about, view: view.references.get(about, NOTHING),
)
