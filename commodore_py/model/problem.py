"""A problem of an input or a catalog: one value for infos, warnings and errors."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from commodore_py.errors import CommodoreError

from .problems.codes import SEVERITIES, severity_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .problems.codes import Severity

_LINES = r"(?m):\d+(?::\d+)?$"


class Place(NamedTuple):
    """Where something is: in a file, in an object of the catalog, or both."""

    file: str = ""
    line: int = 0
    """Zero when the file as a whole is meant."""
    instance: str = ""
    object: str = ""
    """`Kind namespace/name`."""
    field: str = ""
    """A path in the object, or a parameter."""
    note: str = ""
    """What is there, of a place that is related to a problem."""

    @property
    def position(self) -> str:
        """File and line, as editors and terminals understand them."""
        return f"{self.file}:{self.line}" if self.line else self.file

    def __str__(self) -> str:
        instance = f"instance {self.instance}" if self.instance else ""
        subject = ", ".join(part for part in (instance, self.object, self.field) if part)
        text = "\n".join(part for part in (self.position, subject) if part)
        return f"{self.note}: {text}" if self.note else text


NOWHERE = Place()


class Problem(NamedTuple):
    """Something the user must see at the end of a run; what stops it is an error instead."""

    message: str
    where: str = ""
    """File and line, target or repository, as far as known: the text of `place`, if it has one."""
    strict: bool = False
    """Accepted by Commodore, but an error under `--strict`."""
    severity: Severity = "warning"
    """An error keeps the result from being published."""
    code: str = ""
    """`area/name`, of the table in `model/problems/codes.py`."""
    remedy: str = ""
    subject: str = ""
    """The name in question, to be compared with that of errors."""
    place: Place = NOWHERE
    related: tuple[Place, ...] = ()
    """Where else to look, each with a note: what rendered an object, what set a value."""
    options: tuple[str, ...] = ()
    """Legal values, the most likely first."""

    @classmethod
    def at(cls, place: Place, code: str, message: str, **more: object) -> Problem:
        """A problem of the severity that its code has, unless another one is given."""
        severity = more.pop("severity", None) or severity_of(code)
        return cls(message, str(place), code=code, place=place, severity=severity, **more)  # type: ignore[arg-type] # fields by their names

    @classmethod
    def restored(cls, values: Sequence[object]) -> Problem:
        """A problem that was stored as plain lists; TypeError if it is not a valid one."""
        problem = cls(*values)  # type: ignore[arg-type] # as they were stored
        return problem._replace(
            place=Place(*problem.place),
            related=tuple(Place(*fields) for fields in problem.related),
            options=tuple(problem.options),
        )

    @property
    def fingerprint(self) -> str:
        """A key that is equal for equal problems, whatever their words and lines are."""
        from hashlib import blake2b

        place = self.place
        parts = [self.code, place.file, place.instance, place.object, place.field, self.subject]
        if not any(parts[1:]):
            parts.append(re.sub(_LINES, "", self.where) or self.message)
        return blake2b("\0".join(parts).encode(errors="surrogatepass"), digest_size=16).hexdigest()

    def as_error(self, hint: str = "") -> CommodoreError:
        """The problem, where it ends the run after all."""
        error = CommodoreError(self.message, where=self.where, hint=self.remedy or hint)
        error.problem_code = self.code
        return error


def worst_first(problem: Problem) -> tuple[int, str, Place, str]:
    """Sorts problems: severity, code, place."""
    return SEVERITIES.index(problem.severity), problem.code, problem.place, problem.message
