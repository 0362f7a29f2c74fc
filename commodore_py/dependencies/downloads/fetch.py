"""All downloads of a run: each source once, all at the same time, then everything in its place."""

from __future__ import annotations

import logging
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from commodore_py import run_log
from commodore_py.adapters.files.archives import BadArchive, unpack_tar
from commodore_py.adapters.git.urls import without_password
from commodore_py.adapters.http import web
from commodore_py.dependencies.git.lending import Lender
from commodore_py.dependencies.git.questions import Asker
from commodore_py.dependencies.jsonnet.fetch import Clones
from commodore_py.errors import CommodoreError, raise_collected
from commodore_py.model.download import Artifact, Chart, Repository, WebFile
from commodore_py.model.remote_use import SourceDownloaded

from . import artifacts, charts, files
from .mode import Mode
from .placing import Placement, put_all
from .repositories import Repositories
from .store import Store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from commodore_py.adapters.files.archives import Content
    from commodore_py.config import Config
    from commodore_py.model.dependency import Dependency
    from commodore_py.model.download import Download, Source
    from commodore_py.model.spot import Places

    from .bounds import Bounds
    from .store import Known

log = logging.getLogger(__name__)

_PARALLEL = 8  # waiting for servers, not computing
_ORDER = (WebFile, Repository, Chart, Artifact)  # Kapitan's


def fetch_downloads(
    config: Config,
    downloads: Sequence[Download],
    bounds: Bounds,
    places: Places,
    shared: Iterable[Dependency] = (),
) -> None:
    """Fetch what components want to have, and put it where they want to have it."""
    wanted = _to_fetch(downloads, all_of_them=config.fetch_dependencies)
    if not wanted:
        return
    log.info("Fetching %d charts, archives, files and repositories", len(wanted))
    doubts: list[CommodoreError] = []
    run = _Run.of(config, shared, doubts.append)
    targets, problems = _places_of(wanted, bounds, places)
    sources: dict[Source, list[Download]] = {}
    for one in wanted:
        sources.setdefault(one.source, []).append(one)
    downloading = run_log.stage("download", of="download", total=len(sources))
    with downloading, ThreadPoolExecutor(max_workers=_PARALLEL) as pool:
        outcomes = dict(zip(sources, pool.map(run.fetch, sources), strict=True))
    for source, outcome in outcomes.items():
        if isinstance(outcome, CommodoreError):
            problems.append(_told(outcome, source, sources[source], places))
    raise_collected(problems, "not everything that components download is here")
    known = {source: one for source, one in outcomes.items() if not isinstance(one, CommodoreError)}
    for source, found in known.items():
        run_log.report(SourceDownloaded(source, found.sha256))
    placements = [
        run.placement(one, known[one.source], targets[one], places)
        for one in sorted(wanted, key=lambda one: _ORDER.index(type(one.source)))
    ]
    try:
        chosen = _first_of_each(placements, doubts.append)
        put_all(chosen, bounds, doubts.append, keep_extras=config.local)
    except OSError as error:
        raise CommodoreError(
            f"cannot write downloads: {error.strerror}", where=str(error.filename)
        ) from error
    if config.strict:
        raise_collected(doubts, "refused by --strict")
    for doubt in doubts:
        log.warning("%s", doubt, extra={"where": doubt.where, "hint": doubt.hint})


def digests_now(config: Config, sources: Sequence[Source]) -> list[str]:
    """What sources hold now; an empty text where that cannot be had."""
    run = _Run.of(config, (), lambda _: None)
    with ThreadPoolExecutor(max_workers=_PARALLEL) as pool:
        outcomes = pool.map(run.fetch, sources)
        return ["" if isinstance(one, CommodoreError) else one.sha256 for one in outcomes]


