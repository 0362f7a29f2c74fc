"""Problems of a plan, with a place in the hierarchy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from commodore_py.errors import raise_collected
from commodore_py.model.inventory import BOOTSTRAP
from commodore_py.model.names import did_you_mean
from commodore_py.model.problem import Place, Problem
from commodore_py.model.problems.codes import severity_of
from commodore_py.model.spot import PlaceOf, Spot

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from commodore_py.model.spot import ParameterPath


@dataclass(frozen=True, slots=True)
class Finding:
    """A problem of a plan, before its file and line are looked up."""

    code: str
    message: str
    path: ParameterPath
    remedy: str = ""
    also: ParameterPath = ()
    """Where the other one is, of two that contradict each other."""

    def problem(self, place_of: PlaceOf) -> Problem:
        """The problem with its file and line."""
        related = (_place(self.also, place_of, "the other"),) if self.also else ()
        strict = severity_of(self.code) == "warning"
        return Problem.at(
            _place(self.path, place_of),
            self.code,
            self.message,
            strict=strict,
            remedy=self.remedy,
            related=related,
        )


def valid(findings: Iterable[Finding], place_of: PlaceOf) -> tuple[Problem, ...]:
    """Findings as problems, each once; an error if one of them is one."""
    problems = tuple(dict.fromkeys(finding.problem(place_of) for finding in findings))
    errors = [problem.as_error() for problem in problems if problem.severity == "error"]
    raise_collected(errors, "the plan is not valid")
    return problems


def _place(path: ParameterPath, place_of: PlaceOf, note: str = "") -> Place:
    file, _, line = place_of(BOOTSTRAP, path).rpartition(":")
    name = Spot(BOOTSTRAP, path).parameter
    if not line.isdecimal():
        return Place(file=f"{file}:{line}" if file else line, field=name, note=note)
    return Place(file, int(line), field=name, note=note)


class Shapes:
    """Reads plain data, and collects what is wrong with it."""

    def __init__(self, *, unknown: str, wrong: str) -> None:
        self.findings: list[Finding] = []
        self._unknown, self._wrong = unknown, wrong

    def add(self, code: str, message: str, path: ParameterPath, remedy: str = "") -> None:
        """A finding."""
        self.findings.append(Finding(code, message, path, remedy))

    def fields(
        self, value: Mapping[Any, Any], types: Mapping[str, type], path: ParameterPath, what: str
    ) -> dict[str, Any]:
        """The fields that are known and have their types; none is the same as null."""
        fields: dict[str, Any] = {}
        for key, field in value.items():
            if key not in types:
                remedy = near(str(key), types)
                self.add(self._unknown, f"{key} is not {what}", (*path, key), remedy)
            elif field is not None and not isinstance(field, types[key]):
                self.add(self._wrong, f"{key} is not {_WORDS[types[key]]}", (*path, key))
            elif field is not None:
                fields[key] = field
        return fields


_WORDS = {bool: "true or false", str: "text", dict: "a mapping", list: "a list"}


def near(name: str, names: Iterable[str]) -> str:
    """A remedy for a name that is unknown."""
    return did_you_mean(name, names, listed="known are:")
