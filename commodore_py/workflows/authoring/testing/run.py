"""Compile several cases at once: in workers if possible, otherwise one by one."""

from __future__ import annotations

import time
from collections import deque
from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

from commodore_py import compiler
from commodore_py.adapters import workers
from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Sequence

    from commodore_py.config import Config
    from commodore_py.dependencies.lock.shared import SharedLock
    from commodore_py.dependencies.lock.unlocked import Findings
    from commodore_py.model.problem import Problem
    from commodore_py.model.tree import Tree

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class CaseRun:
    """How the compile of a case ended."""

    case: str
    error: CommodoreError | None = None
    tree: Tree | None = None
    """The output, below the folders of its instances; None if there is an error."""
    notices: tuple[Problem, ...] = ()
    errors: tuple[Problem, ...] = ()
    """Problems that fail the case, whatever is expected of it."""
    findings: Findings | None = None
    """What it is made of, if there is a lock."""
    seconds: float = 0.0


def compiled(
    config: Config, items: Sequence[tuple[str, Item]], compile_one: Callable[[str, Item], CaseRun]
) -> Iterator[CaseRun]:
    """Every case in the order of items. Cases in one process share its caches."""
    by_case = dict(items)

    def run(case: str) -> CaseRun:
        begun = time.monotonic()
        try:
            ran = compile_one(case, by_case[case])
        except CommodoreError as error:
            ran = CaseRun(case, error)
        return replace(ran, seconds=time.monotonic() - begun)

    yield from _ran(config, [*by_case], run)


def with_lock(
    running: Generator[CaseRun, None, None], lock: SharedLock
) -> Generator[CaseRun, None, None]:
    """Every case but those that the lock refuses: its end names them."""
    with closing(running):
        for ran in running:
            if ran.error is not None and lock.refused(ran.error):
                continue
            if ran.findings is not None:
                lock.add(ran.findings)
            yield ran


def _ran(config: Config, cases: Sequence[str], run: Callable[[str], CaseRun]) -> Iterator[CaseRun]:
    processes = processes_for(config)
    # Even for a single one: what it loads would keep this process from forking the next time.
    if processes > 1 and workers.possible():
        # In order, so that two runs print the same.
        waiting, done = deque(cases), dict[str, CaseRun]()
        for case, ran in workers.each(run, cases, processes):
            done[case] = ran
            while waiting and waiting[0] in done:
                yield done.pop(waiting.popleft())
    else:
        yield from map(run, cases)


def apart(work: Callable[[], Item]) -> Item:
    """Run work in a worker: it may load libraries which do not survive a fork."""
    if not workers.possible():
        return work()
    ((_, result),) = workers.each(lambda _: work(), ["Jsonnet libraries"], 1)
    return result


def processes_for(config: Config) -> int:
    """How many cases are compiled at the same time."""
    # Kapitan fetches while it compiles, which must not run in parallel.
    return 1 if config.engine == "reference" else config.processes or compiler.usable_cpus()
