"""Problems of a case besides its expected output: schemas of parameters, and `--check`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commodore_py.inventory.parameter_schema import problems_of as schema_problems
from commodore_py.inventory.parameter_schema import subjects_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from commodore_py.model.problem import Problem
    from commodore_py.model.problems.checks import CheckSettings
    from commodore_py.model.tree import Tree
    from commodore_py.workflows.authoring.component_compile import Gathered

    Problems = tuple[Problem, ...]

# What they look for is in other components.
_OF_WHOLE_CATALOGS = ("namespaces", "references")


def problems_in(gathered: Gathered, tree: Tree) -> tuple[Problems, Problems]:
    """Problems that fail a case, and those that are notices; checks are made if there are any.

    The ignore file at the top of the component applies.
    """
    sources, checks = gathered.sources, gathered.config.checks
    subjects = subjects_of(sources.inventory, sources.classes)
    found = list(map(_strictly, schema_problems(subjects, sources.places.parameter)))
    if checks is not None:
        found += _checked(gathered, checks, tree)
    if not found:
        return (), ()
    from commodore_py.problems.judge import verdict_of

    verdict = verdict_of(found, (gathered.request.component.directory,))
    notices = (one for one in verdict.problems if one.severity != "info" or one.strict)
    return verdict.failing, tuple(
        one._replace(severity="warning") for one in notices if one not in verdict.failing
    )


def _strictly(problem: Problem) -> Problem:
    """A cluster ignores a schema that cannot be used; to its author it is an error."""
    return problem._replace(severity="error") if problem.code.endswith("/bad-schema") else problem


def _checked(gathered: Gathered, wanted: CheckSettings, tree: Tree) -> Iterator[Problem]:
    from commodore_py.checks.compiled import OfSources
    from commodore_py.checks.run import Settings, check_catalog, settings_in

    config, component = gathered.config, gathered.request.component
    known = settings_in(gathered.parameters)
    skip = () if wanted.only else (*wanted.skip, *known["skip"], *_OF_WHOLE_CATALOGS)
    values = (str(file) for _, file in component.values)
    settings = Settings(
        only=wanted.only,
        cache=config.result_cache,
        # Each case has its own results.
        subject="\0".join((str(component.directory), component.instance.name, *values)),
        below="compiled/",
        root=str(config.paths.root),
        **{**known, "skip": skip},
    )
    trees = {component.instance.name: tree}
    yield from check_catalog(trees, settings, OfSources(gathered.sources)).problems
