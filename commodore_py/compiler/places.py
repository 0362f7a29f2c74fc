"""Where compile entries write and delete, before any of them does (pure).

Kapitan joins paths and looks no further: `../x` leads out of the target, and `remove` takes
whatever it finds below the working directory. Nothing of that may hit what is not the instance's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from posixpath import isabs, normpath
from typing import TYPE_CHECKING, Any

from commodore_py.errors import CommodoreError
from commodore_py.model.spot import Spot

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from commodore_py.model.inventory import Node
    from commodore_py.model.plan import Checkout

_WORKING_DIRECTORY = {"..", "compiled", "dependencies", "inventory"}


def misplaced(
    node: Node, own: Checkout, *, search_paths: Iterable[Path] = ()
) -> Iterator[CommodoreError]:
    """Entries of a target that would write or delete outside their place.

    What the user's search paths find is in the checkout if they are.
    """
    checkout = own.worktree
    found_in_checkout = any(
        path == checkout or _is_below(str(path), checkout) for path in search_paths
    )
    kapitan = node.parameters.get("kapitan")
    entries = kapitan.get("compile") if isinstance(kapitan, Mapping) else None
    for index, entry in enumerate(entries if isinstance(entries, list) else ()):
        if not isinstance(entry, Mapping):
            continue
        where = str(Spot(node.name, ("kapitan", "compile", f"[{index}]")))
        output = entry.get("output_path")
        if isinstance(output, str) and not _is_inside(output, checkout):
            yield CommodoreError(
                f"output path {output} would write outside of compiled/{node.name}",
                where=f"{where}.output_path",
                hint="name a folder below it, or one of the component's own checkout",
            )
        if entry.get("input_type") == "remove":
            paths = _texts(entry.get("input_paths"))
            if found_in_checkout:
                paths = [path for path in paths if not _is_searched_for(path)]
            yield from _removals(node, paths, checkout, where, known_as=own.name)


def _removals(
    node: Node, paths: Iterable[str], checkout: Path, where: str, *, known_as: str
) -> Iterator[CommodoreError]:
    own = f"compiled/{node.name.replace('.', '/')}"
    for path in paths:
        clean = normpath(path)
        allowed = (own, f"dependencies/{known_as}")
        below_own = clean == own or clean.startswith(tuple(f"{one}/" for one in allowed))
        if not below_own and not (isabs(path) and _is_below(path, checkout)):
            yield CommodoreError(
                f"removing {path} would delete outside of {own}",
                where=f"{where}.input_paths",
                hint=f"`remove` takes what was compiled before: {own}/...",
            )


def _is_searched_for(path: str) -> bool:
    """Whether a path has no place of its own: such places come with the working directory."""
    return not isabs(path) and normpath(path).split("/", 1)[0] not in _WORKING_DIRECTORY


def _is_inside(path: str, checkout: Path) -> bool:
    if isabs(path):
        return _is_below(path, checkout)
    return normpath(path).split("/", 1)[0] != ".."


def _is_below(path: str, checkout: Path) -> bool:
    clean = normpath(path)
    # The checkout itself cannot be written or deleted, only files in it.
    return clean.startswith(f"{checkout}/") and not clean.startswith(f"{checkout}/.git")


def _texts(value: Any) -> list[str]:  # noqa: ANN401 - a parameter as the component wrote it
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []
