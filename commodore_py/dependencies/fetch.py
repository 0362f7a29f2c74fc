"""The two fetchers: from Git, and from the work folder alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, TypeAlias

from commodore_py.model.dependency import Dependency, DependencySpec

from .git.groups import place_of
from .work_folder import find_all

if TYPE_CHECKING:
    from commodore_py.config import Config

Fetch: TypeAlias = Callable[[Iterable[DependencySpec]], tuple[Dependency, ...]]


def fetcher(config: Config) -> Fetch:
    """A function that fetches, or one that only looks into the working directory."""
    if not config.local:
        from .git.fetch import git_fetcher  # noqa: PLC0415 - much code, and local runs need none

        return git_fetcher(config)
    return lambda specs: find_all({spec: place_of(spec, config.paths) for spec in specs})
