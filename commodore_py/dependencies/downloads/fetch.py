"""Fetch all downloads of a run in parallel, each source once, and write them to their paths."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from commodore_py import run_log
from commodore_py.adapters.files.archives import BadArchive, unpack_tar
from commodore_py.adapters.masking import without_secrets
from commodore_py.adapters.workers import in_parallel
from commodore_py.dependencies.git.mirrors import Mirrors
from commodore_py.dependencies.jsonnet.fetch import Clones
from commodore_py.dependencies.jsonnet.remote import Remote
from commodore_py.errors import CommodoreError, raise_collected
from commodore_py.model.download import Artifact, Chart, Repository, WebFile

from . import artifacts, charts, web_files
from .bounds import LocalSources
from .placing import put_all
from .plan import Placement
from .repositories import Repositories
from .settings import FetchSettings
from .store import Store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from commodore_py.adapters.files.archives import Content
    from commodore_py.config import Config
    from commodore_py.model.dependency import Dependency
    from commodore_py.model.download import Download, Source
    from commodore_py.model.spot import Places

    from .bounds import Bounds
    from .settings import Fetching, Through
    from .store import Stored

log = logging.getLogger(__name__)

_SECONDS_FOR_FILES = 30.0
_PARALLEL = 8  # waiting for servers, not computing
_ORDER = (WebFile, Repository, Chart, Artifact)  # Kapitan's


def fetch_downloads(
    config: Config,
    downloads: Sequence[Download],
    bounds: Bounds,
    places: Places,
    shared: Iterable[Dependency] = (),
    *,
    through: Through | None = None,
) -> None:
    """Fetch the downloads of components, and write them to their output paths."""
    requested = downloads
    if not config.fetch_dependencies:  # still those of targets with a forced one
        forced = {download.spot.target for download in downloads if download.forced}
        requested = [download for download in downloads if download.spot.target in forced]
    if not requested:
        return
    log.info("Fetching %d charts, archives, files and repositories", len(requested))
    warnings: list[CommodoreError] = []
    run = _Run.of(config, shared, warnings.append)
    fetching: Fetching = (
        run if through is None else through(run.settings.store, run.fetch, run.clone_with)
    )
    targets, problems = _places_of(requested, bounds, places, warnings.append)
    problems += _refused_sources(requested, run.repositories.local, places, warnings.append)
    raise_collected(problems, "cannot fetch all downloads")
    sources: dict[Source, list[Download]] = {}
    for download in requested:
        sources.setdefault(download.source, []).append(download)
    with run_log.stage("download", of="download", total=len(sources)):
        fetched = in_parallel(fetching.fetch, sources, at_most=_PARALLEL)
    outcomes = dict(zip(sources, fetched, strict=True))
    for source, outcome in outcomes.items():
        if isinstance(outcome, CommodoreError):
            problems.append(_located(outcome, source, sources[source], places))
    fetching.refuse(problems)
    raise_collected(problems, "cannot fetch all downloads")
    stored = {
        source: result
        for source, result in outcomes.items()
        if not isinstance(result, CommodoreError)
    }
    placements = [
        run.placement(download, stored[download.source], targets[download], places)
        for download in sorted(requested, key=lambda download: _ORDER.index(type(download.source)))
    ]
    try:
        chosen = _first_of_each(placements, warnings.append)
        put_all(chosen, bounds, warnings.append)
    except OSError as error:
        raise CommodoreError(
            f"cannot write downloads: {error.strerror}", where=str(error.filename)
        ) from error
    if config.strict:
        raise_collected(warnings, "refused by --strict")
    for warning in warnings:
        log.warning("%s", warning, extra={"where": warning.where, "hint": warning.hint})


@dataclass(slots=True)
class _Run:
    settings: FetchSettings
    repositories: Repositories
    charts: charts.Charts = field(init=False)
    artifacts: artifacts.Artifacts = field(init=False)

    def __post_init__(self) -> None:
        self.charts = charts.Charts(self.settings)
        self.artifacts = artifacts.Artifacts(self.settings)

    @classmethod
    def of(
        cls, config: Config, shared: Iterable[Dependency], warn: Callable[[CommodoreError], None]
    ) -> _Run:
        store, shared = Store.of(config), tuple(shared)
        settings = FetchSettings(
            store,
            refresh=not (config.local or config.offline),
            offline=config.offline,
            # Files may take longer than answers of an API.
            timeout=max(config.request_timeout, _SECONDS_FOR_FILES),
            warn=warn,
        )
        clones = Clones.shared_with(
            config.paths.bare_clones,
            shared,
            Mirrors.of(config),
            local=config.local,
            offline=config.offline,
            borrow=config.lock_file is not None,
        )
        local = LocalSources(config.paths.root, shared)
        return cls(settings, Repositories(settings, clones, local))

    def clone_with(self, url: str, commit: str) -> Path:
        """The clone of a repository, with a commit in it."""
        remote, clones = Remote(url, ""), self.repositories.clones
        clones.commit(remote, commit)
        return clones.of(remote)

    def refuse(self, problems: Iterable[CommodoreError]) -> None:
        """Nothing: what cannot be fetched is reported with all else."""

    def fetch(self, source: Source) -> Stored | CommodoreError:
        try:
            with run_log.item("download", without_secrets(str(source))):
                return self._fetch(source)
        except CommodoreError as error:
            return error

    def _fetch(self, source: Source) -> Stored:
        match source:
            case WebFile(url):
                return web_files.fetch_file(url, self.settings)
            case Repository():
                return self.repositories.fetch(source)
            case Chart():
                return self.charts.fetch(source)
            case Artifact():
                return self.artifacts.fetch(source)

    def placement(
        self, download: Download, stored: Stored, place: Path, places: Places
    ) -> Placement:
        """The placement of a download; empty for an invalid archive."""
        variant = f"unpacked {download.unpack} {getattr(download.source, 'subpath', '')}"
        shown = without_secrets(str(download.source))
        if (
            isinstance(download.source, WebFile)
            and download.unpack
            and not self._is_archive(download, stored)
        ):
            kind = stored.about.get("type") or "unknown"
            self.settings.warn(
                CommodoreError(
                    f"{shown} is not unpacked and not written: its content type is {kind}",
                    where=_place(download, places),
                    hint="only tar and zip archives are unpacked, compressed ones if their URL ends"
                    " with .tar.gz or .tgz; after a query, add #.tgz to it",
                )
            )
        return Placement(
            place,
            _address_of(download.source),
            f"{stored.sha256} {variant}",
            partial(self._content, download, stored, shown),
            shown,
            where=_place(download, places),
        )

    def _is_archive(self, download: Download, stored: Stored) -> bool:
        assert isinstance(download.source, WebFile)  # noqa: S101 - for the type checker
        file = self.settings.store.content(stored)
        return web_files.is_archive(file, download.source.url, stored.about.get("type"))

    def _content(self, download: Download, stored: Stored, shown: str) -> Content:
        file = self.settings.store.content(stored)
        try:
            match download.source:
                case WebFile(url) if download.unpack:
                    return web_files.unpacked(file, url, stored.about.get("type")) or {}
                case WebFile():
                    return web_files.alone(file)
                case Repository():
                    return unpack_tar(file)
                case Chart():
                    return charts.content_of(stored, file)
                case Artifact() as artifact:
                    return artifacts.content_of(artifact, file)
        except BadArchive as error:
            error.where = error.where or shown
            raise


def _places_of(
    requested: Iterable[Download],
    bounds: Bounds,
    places: Places,
    warn: Callable[[CommodoreError], None],
) -> tuple[dict[Download, Path], list[CommodoreError]]:
    paths: dict[Download, Path] = {}
    problems = []
    for download in requested:
        try:
            target = download.spot.target
            paths[download] = bounds.place(download.output_path, target)
            owner = bounds.owner_besides(paths[download], target)
            if owner is not None:
                warn(
                    CommodoreError(
                        f"a download of {target} is written to {download.output_path},"
                        f" which is not its own: {owner} belongs to others",
                        where=_place(download, places),
                        hint="use a path below ${_base_directory}",
                    )
                )
        except CommodoreError as error:
            error.where = _place(download, places)
            problems.append(error)
    return paths, problems


def _refused_sources(
    requested: Iterable[Download],
    local: LocalSources,
    places: Places,
    warn: Callable[[CommodoreError], None],
) -> Iterator[CommodoreError]:
    for download in requested:
        if not isinstance(download.source, Repository):
            continue
        try:
            if not local.is_beside(download.source.url):
                warn(
                    CommodoreError(
                        "a local repository that is not beside one of a dependency is downloaded:"
                        f" {without_secrets(download.source.url)}",
                        where=_place(download, places),
                        hint="move it beside the component's repository, or name it by a URL of a"
                        " server",
                    )
                )
        except CommodoreError as error:
            error.where = _place(download, places)
            yield error


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


def _address_of(source: Source) -> str:
    match source:
        case WebFile(url) | Repository(url):
            return url
        case Chart(repository):
            return repository
        case Artifact(reference):
            return reference


def _place(download: Download, places: Places) -> str:
    path = tuple(str(key) for key in download.spot.path)
    place = places.parameter(download.spot.target, path)
    return f"{place}\n{download.spot}" if place else str(download.spot)


def _located(
    error: CommodoreError, source: Source, downloads: Sequence[Download], places: Places
) -> CommodoreError:
    """Add every entry that requests a source to its error."""
    spots = dict.fromkeys(_place(download, places) for download in downloads)
    error.where = "\n".join(filter(None, (error.where, *spots)))
    error.add_note(f"while fetching {without_secrets(str(source))}")
    return error
