"""Files in folders that no Application of Argo CD reads."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from commodore_py.manifests.objects import KubeObject, identify
from commodore_py.manifests.order.applications import application_of

from .base import Issue

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .base import Content, Item, Settings

NAME = "sync-paths"
_MANIFESTS = PurePosixPath("manifests")


def extract(content: Content) -> Any:  # noqa: ANN401 - plain data
    """The name of an Application, its paths, and those that it does not read as a whole."""
    id_ = identify(content)
    application = application_of(KubeObject(id_, content)) if id_ is not None else None
    return (
        None
        if application is None
        else [application.name, [*application.paths], [*application.flat]]
    )


def check(items_: Sequence[Item], settings: Settings) -> Iterator[tuple[Item, Issue]]:
    """The first object of each folder below that of an Application which does not read it."""
    del settings
    whole: set[PurePosixPath] = set()
    flat: dict[PurePosixPath, str] = {}
    for name, paths, flat_paths in (item.fact for item in items_ if item.fact):
        whole.update(map(PurePosixPath, paths))
        flat |= {PurePosixPath(path): name for path in flat_paths}
    seen: set[PurePosixPath] = set()
    for item in items_:
        folder = PurePosixPath(item.file).parent
        if not folder.is_relative_to(_MANIFESTS):
            folder = _MANIFESTS / folder
        above = [folder, *folder.parents]
        name = next(
            (flat[pure_posix_path] for pure_posix_path in above if pure_posix_path in flat), ""
        )
        if not name or folder in flat or folder in seen or whole & {*above}:
            continue
        seen.add(folder)
        message = f"no Application reads this folder: {name} reads only the one above"
        remedy = "set spec.source.directory.recurse to true in that Application"
        yield item, Issue("sync/folder-not-read", message, "", remedy, subject=str(folder))
