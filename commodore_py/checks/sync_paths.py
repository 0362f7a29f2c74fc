"""Files in folders that no Application of Argo CD reads."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from commodore_py.manifests.order.applications import application_of

from .base import Issue

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .base import Item, Settings

NAME = "sync-paths"
_MANIFESTS = PurePosixPath("manifests")


def check(items: Sequence[Item], _settings: Settings) -> Iterator[tuple[Item, Issue]]:
    """The first object of each folder below that of an Application which does not read it."""
    whole: set[PurePosixPath] = set()
    flat: dict[PurePosixPath, str] = {}
    for item in items:
        if application := application_of(item):
            whole.update(map(PurePosixPath, application.paths))
            flat |= {PurePosixPath(path): application.name for path in application.flat}
    seen: set[PurePosixPath] = set()
    for item in items:
        folder = PurePosixPath(item.file).parent
        if not folder.is_relative_to(_MANIFESTS):
            folder = _MANIFESTS / folder
        above = [folder, *folder.parents]
        name = next((flat[path] for path in above if path in flat), "")
        if not name or folder in flat or folder in seen or whole & {*above}:
            continue
        seen.add(folder)
        message = f"no Application reads this folder: {name} reads only the one above"
        remedy = "set spec.source.directory.recurse to true in that Application"
        yield item, Issue("sync/folder-not-read", message, "", remedy, subject=str(folder))
