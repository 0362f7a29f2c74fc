"""The plan of the working directory: read, checked and simulated."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from commodore_py.delivery import conditions
from commodore_py.delivery.plan import has_plan, read_plan
from commodore_py.delivery.simulation import Model, names_in, simulate
from commodore_py.errors import CommodoreError, UsageError, raise_collected
from commodore_py.inventory.explain.replay import compiled_hierarchy
from commodore_py.inventory.locator import Locator
from commodore_py.model.inventory import BOOTSTRAP, Instance
from commodore_py.workflows.inventory.hierarchy import parameters_of
from commodore_py.workflows.inventory.sources import is_compiled, of_working_directory

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from commodore_py.config import WorkPaths
    from commodore_py.delivery.plan import Plan
    from commodore_py.delivery.simulation import Direction, Timeline
    from commodore_py.model.inventory import Parameters
    from commodore_py.model.problem import Problem

_COMPILE = "run `commodore catalog compile CLUSTER`"


class PlanHere(NamedTuple):
    """The plan of the working directory, and what is to be known about it."""

    plan: Plan
    parameters: Parameters
    problems: tuple[Problem, ...]


def plan_here(paths: WorkPaths) -> PlanHere:
    """The plan, as the last compile left the targets and as the classes are now."""
    if not is_compiled(paths):
        raise CommodoreError("nothing was compiled here", where=str(paths.root), hint=_COMPILE)
    hierarchy = of_working_directory(paths, BOOTSTRAP)
    parameters = parameters_of(hierarchy, engine="native", missing_ok=True)
    if not has_plan(parameters):
        raise CommodoreError(
            "this cluster has no plan",
            where="parameters.commodore.plan",
            hint="add one to the hierarchy",
        )
    names = sorted(path.stem for path in paths.targets.glob("*.yml"))
    instances = tuple(Instance(name, name) for name in names if name != BOOTSTRAP)
    plan, findings = read_plan(parameters, instances)
    locator = Locator(lambda: compiled_hierarchy(paths))
    problems = tuple(one.problem(locator.parameter) for one in findings)
    errors = [one.as_error() for one in problems if one.severity == "error"]
    raise_collected(errors, "the plan is not valid")
    assert plan is not None  # noqa: S101 - otherwise there is an error
    return PlanHere(plan, parameters, problems)


def simulated(
    here: PlanHere,
    model: Model,
    *,
    values: Mapping[str, Any],
    direction: Direction,
    rounds: int,
) -> Timeline:
    """The plan in a made-up world, with some parameters changed."""
    instances, clusters = names_in(here.plan.written)
    named = {*model.yields, *model.fails, *model.degrades}
    _refuse_unknown(named - clusters, instances, "an instance of the plan")
    _refuse_unknown(model.lost, clusters, "a cluster of the plan")
    parameters = conditions.with_values(here.parameters, values)

    def holds(condition: object) -> bool:
        return conditions.holds(condition, parameters)

    return simulate(here.plan.written, model, holds, direction=direction, rounds=rounds)


def _refuse_unknown(given: Iterable[str], known: Iterable[str], what: str) -> None:
    from commodore_py.delivery.findings import near

    for name in sorted(set(given) - set(known)):
        raise UsageError(f"{name} is not {what}", hint=near(name, known))
