"""Which cases can be compiled from the same fetched files (pure)."""

from __future__ import annotations

from posixpath import normpath
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from commodore_py import dependencies

if TYPE_CHECKING:
    from collections.abc import Sequence

    from commodore_py.workflows.authoring.component_compile import Gathered

Label = TypeVar("Label")
Wishes: TypeAlias = dict[str, object]
"""By place, what has to be there."""

_LIBRARIES = "vendor"


def rounds(gathered: Sequence[tuple[Label, Gathered]]) -> list[list[tuple[Label, Gathered]]]:
    """Groups whose members want the same at every place, in the order of the cases."""
    found: list[tuple[Wishes, list[tuple[Label, Gathered]]]] = []
    for label, one in gathered:
        wishes = _wishes(one)
        for there, group in found:
            if all(there.get(place, wish) == wish for place, wish in wishes.items()):
                there.update(wishes)
                group.append((label, one))
                break
        else:
            found.append((wishes, [(label, one)]))
    return [group for _, group in found]


def _wishes(gathered: Gathered) -> Wishes:
    component = gathered.wanted.component.checkout()
    wishes: Wishes = {}
    for one in gathered.downloads:
        place = normpath(one.output_path)
        wishes[place] = (wishes.get(place), one.source, one.unpack)
    # No place of a download is called so: that would be the folder of all libraries.
    wishes[_LIBRARIES] = dependencies.wishes_of_single(component, gathered.parameters)
    return wishes
