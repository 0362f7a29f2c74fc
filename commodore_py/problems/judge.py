"""Problems, sorted into those that count and those that do not (pure)."""

from __future__ import annotations

from collections import Counter
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from commodore_py.model.problem import Place, Problem, worst_first
from commodore_py.model.verdict import Ignored, Verdict

from .ignore_file import IgnoreFile, read_ignore_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from .ignore_file import Ignore

# Nothing about entries is ignored: an entry could hide itself.
_ABOUT_ENTRIES = "problems/"


def verdict_of(
    problems: Iterable[Problem],
    folders: Iterable[Path] = (),
    *,
    cluster: str = "",
    strict: bool = False,
) -> Verdict:
    """Judge problems by the ignore files at the top of these folders."""
    files = [read_ignore_file(folder) for folder in dict.fromkeys(folders) if folder.is_dir()]
    return judged(problems, files, cluster=cluster, strict=strict)


def judged(
    problems: Iterable[Problem],
    files: Iterable[IgnoreFile],
    *,
    cluster: str = "",
    strict: bool = False,
) -> Verdict:
    """Judge problems: errors fail a run, and warnings as well if it is strict."""
    files = tuple(files)
    entries = [
        entry
        for file in files
        for entry in file.ignores
        if not entry.clusters or any(fnmatchcase(cluster, pattern) for pattern in entry.clusters)
    ]
    left: list[Problem] = [problem for file in files for problem in file.problems]
    ignored: list[Ignored] = []
    used: Counter[Ignore] = Counter()
    for problem in problems:
        entry = next((entry for entry in entries if matches(entry, problem)), None)
        if entry is None or problem.code.startswith(_ABOUT_ENTRIES):
            left.append(problem)
        else:
            used[entry] += 1
            ignored.append(Ignored(problem, entry.reason))
    left += _unused(entries, used)
    left.sort(key=worst_first)
    return Verdict(
        tuple(left),
        tuple(sorted(ignored, key=lambda ignored: worst_first(ignored.problem))),
        tuple(
            problem
            for problem in left
            if problem.severity == "error"
            or (strict and (problem.severity == "warning" or problem.strict))
        ),
    )


def matches(entry: Ignore, problem: Problem) -> bool:
    """Return whether an entry is about a problem."""
    area, _, name = entry.code.partition("/")
    if entry.code != problem.code and not (name == "*" and problem.code.startswith(f"{area}/")):
        return False
    place = problem.place
    subjects = (
        *(place.file, place.position, place.instance, place.field, place.object),
        *problem.where.splitlines(),
        problem.subject,
    )
    return not entry.match or any(
        subject and fnmatchcase(subject, entry.match) for subject in subjects
    )


def _unused(entries: Iterable[Ignore], used: Counter[Ignore]) -> Iterator[Problem]:
    for entry in entries:
        if not used[entry]:
            subject = f"{entry.code}:{entry.match}" if entry.match else entry.code
            file, _, line = entry.where.rpartition(":")
            place = Place(file, int(line)) if file and line.isdecimal() else Place(entry.where)
            text = f"the entry that ignores {subject} matches nothing"
            yield Problem.at(place, "problems/unused", text, remedy="remove it")
