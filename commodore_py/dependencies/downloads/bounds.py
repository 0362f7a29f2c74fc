"""Where downloads may be written, and which repositories of this machine they may read."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from commodore_py.adapters import git_urls
from commodore_py.adapters.files.reach import Reach
from commodore_py.errors import CommodoreError
from commodore_py.model.dependency import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from commodore_py.config import Config, WorkPaths
    from commodore_py.model.classpath import ClassPath
    from commodore_py.model.dependency import Dependency
    from commodore_py.model.download import Download


# What only the working directory of a cluster has.
_OF_CLUSTERS = (".commodore", "inventory/classes/params/cluster.yml")
_OBEYED = (".env", "lib/jinja2_filters.py")


@dataclass(frozen=True, slots=True)
class Bounds:
    """The folders that downloads may be written to, and protected ones in them."""

    paths: WorkPaths
    output: Path
    """Where relative paths start."""
    checkouts: Mapping[str, Path]
    """The checkout of the component of each instance."""
    private: tuple[str, ...] = ()
    """More places that no download may write to: facts of clusters, and the file of a token."""
    others: tuple[Path, ...] = ()
    """Checkouts of all parties."""
    components: Mapping[str, str] = field(default_factory=dict)
    """The component that each instance is an instance of."""

    @classmethod
    def of(
        cls, config: Config, downloads: Iterable[Download], classes: ClassPath, output: Path | None
    ) -> Bounds:
        """The bounds of downloads; relative paths start in `output` or the working directory."""
        checkouts = {
            dependency.spec.name: dependency.worktree
            for dependency in classes.of_kind(Kind.COMPONENT, Kind.INSTANCE)
        }
        components: dict[str, str] = {}
        for target in {download.spot.target for download in downloads}:
            component = classes.component(target)
            if component is not None:
                checkouts[target] = component.worktree
                components[target] = component.spec.component
        return cls(
            config.paths,
            output or config.paths.root,
            checkouts,
            config.private_places(),
            others=tuple(classes.worktrees()),
            components=components,
        )

    def place(self, path: str, target: str) -> Path:
        """The real path of an output path; raises if it is outside of the allowed folders."""
        # Normalised by name first, as Kapitan does; links are resolved afterwards.
        absolute = Path(os.path.normpath(self.output / path))
        place = absolute.parent.resolve() / absolute.name if absolute.name else absolute
        place = place.resolve() if place.is_dir() else place
        checkout = self.checkouts.get(target)
        allowed = [self.paths.root, self.output, *([checkout] if checkout is not None else [])]
        if not any(place.is_relative_to(folder.resolve()) for folder in allowed):
            raise CommodoreError(
                f"{path} is outside of the working directory and of the component's checkout"
                + (f": it leads to {place}" if place != absolute else ""),
                hint="use a path below ${_base_directory}",
            )
        self.check([place], path)
        self._refuse_clusters(place, path)
        return place

    def owner_besides(self, place: Path, target: str) -> Path | None:
        """A folder of someone else that a place is in, or around."""
        checkouts = (self.checkouts.get(name) for name in (target, self.components.get(target, "")))
        if any(
            place.is_relative_to(checkout.resolve())
            for checkout in checkouts
            if checkout is not None
        ):
            return None
        paths = self.paths
        shared = (paths.inventory, paths.vendor, paths.libraries, paths.compiled)
        for folder in (*self.others, *shared):
            real = folder.resolve()
            if place.is_relative_to(real) or real.is_relative_to(place):
                return folder
        return None

    def _refuse_clusters(self, place: Path, path: str) -> None:
        tops = {folder.resolve() for folder in (self.paths.root, self.output)}
        for folder in (place, *place.parents):
            if folder in tops:
                return
            if any((folder / name).exists() for name in _OF_CLUSTERS):
                raise CommodoreError(
                    f"{path} is in {folder}, the working directory of another cluster",
                    hint="use a path below ${_base_directory}",
                )

    def check(self, places: Iterable[Path], path: str = "") -> None:
        """Raise for paths inside of Git's or our own folders."""
        # Strings are fast: there may be many thousands of paths.
        private = tuple(f"{folder}/" for folder in self._private())
        for place in places:
            if f"{place}/".startswith(private):
                folder = next(
                    candidate for candidate in private if f"{place}/".startswith(candidate)
                )
                raise CommodoreError(
                    f"{path or place} would overwrite files of Git or Commodore in {folder[:-1]}",
                    hint="use a separate folder",
                )

    def _private(self) -> list[Path]:
        root = self.paths.root.resolve()
        tops = [root, self.output.resolve()]
        tops += [checkout.resolve() for checkout in self.checkouts.values()]
        return [
            *(top / ".git" for top in tops),
            self.paths.state.resolve(),
            self.paths.bare_clones.resolve(),
            # All of it is written from what is compiled, and pushed.
            self.paths.catalog.resolve(),
            # What later runs obey, or run.
            *(root / name for name in _OBEYED),
            *(self.output.resolve() / name for name in _OBEYED),
            *(Path(place).resolve() for place in self.private),
        ]


class LocalSources:
    """The local repositories that components may name: those beside the ones of dependencies.

    None in the working directory or in a checkout: others write files there by which parts of
    another repository become its own.
    """

    def __init__(self, root: Path, dependencies: Iterable[Dependency]) -> None:
        dependencies = tuple(dependencies)
        self._root, self._reach = root, Reach((root,), work=(root,))
        worktrees = (dependency.worktree for dependency in dependencies)
        self._written = {os.path.realpath(folder) for folder in (root, *worktrees)}
        self._beside = _folders_above(dependency.url for dependency in dependencies)

    def absolute(self, url: str) -> str:
        """The URL, or the full path that it names as seen from the working directory."""
        return git_urls.absolute(url, self._root)

    def is_beside(self, url: str, *, beside: str = "") -> bool:
        """Return whether a repository is on a server, beside one of a dependency, or a given one.

        One in a place that is never read is an error.
        """
        allowed = {*self._beside, *_folders_above([beside])}
        places = git_urls.local_places(self.absolute(url))
        for place in places:
            self._reach.holds(place)  # raises if it is never read
        real_places = map(os.path.realpath, places)
        return all(
            _is_below(real, allowed) and not _is_below(real, self._written) for real in real_places
        )


def _folders_above(urls: Iterable[str]) -> set[str]:
    places = (place for url in urls for place in git_urls.local_places(url))
    above = {
        os.path.realpath(f"{place.rstrip('/')}/..") for place in places if place.startswith("/")
    }
    return above - {"/"}


def _is_below(place: str, folders: Iterable[str]) -> bool:
    return any(os.path.commonpath((place, folder)) == folder for folder in folders)
