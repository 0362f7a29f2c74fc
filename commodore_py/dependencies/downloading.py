"""The door to charts, archives, files and repositories: light, as most runs want none of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commodore_py.model.dependency import Kind
from commodore_py.model.spot import NOWHERE

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from commodore_py.config import Config
    from commodore_py.model.classpath import ClassPath
    from commodore_py.model.download import Download
    from commodore_py.model.spot import Places


def fetch_downloads(
    config: Config,
    downloads: Sequence[Download],
    classes: ClassPath,
    places: Places = NOWHERE,
    *,
    output: Path | None = None,
) -> None:
    """Fetch what components download, and put it where they want to have it.

    Relative paths start in `output`, which is the working directory unless said otherwise.
    """
    # Kapitan fetches for itself, but by way of the network.
    if not downloads or (config.engine == "reference" and not config.offline):
        return
    from . import downloads as vendored  # noqa: PLC0415 - takes a while to load

    checkouts: dict[str, Path] = {}
    for kind in (Kind.COMPONENT, Kind.INSTANCE):
        checkouts |= {one.spec.name: one.worktree for one in classes.of_kind(kind)}
    for one in downloads:
        own = classes.component(one.spot.target)
        if own is not None:
            checkouts[one.spot.target] = own.worktree
    bounds = vendored.Bounds(config.paths, output or config.paths.root, checkouts)
    vendored.fetch_downloads(config, downloads, bounds, places, classes.dependencies)
