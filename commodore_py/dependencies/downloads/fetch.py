"""Fetch all downloads of a run in parallel, each source once, and write them to their paths."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, TypeAlias

from commodore_py import run_log
from commodore_py.adapters.masking import without_secrets
from commodore_py.adapters.workers import in_parallel
from commodore_py.dependencies.jsonnet.fetch import Clones
from commodore_py.dependencies.jsonnet.jsonnetfile import Remote
from commodore_py.errors import CommodoreError, raise_collected
from commodore_py.model.download import Artifact, Chart, Repository, WebFile
from commodore_py.model.spot import NOWHERE

from . import artifacts, charts, web_files
from .bounds import Bounds, LocalSources
from .placing import put_all
from .plan import Placement
from .repositories import Repositories
from .store import FetchSettings, Store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from commodore_py.config import Config
    from commodore_py.model.classpath import ClassPath
    from commodore_py.model.dependency import Dependency
    from commodore_py.model.download import Download, Source
    from commodore_py.model.spot import Places

    from .store import Stored

log = logging.getLogger(__name__)

_SECONDS_FOR_FILES = 30.0
_PARALLEL = 8  # waiting for servers, not computing
_ORDER = (WebFile, Repository, Chart, Artifact)  # Kapitan's

FetchOne: TypeAlias = "Callable[[Source], Stored | CommodoreError]"
"""Fetches a source, or returns why it cannot be fetched."""
Through: TypeAlias = "Callable[[Fetcher], FetchOne]"
"""Makes another way to fetch of the usual one: by a lock."""


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
    requested = downloads
    if not config.fetch_dependencies:  # still those of targets with a forced one
        forced = {download.spot.target for download in downloads if download.forced}
        requested = [download for download in downloads if download.spot.target in forced]
    if not requested:
        return
    log.info("Fetching %d charts, archives, files and repositories", len(requested))
    warnings: list[CommodoreError] = []
    fetcher = Fetcher(config, classes.dependencies, warnings.append)
    bounds = Bounds.of(config, requested, classes, output)
    where = {download: _place(download, places) for download in requested}
    paths = _paths_of(where, bounds, fetcher.local, warnings.append)
    stored = _fetched(fetcher, where, through)
    placements = [
        Placement(download, paths[download], where[download], *stored[download.source])
        for download in sorted(requested, key=lambda download: _ORDER.index(type(download.source)))
    ]
    warnings += map(_not_unpacked, filter(lambda placed: placed.is_invalid_archive, placements))
    try:
        put_all(_first_of_each(placements, warnings.append), bounds, warnings.append)
    except OSError as error:
        raise CommodoreError(
            f"cannot write downloads: {error.strerror}", where=str(error.filename)
        ) from error
    if config.strict:
        raise_collected(warnings, "refused by --strict")
    for warning in warnings:
        log.warning("%s", warning, extra={"where": warning.where, "hint": warning.hint})


def _paths_of(
    requested: Mapping[Download, str],
    bounds: Bounds,
    local: LocalSources,
    warn: Callable[[CommodoreError], None],
) -> dict[Download, Path]:
    """The paths of downloads; raises if they must not be written there, or their sources be read.

    What belongs to others is a warning.
    """
    paths: dict[Download, Path] = {}
    problems = []
    for download, where in requested.items():
        target, source = download.spot.target, download.source
        try:
            paths[download] = bounds.place(download.output_path, target)
            owner = bounds.owner_besides(paths[download], target)
            is_beside = not isinstance(source, Repository) or local.is_beside(source.url)
        except CommodoreError as error:
            error.where = where
            problems.append(error)
            continue
        if owner is not None:
            warn(
                CommodoreError(
                    f"a download of {target} is written to {download.output_path},"
                    f" which is not its own: {owner} belongs to others",
                    where=where,
                    hint="use a path below ${_base_directory}",
                )
            )
        if not is_beside:
            warn(
                CommodoreError(
                    "a local repository that is not beside one of a dependency is downloaded:"
                    f" {without_secrets(str(source))}",
                    where=where,
                    hint="move it beside the component's repository, or name it by a URL of a"
                    " server",
                )
            )
    raise_collected(problems, "cannot fetch all downloads")
    return paths


class Fetcher:
    """The sources of a run, each fetched as its kind is."""

    def __init__(
        self,
        config: Config,
        dependencies: Iterable[Dependency],
        warn: Callable[[CommodoreError], None],
    ) -> None:
        dependencies = tuple(dependencies)
        self.store = Store.of(config)
        self.local = LocalSources(config.paths.root, dependencies)
        self._settings = FetchSettings(
            self.store,
            refresh=not (config.local or config.offline),
            offline=config.offline,
            # Files may take longer than answers of an API.
            timeout=max(config.request_timeout, _SECONDS_FOR_FILES),
            warn=warn,
        )
        borrow = config.lock_file is not None
        self._clones = Clones.of(config, dependencies, borrow=borrow)
        self._repositories = Repositories(self._settings, self._clones, self.local)
        self._charts = charts.Charts(self._settings)

    def clone_with(self, url: str, commit: str) -> Path:
        """The clone of a repository, with a commit in it."""
        remote = Remote(url, "")
        self._clones.commit(remote, commit)
        return self._clones.path(remote)

    def fetch(self, source: Source) -> Stored | CommodoreError:
        """The content of a source, or why it cannot be fetched."""
        try:
            with run_log.item("download", without_secrets(str(source))):
                match source:
                    case WebFile(url):
                        return web_files.fetch_file(url, self._settings)
                    case Repository():
                        return self._repositories.fetch(source)
                    case Chart():
                        return self._charts.fetch(source)
                    case Artifact():
                        return artifacts.fetch_artifact(source, self._settings)
        except CommodoreError as error:
            return error


def _fetched(
    fetcher: Fetcher, requested: Mapping[Download, str], through: Through | None
) -> dict[Source, tuple[Stored, Path]]:
    """Fetch each source once, with the file of its content.

    An error names all entries that request it.
    """
    fetch = fetcher.fetch if through is None else through(fetcher)
    sources: dict[Source, list[str]] = {}
    for download, where in requested.items():
        sources.setdefault(download.source, []).append(where)
    with run_log.stage("download", of="download", total=len(sources)):
        outcomes = in_parallel(fetch, sources, at_most=_PARALLEL)
    stored: dict[Source, tuple[Stored, Path]] = {}
    problems = []
    for source, outcome in zip(sources, outcomes, strict=True):
        if isinstance(outcome, CommodoreError):
            spots = (outcome.where, *dict.fromkeys(sources[source]))
            outcome.where = "\n".join(filter(None, spots))
            outcome.add_note(f"while fetching {without_secrets(str(source))}")
            problems.append(outcome)
        else:
            stored[source] = outcome, fetcher.store.content(outcome)
    raise_collected(problems, "cannot fetch all downloads")
    return stored


def _not_unpacked(placement: Placement) -> CommodoreError:
    kind = placement.stored.about.get("type") or "unknown"
    return CommodoreError(
        f"{placement.what} is not unpacked and not written: its content type is {kind}",
        where=placement.where,
        hint="only tar and zip archives are unpacked, compressed ones if their URL ends"
        " with .tar.gz or .tgz; after a query, add #.tgz to it",
    )


def _first_of_each(
    placements: Iterable[Placement], warn: Callable[[CommodoreError], None]
) -> list[Placement]:
    """The first placement of each source and path, as in Kapitan."""
    placed: dict[tuple[Path, str], Placement] = {}
    for placement in placements:
        first = placed.setdefault((placement.path, placement.source), placement)
        if first.digest != placement.digest:
            warn(
                CommodoreError(
                    f"{placement.what} is skipped: {first.what} is written to the same path,"
                    f" {placement.path}",
                    where=placement.where,
                    hint="use a separate folder for each, such as one with the version in its name",
                )
            )
    return list(placed.values())


def _place(download: Download, places: Places) -> str:
    path = tuple(str(key) for key in download.spot.path)
    place = places.parameter(download.spot.target, path)
    return f"{place}\n{download.spot}" if place else str(download.spot)
