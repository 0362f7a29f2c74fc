"""What evaluates policies: a library in another process, or the program `opa`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from commodore_py.adapters.isolated import Crashed, OutOfTime, Session

from .worker import Loaded, Result

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from .rules import Rule
    from .sources import Policies
    from .worker import Job

SECONDS = 10.0
"""How long the policies may take for an input."""
LOADING = 60.0
"""How long it may take until policies are loaded."""
MODULE = "regorus"
EXTRA = "install commodore-py with the extra policy"
_WORKER = "commodore_py.checks.policy.worker"
_AT_ONCE = 64
_ENOUGH = 3


class Engine(Protocol):
    """Evaluates policies."""

    def unavailable(self) -> str:
        """Why it cannot run; empty if it can."""
        ...

    def version(self) -> str:
        """What results depend on besides policies and inputs."""
        ...

    def load(self, policies: Policies) -> Loaded:
        """Parse and check policies; what is refused is not evaluated."""
        ...

    def evaluate(self, jobs: Sequence[Job], rules: Sequence[Rule]) -> Iterator[list[Result]]:
        """What rules give for each input."""
        ...

    def given_up(self) -> Iterable[Rule]:
        """Rules that were not evaluated for all inputs, as they failed for several."""
        ...

    def close(self) -> None:
        """End its processes."""
        ...


class InProcess:
    """The library, in a process that has no environment and may end at any moment."""

    def __init__(self, seconds: float = SECONDS) -> None:
        self._seconds = seconds
        self._session = Session(bare=True)
        self._loaded: tuple[object, ...] = ()
        self._failures: dict[Rule, int] = {}

    def unavailable(self) -> str:
        """Whether the extra is installed."""
        from importlib.util import find_spec

        return "" if find_spec(MODULE) is not None else EXTRA

    def version(self) -> str:
        """The library's, by its files: reading metadata is slow."""
        from importlib.util import find_spec

        found = find_spec(MODULE)
        files = Path(found.origin).parent.iterdir() if found and found.origin else ()
        return f"{MODULE} {sorted((one.name, one.stat().st_size) for one in files)}"

    def load(self, policies: Policies) -> Loaded:
        """Parse them there."""
        self._loaded = (policies.modules, json.dumps(policies.data))
        loaded: Loaded = self._call("load", *self._loaded)
        return loaded

    def evaluate(self, jobs: Sequence[Job], rules: Sequence[Rule]) -> Iterator[list[Result]]:
        """Many at once; where that fails, one after the other, to find out which rule it is."""
        for start in range(0, len(jobs), _AT_ONCE):
            some = jobs[start : start + _AT_ONCE]
            try:
                yield from self._evaluated(some, rules)
            except (Crashed, OutOfTime):
                for job in some:
                    yield list(self._one(job, rules))

    def close(self) -> None:
        """End the process."""
        self._session.close()

    def given_up(self) -> Iterator[Rule]:
        """Rules that were not evaluated for all inputs, as they failed for several."""
        return (rule for rule, count in self._failures.items() if count >= _ENOUGH)

    def _one(self, job: Job, rules: Sequence[Rule]) -> Iterator[Result]:
        try:
            (found,) = self._evaluated([job], rules)
            yield from found
        except (Crashed, OutOfTime):
            for rule in rules:
                if rule not in self.given_up():
                    yield from self._alone(job, rule)

    def _alone(self, job: Job, rule: Rule) -> Iterable[Result]:
        try:
            (found,) = self._evaluated([job], (rule,))
        except (Crashed, OutOfTime) as error:
            self._failures[rule] = self._failures.get(rule, 0) + 1
            words = "the engine crashed" if isinstance(error, Crashed) else str(error)
            return [Result(rule, failed=words)]
        return found

    def _evaluated(self, jobs: Sequence[Job], rules: Sequence[Rule]) -> list[list[Result]]:
        wanted = tuple(one for one in rules if one not in self.given_up())
        if not self._session.is_running:
            self._call("load", *self._loaded)
        found: list[list[Result]] = self._call("evaluate", jobs, wanted)
        return found

    def _call(self, function: str, *arguments: object) -> Any:  # noqa: ANN401 - what it returns
        seconds = LOADING if function == "load" else self._seconds
        return self._session.call(f"{_WORKER}:{function}", *arguments, seconds=seconds)
