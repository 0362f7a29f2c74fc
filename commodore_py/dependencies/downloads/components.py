"""The downloads of components."""

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

    from .settings import Through


def fetch_downloads(
    config: Config,
    downloads: Sequence[Download],
    classes: ClassPath,
    places: Places = NOWHERE,
    *,
    output: Path | None = None,
    through: Through | None = None,
) -> None:
    """Fetch the downloads of components, and write them to their output paths.

    Relative paths start in `output`, by default in the working directory. `through` makes another
    way to fetch them.
    """
    if not downloads:
        return
    from . import bounds, fetch  # many clusters have no downloads

    checkouts = {
        dependency.spec.name: dependency.worktree
        for dependency in classes.of_kind(Kind.COMPONENT, Kind.INSTANCE)
    }
    components: dict[str, str] = {}
    for download in downloads:
        component = classes.component(download.spot.target)
        if component is not None:
            checkouts[download.spot.target] = component.worktree
            components[download.spot.target] = component.spec.component
    paths = config.paths
    allowed = bounds.Bounds(
        paths,
        output or paths.root,
        checkouts,
        config.private_places(),
        others=tuple(classes.worktrees()),
        components=components,
    )
    fetch.fetch_downloads(config, downloads, allowed, places, classes.dependencies, through=through)
