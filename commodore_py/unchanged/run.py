"""A compile that first looks whether anything has changed since the last one."""

from __future__ import annotations

import logging
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from time import monotonic, time_ns
from typing import TYPE_CHECKING, TypeAlias

from commodore_py import run_log
from commodore_py.cache import instances
from commodore_py.errors import CommodoreError

from . import state, warned
from .alone import at_rest
from .looks import Look, TooMuch, of_run
from .surroundings import fingerprint

if TYPE_CHECKING:
    from collections.abc import Callable

    from commodore_py.config import Config
    from commodore_py.model.catalog import Change, DiffLine
    from commodore_py.model.stages import Published, Rendered, Sources

    from .state import State

    Approve: TypeAlias = Callable[[Change], bool]
    Lines: TypeAlias = Callable[[Change], tuple[DiffLine, ...]]

log = logging.getLogger(__name__)


def compile_catalog(
    config: Config, cluster_id: str, approve: Approve, lines: Lines | None = None
) -> Published:
    """Compile one cluster's catalog, or show the last compile again if it would be the same.

    `lines` makes the text of a change; without it, a change is only shown with its contents.
    """
    memory = _Memory(config, cluster_id, lines) if _may_rest(config) else None
    published = memory.recalled() if memory is not None else None
    if published is not None:
        if published.change and not config.local:
            approve(published.change)
        return published
    from commodore_py import pipeline  # noqa: PLC0415 - slow to import: that is what is spared here

    if memory is None:
        reads = _Reads(config)
        with run_log.collecting() as reads.heard:
            return pipeline.compile_catalog(config, cluster_id, approve, reads)
    with run_log.collecting() as memory.heard, warned.kept() as memory.warnings:
        return pipeline.compile_catalog(config, cluster_id, approve, memory)


def _may_rest(config: Config) -> bool:
    """Whether a run can be recognised at all: others are rare, or meant to do all the work."""
    all_the_work = config.recompile or config.verify_cache or config.explain_cache or config.force
    elsewhere = config.dry_run or config.output_dir is not None
    by_programs = config.jsonnet_bundler == "jb" and config.fetch_dependencies
    return not (all_the_work or elsewhere or by_programs or config.engine != "native")


class _Reads:
    """Notes what instances look at, of a run that is not known again itself."""

    def __init__(self, config: Config) -> None:
        self._config = config
        self.heard = run_log.Events()

    def begun(self) -> None:
        """Of no interest: only a run that ends well is noted."""

    @run_log.act("remember")
    def done(self, sources: Sources, _: Rendered, __: Published) -> None:
        """Note it, if anybody watched."""
        _note_reads(self._config, sources, self.heard)


def _note_reads(config: Config, sources: Sources, heard: run_log.Events) -> None:
    if config.dry_run:
        return
    if config.result_cache is None or config.engine != "native":
        instances.outdate(config.paths.state)
    else:
        instances.note(config.paths.state, sources, heard)


class _Memory:
    """What is known of the last run, and what is to be known of this one."""

    def __init__(self, config: Config, cluster_id: str, lines: Lines | None) -> None:
        self._config, self._cluster, self._lines = config, cluster_id, lines
        self._folder = config.paths.state
        self._root = str(config.paths.root)
        self._last: State | None = None
        self._before: Look | None = None
        self._surroundings = ""
        self._began = time_ns()
        self.heard = run_log.Events()
        self.warnings: list[dict[str, str]] = []

    @run_log.act("look back")
    def recalled(self) -> Published | None:
        """The result of the last run, if this one would have the same."""
        started = monotonic()
        with at_rest(self._folder) as resting:
            self._last = state.read(self._folder)
            self._surroundings = fingerprint(self._config, self._cluster, root=self._root)
            self._before = self._look()
            last, look = self._last, self._before
            if not resting or last is None or look is None:
                return None
            why = self._difference(last, look)
            if why:
                log.info("not as in the run of %s: %s", last.time, why)
                return None
            published = self._published(last, seconds=monotonic() - started)
        if published is not None:
            if self._config.result_cache is not None:
                instances.still_valid(self._folder)
            log.info("nothing changed since %s: nothing to do", last.time)
            warned.again(last.warnings)
        return published

    def _difference(self, last: State, look: Look) -> str:
        """What makes another run of it; asked in the order of what it costs to find out."""
        if last.surroundings != self._surroundings:
            return "options, environment, tools or we ourselves"
        if not last.lasting:
            return "what it warned of may have changed"
        if last.outcome["files"] and (
            self._config.push or self._lines is None or last.outcome["lines"] is None
        ):
            return "there is a change to show, or to push"
        if last.look != look.digest():
            return "files"
        from . import answers  # noqa: PLC0415 - only if all else is the same

        return answers.difference(self._config, self._cluster, last)

    def _published(self, last: State, *, seconds: float) -> Published | None:
        from . import outcome  # noqa: PLC0415 - only if all else is the same

        with suppress(ValueError, KeyError, TypeError):
            took = (("gather", round(seconds, 3)), ("render", 0.0), ("publish", 0.0))
            return replace(outcome.published_of(last.outcome), timings=took)
        return None

    def _look(self) -> Look | None:
        outside = self._last.outside if self._last is not None else ()
        return _look_around(self._config, outside, self._told_to())

    def _told_to(self) -> frozenset[str]:
        """Files at the top that this run is told to, or an earlier one was."""
        if self._config.result_cache is None:  # nobody watches whether code looks at them
            return frozenset()
        named = [*map(str, self._config.told_to), *(self._last.told_to if self._last else ())]
        return frozenset(one for one in named if one.rpartition("/")[0] == self._root)

    def begun(self) -> None:
        """A run begins: until it has ended well, nothing is known."""
        state.forget(self._folder)

    @run_log.act("remember")
    def done(self, sources: Sources, rendered: Rendered, published: Published) -> None:
        """Note a run that ended well, if it is known what it read and wrote."""
        from . import noting  # noqa: PLC0415 - needs all that the run has needed, too

        _note_reads(self._config, sources, self.heard)
        if self._before is None:
            return
        try:
            noted = noting.note(
                self._config,
                sources,
                rendered,
                published,
                noting.Seen(
                    self._before,
                    self._began,
                    self.heard,
                    tuple(self.warnings),
                    self._told_to(),
                ),
                lines=self._lines,
            )
        except (OSError, TooMuch, CommodoreError) as error:
            log.debug("this run is not noted: %s", error)
            return
        if isinstance(noted, str):
            log.debug("this run is not noted: %s", noted)
            return
        told = list(self.warnings)
        state.write(
            self._folder,
            state.State(
                surroundings=self._surroundings,
                warnings=told,
                lasting=warned.will_last(
                    told,
                    self._last.warnings if self._last is not None else None,
                    local=self._config.local,
                    pushed=published.commit is not None,
                ),
                time=datetime.now().astimezone().isoformat(timespec="seconds"),
                **noted,
            ),
        )


def _look_around(
    config: Config, outside: list[str] | tuple[str, ...], told_to: frozenset[str]
) -> Look | None:
    try:
        return of_run(config, outside, told_to)
    except (OSError, TooMuch) as error:
        log.debug("the working directory cannot be looked at: %s", error)
        return None
