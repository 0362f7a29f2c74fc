"""Problems of a case besides its expected output: schemas of parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commodore_py.inventory.parameter_schema import problems_of as schema_problems
from commodore_py.inventory.parameter_schema import subjects_of
from commodore_py.problems.judge import verdict_of

if TYPE_CHECKING:
    from commodore_py.model.problem import Problem
    from commodore_py.workflows.authoring.component_compile import Gathered

    Problems = tuple[Problem, ...]


def problems_in(gathered: Gathered) -> tuple[Problems, Problems]:
    """Problems that fail a case, and those that are notices.

    The ignore file at the top of the component applies.
    """
    sources = gathered.sources
    subjects = subjects_of(sources.inventory, sources.classes)
    found = list(map(_strictly, schema_problems(subjects, sources.places.parameter)))
    if not found:
        return (), ()

    verdict = verdict_of(found, (gathered.request.component.directory,))
    notices = (one for one in verdict.problems if one.severity != "info" or one.strict)
    return verdict.failing, tuple(
        one._replace(severity="warning") for one in notices if one not in verdict.failing
    )


def _strictly(problem: Problem) -> Problem:
    """A cluster ignores a schema that cannot be used; to its author it is an error."""
    return problem._replace(severity="error") if problem.code.endswith("/bad-schema") else problem
