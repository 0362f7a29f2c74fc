"""Problems that end a run before anything is published."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commodore_py.adapters.files.reach import OutsideRead
from commodore_py.errors import raise_collected
from commodore_py.model.problem import Problem

if TYPE_CHECKING:
    from collections.abc import Iterable

    from commodore_py.run_log import Events

_STRICT_HINT = "fix it, or omit --strict to continue with a warning"


def refuse(problems: Iterable[Problem], *, strict: bool) -> None:
    """End the run before anything is published: at errors, and when strict at much more."""
    problems = tuple(problems)
    errors = [problem.as_error() for problem in problems if problem.severity == "error"]
    raise_collected(errors, "nothing was published")
    if strict:
        refused = [problem.as_error(_STRICT_HINT) for problem in problems if problem.strict]
        raise_collected(refused, "refused by --strict")


def read_outside(events: Events) -> tuple[Problem, ...]:
    """Problems for what was read outside of the allowed folders: each file once, in order."""
    return tuple(
        Problem(
            f"content from outside of the working directory is used: {real}",
            where=path,
            strict=True,
            code="files/outside",
            remedy="copy it into the component or the configuration that reads it",
        )
        for path, real in sorted({(read.path, read.real) for read in events.of(OutsideRead)})
    )
