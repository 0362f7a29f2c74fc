"""Plan which files of downloads are written to which paths, before anything is touched."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from commodore_py.errors import CommodoreError
from commodore_py.model.tree import folders_above

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    from commodore_py.adapters.files.archives import Content, Member

    from .bounds import Bounds


@dataclass(frozen=True, slots=True)
class Placement:
    """A content and the path that it is written to."""

    path: Path
    source: str
    """Where it comes from, without the version."""
    digest: str
    """Of the content, and of how it is written."""
    load: Callable[[], Content]
    what: str
    """A description for messages."""
    where: str = ""


def planned_files(
    placements: Iterable[Placement], bounds: Bounds, warn: Callable[[CommodoreError], None]
) -> dict[Path, tuple[Member, Placement]]:
    """The files of all placements; where two conflict, the later one wins."""
    planned: dict[Path, tuple[Member, Placement]] = {}
    for placement in placements:
        path = placement.path
        members = {
            path / name if name else path: member for name, member in placement.load().items()
        }
        bounds.check(members)
        replaced: dict[str, Path] = {}
        for target in list(_replaced(planned, members)):
            before = planned.pop(target)[1].what
            replaced.setdefault(before, target)
        planned |= {target: (member, placement) for target, member in members.items()}
        for before, target in replaced.items():
            warn(
                CommodoreError(
                    f"{placement.what} replaces {before}: both contain {target}",
                    where=placement.where,
                    hint="use a separate folder for each",
                )
            )
    return planned


def _replaced(
    planned: Mapping[Path, tuple[Member, Placement]], members: Mapping[Path, Member]
) -> Iterator[Path]:
    """Planned files that others replace, or that are where others have a folder or a file."""
    folders = folders_above(members)
    files = {path for path, member in members.items() if not member.folder}
    for target, (member, _) in planned.items():
        in_the_way = target in folders and not member.folder
        if (
            in_the_way
            or members.get(target, member) != member
            or not files.isdisjoint(target.parents)
        ):
            yield target
