"""What is noted of a run that succeeded."""

from __future__ import annotations

import json
import os
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from commodore_py import compiler
from commodore_py.adapters.masking import REDACTOR
from commodore_py.cache.up_to_date import warnings
from commodore_py.cache.up_to_date.last_run import LastRun, outcome_of
from commodore_py.cache.verdicts import Verdicts, paths_outside, reads_one_of
from commodore_py.config import facts_folder

from . import outside, own_changes, remotes, responses
from .snapshots import snapshot_of_run

if TYPE_CHECKING:
    from collections.abc import Callable

    from commodore_py.cache.up_to_date.snapshot import Snapshot
    from commodore_py.config import Config
    from commodore_py.model.catalog import Change, DiffLine
    from commodore_py.model.published import Published
    from commodore_py.model.stages import Rendered, Sources
    from commodore_py.run_log import Events


class Observed(NamedTuple):
    """What was collected since before the run began."""

    environment: str
    program: str
    before: Snapshot
    began: int
    events: Events
    warnings: list[dict[str, str]]
    last_warnings: list[dict[str, str]] | None
    """Those of the run before, if it is known."""
    own_outputs: frozenset[str]


def note_of(
    config: Config,
    sources: Sources,
    rendered: Rendered,
    published: Published,
    observed: Observed,
    *,
    lines: Callable[[Change], tuple[DiffLine, ...]] | None,
) -> LastRun | str:
    """Everything that the next run is compared with; or why it cannot be."""
    why = _objection(config, sources, published, observed)
    if why:
        return why
    root, events = config.paths.root, observed.events
    elsewhere = sorted({*outside.named_by(sources, root), *paths_outside(events, root)})
    asks_nobody = config.local or config.offline
    of_remotes = remotes.remotes_of(config.paths, sources, events, local=asks_nobody)
    if of_remotes is None:
        return "it is not known what its remotes have"
    downloads = [] if asks_nobody else responses.downloads_of(events)
    urls = json.dumps([sources.cluster.catalog_url, of_remotes, downloads], default=str)
    if REDACTOR.masked(urls) != urls:
        return "its URLs contain credentials, which are not stored"
    files = _files_after(config, elsewhere, observed)
    snapshots = own_changes.Snapshots(observed.before, observed.began, files)
    foreign = own_changes.unexplained(snapshots, config, sources, rendered)
    if foreign:
        return f"another program may have changed {foreign} meanwhile"
    if not files.is_settled():
        return "files are as young as the clock is exact"
    facts = None if asks_nobody else facts_folder(config.api_url)
    text = lines(published.change) if lines is not None and published.change else None
    return LastRun(
        environment=observed.environment,
        program=observed.program,
        files=files.digest(),
        cluster="" if asks_nobody or facts else responses.digest_of(sources.cluster),
        catalog=sources.cluster.catalog_url,
        outside=elsewhere,
        own_outputs=sorted(filter(os.path.lexists, observed.own_outputs)),
        remotes=of_remotes,
        downloads=downloads,
        warnings=observed.warnings,
        repeatable=warnings.are_repeatable(
            observed.warnings,
            observed.last_warnings,
            local=config.local,
            pushed=published.commit is not None,
        ),
        outcome=outcome_of(published, text),
        time=datetime.now().astimezone().isoformat(timespec="seconds"),
    )


def _files_after(config: Config, elsewhere: list[str], observed: Observed) -> Snapshot:
    # A run that fetches also writes where others do, so changes must be explained.
    quick = config.local and not config.fetch_dependencies
    before = observed.before if quick else None
    return snapshot_of_run(
        config, elsewhere, observed.own_outputs, before=before, written=own_changes.WRITTEN
    )


def _objection(config: Config, sources: Sources, published: Published, observed: Observed) -> str:
    """Why a run must be repeated, whatever the files are like."""
    if published.unreported:
        return "its report is still due"
    warned = config._replace(helm_nondeterminism="warn")
    steady = all(one.steady for verdicts in observed.events.of(Verdicts) for one in verdicts.all)
    if not steady or compiler.find_chart_problems(warned, sources):
        return "a chart gives something else each time"
    file = reads_one_of(observed.own_outputs, observed.events, config.paths.root)
    return f"it looks for {file}, and writes such a file for its user" if file else ""
