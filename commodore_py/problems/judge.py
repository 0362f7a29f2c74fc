"""Problems, sorted into those that count and those that do not (pure)."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from commodore_py.model.problem import Place, Problem, worst_first
from commodore_py.model.problems.severity import SEVERITIES
from commodore_py.model.verdict import Ignored, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import date

    from commodore_py.model.problems.tolerance import Ignore, Tolerance

_NOTICE = timedelta(days=14)
# Of these, nothing is ignored: an entry could hide itself.
_ABOUT_ENTRIES = "problems/"
_STALE = "problems/stale"


class Judge:
    """Decides about problems of one cluster on one day."""

    def __init__(self, tolerance: Tolerance, *, cluster: str, today: date) -> None:
        self._tolerance = tolerance
        self._today = today
        self._entries = [one for one in tolerance.ignores if _is_for(one, cluster)]

    def judge(self, problems: Iterable[Problem], own: Iterable[str] = ()) -> Verdict:
        """What counts; `own` are the folders whose files a tenant may ignore problems of.

        What is fatal counts always, and so do problems about entries that ignore others.
        """
        folders = tuple(own)
        left: list[Problem] = []
        ignored: list[Ignored] = []
        used: Counter[Ignore] = Counter()
        undelegated: dict[Ignore, Problem] = {}
        for problem in problems:
            entry, refused = self._entry_for(problem, folders)
            if refused is not None:
                undelegated.setdefault(refused, problem)
                used[refused] += 1
            if entry is None:
                left.append(problem)
            else:
                used[entry] += 1
                ignored.append(Ignored(problem, entry.reason))
        left += self._about_entries(used)
        left += (_not_delegated(entry, problem) for entry, problem in undelegated.items())
        known, left = self._without_known(left)
        left.sort(key=worst_first)
        return Verdict(
            tuple(left),
            tuple(sorted(ignored, key=lambda one: worst_first(one.problem))),
            tuple(known),
            tuple(one for one in left if self._fails(one)),
        )

    def _entry_for(
        self, problem: Problem, own: tuple[str, ...]
    ) -> tuple[Ignore | None, Ignore | None]:
        """The entry that ignores a problem, or else one that would if it were delegated."""
        refused = None
        if problem.severity == "fatal" or problem.code.startswith(_ABOUT_ENTRIES):
            return None, None
        for entry in self._entries:
            if self._is_over(entry) or not matches(entry, problem):
                continue
            if entry.delegated or problem.place.file.startswith(own):
                return entry, None
            refused = refused or entry
        return None, refused

    def _is_over(self, entry: Ignore) -> bool:
        return entry.until is not None and entry.until < self._today

    def _about_entries(self, used: Counter[Ignore]) -> Iterator[Problem]:
        for entry in self._entries:
            if entry.until is None:
                continue
            if self._is_over(entry):
                yield _about(entry, "problems/expired", f"expired on {entry.until}")
                continue
            if entry.until - self._today <= _NOTICE:
                yield _about(entry, "problems/expires-soon", f"expires after {entry.until}")
            if not used[entry]:
                yield _about(entry, "problems/unused", "matches nothing")

    def _without_known(self, problems: list[Problem]) -> tuple[list[Problem], list[Problem]]:
        if not self._tolerance.baseline:
            return [], problems
        counts = Counter(self._tolerance.baseline)
        known: list[Problem] = []
        left: list[Problem] = []
        for problem in problems:
            mark = problem.fingerprint
            if problem.severity != "fatal" and counts[mark] > 0:
                counts[mark] -= 1
                known.append(problem)
            else:
                left.append(problem)
        gone = sum(count for count in counts.values() if count > 0)
        if gone:
            text = f"problems of the baseline that are gone: {gone}"
            left.append(Problem.at(Place(), _STALE, text, remedy="write the baseline again"))
        return known, left

    def _fails(self, problem: Problem) -> bool:
        return SEVERITIES.index(problem.severity) < SEVERITIES.index(self._tolerance.max_severity)


def matches(entry: Ignore, problem: Problem) -> bool:
    """Whether an entry is about a problem."""
    area, _, name = entry.code.partition("/")
    if entry.code != problem.code and not (name == "*" and problem.code.startswith(f"{area}/")):
        return False
    place = problem.place
    subjects = (
        *(place.file, place.position, place.instance, place.field, place.object),
        *problem.where.splitlines(),
        problem.subject,
    )
    return not entry.match or any(one and fnmatchcase(one, entry.match) for one in subjects)


def _is_for(entry: Ignore, cluster: str) -> bool:
    return not entry.clusters or any(fnmatchcase(cluster, one) for one in entry.clusters)


def _about(entry: Ignore, code: str, what: str) -> Problem:
    subject = f"{entry.code}:{entry.match}" if entry.match else entry.code
    text = f"the entry that ignores {subject} {what}"
    return Problem.at(_place(entry), code, text, remedy="remove it, or set another date")


def _not_delegated(entry: Ignore, problem: Problem) -> Problem:
    return Problem.at(
        _place(entry),
        "problems/not-delegated",
        f"a tenant's file may not ignore {problem.code} here: {problem.message}",
        remedy="fix the problem, or add the code to delegate in the file of the global"
        " configuration",
        subject=entry.code,
    )


def _place(entry: Ignore) -> Place:
    file, _, line = entry.where.rpartition(":")
    return Place(file, int(line)) if file and line.isdecimal() else Place(entry.where)
