"""Ours and the peer in turn, on one cluster, scenario by scenario."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from .program import OURS, PEER, Program, fill_catalog
from .program import ours as our_program
from .same_bytes import differing
from .scenarios import HELP, Scenario

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from pathlib import Path

    from .cluster import Cluster
    from .measuring import Measured


@dataclass(frozen=True, slots=True)
class Plan:
    """How often who runs."""

    runs: int = 3
    peer_runs: int = 3
    peer_in: Collection[str] = ()
    """Scenarios in which the peer runs; in others it is taken to cost what the likes of it do."""
    pause: float = 2.5
    """Seconds between runs: files are not edited right after they were read."""


@dataclass(slots=True)
class Result:
    """The figures of one scenario on one cluster."""

    cluster: str
    instances: int
    scenario: Scenario
    ours: list[Measured] = field(default_factory=list)
    peer: list[Measured] = field(default_factory=list)
    peer_as_in: str = ""
    """The scenario that the peer's figures are taken from, if not from this one."""
    compared: int = 0
    """How many pairs of runs wrote the same bytes."""


class Rounds:
    """All scenarios on one cluster."""

    def __init__(self, cluster: Cluster, root: Path, ours: Path, peer: Path, plan: Plan) -> None:
        self._cluster, self._root, self._plan = cluster, root, plan
        self.ours = our_program(cluster, root / OURS, ours)
        self._peer = Program(PEER, (str(peer),), root / PEER, cluster)
        self._edits = int(time.time()) % 1_000_000
        self._compiled: set[str] = set()

    def results(self, scenarios: Iterable[Scenario]) -> Iterator[Result]:
        """Measure what this cluster can show."""
        fill_catalog(self.ours, self._root / "first")
        known: dict[str, Result] = {}
        for scenario in scenarios:
            if scenario.edit and scenario.edit not in self._cluster.edits:
                continue
            result = Result(self._cluster.name, self._cluster.instances, scenario)
            self._measure(scenario, result)
            known[scenario.name] = result
            self._borrow(result, known)
            yield result

    def _measure(self, scenario: Scenario, result: Result) -> None:
        peer_runs = self._plan.peer_runs if self._runs_in(scenario) else 0
        if scenario.name != HELP:
            self._be_ready(scenario, with_peer=peer_runs > 0)
        ran: list[Program] = []
        for number in range(max(self._plan.runs, peer_runs)):
            ran = self._taking_turns(number, ours=number < self._plan.runs, peer=number < peer_runs)
            self._prepare(scenario, ran)
            for program in ran:
                taken = result.ours if program.name == OURS else result.peer
                taken.append(self._run(scenario, program))
            if len(ran) > 1 and scenario.bytes_compared:
                self._compare(scenario)
                result.compared += 1
        if scenario.edit and scenario.before in ("push", "restore"):
            self._catch_up(ran)

    def _catch_up(self, ran: Sequence[Program]) -> None:
        """Bring what was pushed last to those that did not run then: others compile it, too."""
        for program in (self.ours, self._peer):
            if program not in ran and program.name in self._compiled:
                program.compile()

    def _runs_in(self, scenario: Scenario) -> bool:
        return scenario.name in self._plan.peer_in

    def _be_ready(self, scenario: Scenario, *, with_peer: bool) -> None:
        """Compile what was never compiled; ours once more, so that it knows what it knows."""
        if scenario.before == "empty":
            self._compiled |= {OURS, PEER} if with_peer else {OURS}
            return
        for program in (self.ours, *([self._peer] if with_peer else [])):
            if program.name not in self._compiled:
                program.empty()
                program.compile()
                self._compiled.add(program.name)
        for _ in range(2):
            time.sleep(self._plan.pause)
            self.ours.compile(*scenario.options)
        if scenario.before == "restore":
            for program in (self.ours, *([self._peer] if with_peer else [])):
                program.keep_caches()

    def _taking_turns(self, number: int, *, ours: bool, peer: bool) -> list[Program]:
        ran = [self._peer] * peer + [self.ours] * ours
        return ran[::-1] if number % 2 else ran

    def _prepare(self, scenario: Scenario, programs: Sequence[Program]) -> None:
        self._edits += 1
        match scenario.before:
            case "empty":
                for program in programs:
                    program.empty()
            case "push":
                self._cluster.edits[scenario.edit].push(self._edits)
            case "restore":
                if scenario.edit:
                    self._cluster.edits[scenario.edit].push(self._edits)
                for program in programs:
                    program.restore_caches()
            case "edit":
                # In both, even if one is not run: later scenarios compare the result of all edits.
                for program in (self.ours, self._peer):
                    if program.name not in self._compiled:
                        continue
                    self._cluster.edits[scenario.edit].make(program.work, self._edits)

    def _run(self, scenario: Scenario, program: Program) -> Measured:
        time.sleep(self._plan.pause if scenario.name != HELP else 0)
        if scenario.name == HELP:
            program.work.mkdir(parents=True, exist_ok=True)
            return program.measure("--help")
        if scenario.before == "restore":
            program = replace(program, variables={**program.variables, "CI": "true"})
        return program.compile(*scenario.options)

    def _compare(self, scenario: Scenario) -> None:
        for folder in ("compiled", "catalog"):
            files = differing(self.ours.work / folder, self._peer.work / folder)
            if files:
                some = ", ".join(files[:5])
                sys.exit(f"{self._cluster.name}, {scenario.name}: not the same bytes: {some}")

    def _borrow(self, result: Result, known: dict[str, Result]) -> None:
        """Figures of the peer from the scenario that costs it the same, if it did not run."""
        like = result.scenario
        while not result.peer and like.like in known:
            other = known[like.like]
            like, result.peer = other.scenario, other.peer
            if other.peer:
                result.peer_as_in = other.peer_as_in or like.name
