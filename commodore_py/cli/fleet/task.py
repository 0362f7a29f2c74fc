"""One of several clusters, compiled wherever there is a worker."""

from __future__ import annotations

import logging
import threading
from contextlib import contextmanager, nullcontext, redirect_stdout, suppress
from dataclasses import dataclass, replace
from io import StringIO
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeAlias

from commodore_py import run_log
from commodore_py.adapters import time_limits
from commodore_py.adapters.files import write_if_changed
from commodore_py.adapters.masking import REDACTOR
from commodore_py.cache.results import ResultUse
from commodore_py.cache.trust import forget_logged
from commodore_py.cli import failures
from commodore_py.cli.output import log, streams
from commodore_py.cli.output.compile_result import CompileReporter
from commodore_py.cli.output.fleet import ClusterResult, result_of
from commodore_py.cli.settings import directories
from commodore_py.dependencies.git.remotes import listed_once
from commodore_py.inventory.engine.reader import warn_again
from commodore_py.workflows.catalog import several

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from commodore_py.adapters.executors import Place
    from commodore_py.adapters.time_limits import TimeLimits
    from commodore_py.cli.output.compile_result import Form
    from commodore_py.config import Config, WorkPaths
    from commodore_py.model.cluster import Cluster
    from commodore_py.model.published import Published
    from commodore_py.workflows.stages import Stage

    Compile: TypeAlias = Callable[[Config, str, CompileReporter, Cluster | None], Published]

# A worker of Dask may have several threads, but a process has one log and one standard output.
_one_at_a_time = threading.Lock()
_SECONDS = "compile-seconds"


@dataclass(frozen=True, slots=True)
class Task:
    """A cluster to compile, with everything that a worker on another machine needs for it."""

    cluster_id: str
    cluster: Cluster | None
    """What is known about it; None if it is still to be loaded."""
    config: Config
    """The settings of the whole run."""
    compile: Compile
    form: Form
    stage: Stage
    run: str
    """The name of the run, by which its workers share what they ask remotes."""
    limits: TimeLimits
    quiet: bool
    shows_output: bool
    """Whether what a compile prints is shown, too."""
    place: Place
    """Where it is done: in the process that has the terminal, messages are shown at once."""


def compile_cluster(task: Task) -> ClusterResult:
    """Compile a cluster, and return all that is shown about it."""
    started, output = monotonic(), StringIO()
    records: list[logging.LogRecord] = []
    with _one_at_a_time, _logging_to(records, task):
        time_limits.use(task.limits)
        prompts = task.place.is_here and task.form.interactive
        with nullcontext() if prompts else redirect_stdout(output):
            result = _compiled(task, started)
    return replace(
        result,
        records=tuple(map(_portable, records)),
        output=output.getvalue() if task.shows_output else "",
    )


def last_seconds(paths: WorkPaths) -> float | None:
    """How long the last compile in a working directory took; None if there was none."""
    with suppress(OSError, ValueError):
        return float((paths.state / _SECONDS).read_text(encoding="ascii"))
    return None


def _compiled(task: Task, started: float) -> ClusterResult:
    reporter = CompileReporter(task.form, task.stage.max_grade)
    warn_again()
    if not task.place.is_here:  # a worker may have compiled for an earlier run
        forget_logged()
    config = _with_own_caches(task.config)
    with reporter.collecting() as show, run_log.collecting() as events:
        try:
            config = several.config_for(config, task.cluster_id)
            with listed_once(listings_of(config, task.run)):
                published = task.compile(config, task.cluster_id, show, task.cluster)
            code = show.outcome(config, task.cluster_id, published)
        except Exception as error:  # noqa: BLE001 - the other clusters are compiled all the same
            code = failures.report(error)
            return ClusterResult(task.cluster_id, "failed", code, monotonic() - started)
    seconds = monotonic() - started
    if not config.dry_run and config.paths.state.is_dir():
        with suppress(OSError):
            write_if_changed(config.paths.state / _SECONDS, f"{seconds:.1f}\n".encode())
    uses = events.of(ResultUse)
    cached = (sum(use.cached for use in uses), len(uses))
    return replace(result_of(show, config, published, code, seconds), cached=cached)


def listings_of(config: Config, run: str) -> Path | None:
    """The folder in which the workers of a run on one machine share what remotes listed."""
    return config.git_cache / ".listed" / run if config.git_cache is not None else None


def _with_own_caches(config: Config) -> Config:
    """The settings with the caches of this machine."""
    caches: dict[str, Any] = {
        name: folder
        for name, folder in directories.caches().items()
        if getattr(config, name) is not None
    }
    return replace(config, **caches)


@contextmanager
def _logging_to(records: list[logging.LogRecord], task: Task) -> Iterator[None]:
    """Collect what is logged; it is shown by the process that has the terminal."""
    ours = logging.getLogger("commodore_py")
    before = ours.handlers
    if not task.place.is_here:
        log.set_up(task.config.verbosity, quiet=task.quiet)
    shown = before if task.place.is_here else []
    level = log.NOTICE if task.quiet or not task.config.verbosity else logging.DEBUG
    ours.handlers = [*shown, _Records(records, level)]
    try:
        yield
    finally:
        ours.handlers = before


class _Records(logging.Handler):
    def __init__(self, records: list[logging.LogRecord], level: int) -> None:
        super().__init__(level)
        self._records = records

    def emit(self, record: logging.LogRecord) -> None:
        self._records.append(record)


def _portable(record: logging.LogRecord) -> logging.LogRecord:
    """A record that can be sent: another process knows neither our secrets nor our colours."""
    text = REDACTOR.message(streams.unstyled(record.getMessage()))
    return logging.makeLogRecord({**record.__dict__, "msg": text, "args": (), "exc_info": None})