@dataclass(slots=True)
class _Run:
    mode: Mode
    repositories: Repositories
    charts: charts.Charts = field(init=False)
    artifacts: artifacts.Artifacts = field(init=False)

    def __post_init__(self) -> None:
        self.charts = charts.Charts(self.mode)
        self.artifacts = artifacts.Artifacts(self.mode)

    @classmethod
    def of(
        cls, config: Config, shared: Iterable[Dependency], doubt: Callable[[CommodoreError], None]
    ) -> _Run:
        store = Store(config.download_cache or config.paths.state / "downloads")
        mode = Mode(
            store,
            ask=not (config.local or config.offline),
            offline=config.offline,
            timeout=web.patience(config.request_timeout),
            doubt=doubt,
        )
        clones = Clones.shared_with(
            config.paths.bare_clones,
            shared,
            Lender.of(config),
            local=config.local,
            offline=config.offline,
        )
        return cls(mode, Repositories(mode, clones, Asker(config.paths.root)))

    def fetch(self, source: Source) -> Known | CommodoreError:
        try:
            with run_log.item("download", without_password(str(source))):
                return self._fetch(source)
        except CommodoreError as error:
            return error

    def _fetch(self, source: Source) -> Known:
        match source:
            case WebFile(url):
                return files.fetch_file(url, self.mode)
            case Repository():
                return self.repositories.fetch(source)
            case Chart():
                return self.charts.fetch(source)
            case Artifact():
                return self.artifacts.fetch(source)

    def placement(self, one: Download, known: Known, place: Path, places: Places) -> Placement:
        """What of a download goes where; nothing of an archive that is none."""
        variant = f"unpacked {one.unpack} {getattr(one.source, 'subpath', '')}"
        shown = without_password(str(one.source))
        if isinstance(one.source, WebFile) and one.unpack and not self._is_archive(one, known):
            kind = known.about.get("type") or "no type at all"
            self.mode.doubt(
                CommodoreError(
                    f"{shown} is not unpacked, and nothing of it is there: it came as {kind}",
                    where=_seen(one, places),
                    hint="only tar and zip archives are unpacked, compressed ones if their URL ends"
                    " with .tar.gz or .tgz",
                )
            )
        return Placement(
            place,
            _address_of(one.source),
            f"{known.sha256} {variant}",
            partial(self._content, one, known, shown),
            shown,
            whole=not isinstance(one.source, WebFile),
            where=_seen(one, places),
        )

    def _is_archive(self, one: Download, known: Known) -> bool:
        assert isinstance(one.source, WebFile)  # noqa: S101 - for the type checker
        file = self.mode.store.content(known)
        return files.is_archive(file, one.source.url, known.about.get("type"))

    def _content(self, one: Download, known: Known, shown: str) -> Content:
        file = self.mode.store.content(known)
        try:
            match one.source:
                case WebFile(url) if one.unpack:
                    return files.unpacked(file, url, known.about.get("type")) or {}
                case WebFile():
                    return files.alone(file)
                case Repository():
                    return unpack_tar(file)
                case Chart():
                    return charts.content_of(known, file)
                case Artifact() as artifact:
                    return artifacts.content_of(artifact, file)
        except BadArchive as error:
            error.where = error.where or shown
            raise


def _to_fetch(downloads: Sequence[Download], *, all_of_them: bool) -> list[Download]:
    """Everything, or with `--no-fetch-dependencies` all of those targets that insist."""
    insisting = {one.spot.target for one in downloads if all_of_them or one.forced}
    return [one for one in downloads if one.spot.target in insisting]


def _places_of(
    wanted: Iterable[Download], bounds: Bounds, places: Places
) -> tuple[dict[Download, Path], list[CommodoreError]]:
    found: dict[Download, Path] = {}
    problems = []
    for one in wanted:
        try:
            found[one] = bounds.place(one.output_path, one.spot.target)
        except CommodoreError as error:
            error.where = _seen(one, places)
            problems.append(error)
    return found, problems


def _first_of_each(
    placements: Iterable[Placement], doubt: Callable[[CommodoreError], None]
) -> list[Placement]:
    """Of one source at one place the first counts, as with Kapitan."""
    found: dict[tuple[Path, str], Placement] = {}
    for one in placements:
        first = found.setdefault((one.place, one.source), one)
        if first.digest != one.digest:
            doubt(
                CommodoreError(
                    f"{one.what} is left out: {first.what} is put to the same place, {one.place}",
                    where=one.where,
                    hint="give each a folder of its own, such as one with the version in its name",
                )
            )
    return list(found.values())


def _address_of(source: Source) -> str:
    match source:
        case WebFile(url) | Repository(url):
            return url
        case Chart(repository):
            return repository
        case Artifact(reference):
            return reference


def _seen(one: Download, places: Places) -> str:
    path = tuple(str(key) for key in one.spot.path)
    place = places.parameter(one.spot.target, path)
    return f"{place}\n{one.spot}" if place else str(one.spot)


def _told(
    error: CommodoreError, source: Source, wanted: Sequence[Download], places: Places
) -> CommodoreError:
    """Who needs what could not be had: every entry that asks for it."""
    spots = dict.fromkeys(_seen(one, places) for one in wanted)
    error.where = "\n".join(filter(None, (error.where, *spots)))
    error.add_note(f"while fetching {without_password(str(source))}")
    return error
