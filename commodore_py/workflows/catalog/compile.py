"""Compile a catalog, unless it is up to date: then show the result of the last run again."""

from __future__ import annotations

import logging
from contextlib import suppress
from functools import cached_property
from time import monotonic, time_ns
from typing import TYPE_CHECKING, TypeAlias

from commodore_py import run_log
from commodore_py.cache.up_to_date import last_run, noted_files, warnings
from commodore_py.cache.up_to_date.environment import fingerprint
from commodore_py.cache.up_to_date.snapshot import TooMuch
from commodore_py.errors import CommodoreError

from .snapshots import ignored_by_run, snapshot_of_facts, snapshot_of_program, snapshot_of_run

if TYPE_CHECKING:
    from collections.abc import Callable

    from commodore_py.cache.up_to_date.last_run import LastRun
    from commodore_py.cache.up_to_date.noted_files import Look
    from commodore_py.cache.up_to_date.snapshot import Snapshot
    from commodore_py.config import Config
    from commodore_py.model.catalog import Change, DiffLine
    from commodore_py.model.published import Published
    from commodore_py.model.stages import Rendered, Sources

    Approve: TypeAlias = Callable[[Change], bool]
    Lines: TypeAlias = Callable[[Change], tuple[DiffLine, ...]]

log = logging.getLogger(__name__)

# Settings that decide how results are presented, and how fast: never which they are.
_PRESENTATION = frozenset(
    {
        *("api_url_origin", "verbosity", "processes"),
        *("login_timeout", "request_timeout", "output_files"),
    }
)
_ENVIRONMENT = "options, environment, tools or the program itself"


def compile_catalog(
    config: Config, cluster_id: str, approve: Approve, lines: Lines | None = None
) -> Published:
    """Compile one cluster's catalog, or show the last result again if it is up to date.

    `lines` makes the text of a change; without it, a change is only shown with its contents.
    """
    run = _Run(config, cluster_id, lines) if _can_be_up_to_date(config) else None
    published = run.up_to_date() if run is not None else None
    if published is not None:
        if published.change and not config.local:
            approve(published.change)
        return published
    from commodore_py import pipeline

    if run is None:
        return pipeline.compile_catalog(config, cluster_id, approve)
    with run_log.collecting() as run.events, warnings.reported():
        return pipeline.compile_catalog(config, cluster_id, approve, run)


def up_to_date(config: Config, cluster_id: str, lines: Lines | None = None) -> Published | None:
    """The last result for a dry run, if a compile would show that again; nothing is written."""
    real = config._replace(dry_run=False)
    run = _Run(real, cluster_id, lines) if _can_be_up_to_date(real) else None
    return run.up_to_date(note=False) if run is not None else None


def _can_be_up_to_date(config: Config) -> bool:
    """Whether a run can be compared at all: others are rare, or meant to do all the work."""
    all_the_work = config.recompile or config.verify_cache or config.explain_cache or config.force
    all_the_work = all_the_work or config.checks is not None
    elsewhere = config.dry_run or config.output_dir is not None
    by_programs = config.jsonnet_bundler == "jb" and config.fetch_dependencies
    by_others = by_programs or config.engine != "native"
    return not (all_the_work or elsewhere or by_others or _is_thrown_away(config))


def _is_thrown_away(config: Config) -> bool:
    """Whether this is a CI job in a new folder: to note all files would take a tenth of it."""
    if config.paths.state.is_dir():
        return False
    from commodore_py.adapters.desktop import is_ci_job  # slow to import

    return is_ci_job()


class _Run:
    """What is known about the last run, and what is collected about this one."""

    def __init__(self, config: Config, cluster_id: str, lines: Lines | None) -> None:
        self._config, self._cluster, self._lines = config, cluster_id, lines
        self._folder = config.paths.state
        self._root = str(config.paths.root)
        self._last: LastRun | None = None
        self._program = ""
        self._before: Snapshot | None = None
        self._facts: Snapshot | None = None
        """The facts before a first run; later ones look at all files before they read any."""
        self._environment = ""
        self._began = time_ns()
        self.events = run_log.Events()

    @run_log.act("look back")
    def up_to_date(self, *, note: bool = True) -> Published | None:
        """The result of the last run, if this one would have the same."""
        started = monotonic()
        with last_run.locked_if_idle(self._folder) as idle:
            self._last = last = last_run.read(self._folder)
            self._environment = self._fingerprint()
            if last is None:
                self._program = snapshot_of_program().digest()
                self._facts = self._snapshot_of_facts()
                return None
            why = self._difference(last, note=note) if idle else ""
            published = None
            if why:
                log.info("not up to date since the run of %s: %s", last.time, why)
            elif idle:
                with suppress(ValueError, KeyError, TypeError):
                    took = (("gather", round(monotonic() - started, 3)), ("render", 0.0))
                    published = last_run.published_of(last.outcome)
                    published = published._replace(timings=(*took, ("publish", 0.0)))
            if published is None:
                self._look()
                return None
        log.info("nothing changed since %s: nothing to do", last.time)
        warnings.repeat(last.warnings)
        return published

    def _difference(self, last: LastRun, *, note: bool) -> str:
        """Why the catalog is not up to date; the cheapest comparisons come first."""
        if last.environment != self._environment:
            return _ENVIRONMENT
        if not last.repeatable:
            return "what it warned of may have changed"
        if last.outcome["files"] and (
            self._config.push or self._lines is None or last.outcome["lines"] is None
        ):
            return "there is a change to show, or to push"
        why = self._difference_of_files(last, note=note)
        if why:
            return why
        from . import responses

        return responses.difference(self._config, self._cluster, last)

    def _difference_of_files(self, last: LastRun, *, note: bool) -> str:
        if self._noted is not None and self._noted.same:
            return ""
        began = time_ns()
        program, before = self._look()
        if program != last.program:
            return _ENVIRONMENT
        if before is None or before.digest() != last.files:
            return "files"
        if note:
            now = snapshot_of_program()
            if now.digest() == program:
                noted_files.note(self._folder, last, before, now, began)
        return ""

    def _look(self) -> tuple[str, Snapshot | None]:
        """The program, and all files before they are read by this run."""
        if not self._program:
            noted = self._noted
            self._program = noted.program if noted else snapshot_of_program().digest()
            self._before = self._snapshot()
        return self._program, self._before

    @cached_property
    def _noted(self) -> Look | None:
        """A look at the files that a run before has noted."""
        if self._last is None:
            return None
        ignored = ignored_by_run(self._config, self._own_outputs())
        return noted_files.look(self._folder, self._last, ignored)

    def _fingerprint(self) -> str:
        settings = {
            name: value
            for name, value in self._config._asdict().items()
            if name not in _PRESENTATION
        }
        if self._config.lock_file is not None:
            from commodore_py.dependencies.lock.place import digest_of_file, file_of

            settings["lock"] = digest_of_file(file_of(self._config.lock_file, self._cluster))
        return fingerprint({**settings, "cluster": self._cluster}, root=self._root)

    def _snapshot(self) -> Snapshot | None:
        outside = self._last.outside if self._last is not None else ()
        try:
            of_looks = self._noted.snapshot() if self._noted else None
            return of_looks or snapshot_of_run(self._config, outside, self._own_outputs())
        except (OSError, TooMuch) as error:
            log.debug("the working directory cannot be read: %s", error)
            return None

    def _snapshot_of_facts(self) -> Snapshot | None:
        try:
            return snapshot_of_facts(self._config)
        except (OSError, TooMuch):
            return None

    def _own_outputs(self) -> frozenset[str]:
        """Files at the top that this run writes to for its user, or an earlier one did."""
        if self._config.result_cache is None:  # it is not recorded whether code reads them
            return frozenset()
        named = [
            *map(str, self._config.output_files),
            *(self._last.own_outputs if self._last else ()),
        ]
        return frozenset(one for one in named if one.rpartition("/")[0] == self._root)

    @property
    def first(self) -> bool:
        """Whether there is no note of an earlier run."""
        return self._last is None

    def started(self) -> None:
        """A run begins: until it has succeeded, nothing is known."""
        if self._facts is not None:
            snapshot = self._snapshot()
            same = snapshot is not None and self._facts.is_part_of(snapshot)
            self._before = snapshot if same else None
        last_run.forget(self._folder)

    @run_log.act("remember")
    def finished(self, sources: Sources, rendered: Rendered, published: Published) -> None:
        """Note a run that succeeded, if it is known what it read and wrote."""
        from .note import Observed, note_of

        if self._before is None:
            return
        if self._config.lock_file is not None:  # it may have been written just now
            self._environment = self._fingerprint()
        observed = Observed(
            self._environment,
            self._program,
            self._before,
            self._began,
            self.events,
            warnings.issued(self.events),
            self._last.warnings if self._last is not None else None,
            self._own_outputs(),
        )
        try:
            noted = note_of(self._config, sources, rendered, published, observed, lines=self._lines)
        except (OSError, TooMuch, CommodoreError) as error:
            noted = str(error)
        if isinstance(noted, str):
            log.debug("this run is not noted: %s", noted)
        else:
            last_run.write(self._folder, noted)
