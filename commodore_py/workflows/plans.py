"""The plan of the working directory: read, checked, simulated and rendered."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from commodore_py import pipeline
from commodore_py.adapters import files
from commodore_py.adapters.git.repository import head_of, is_repository
from commodore_py.catalog.diff.change import change_between
from commodore_py.catalog.diff.revisions import manifests_at
from commodore_py.catalog.layout import MANIFESTS
from commodore_py.catalog.sinks.directory import refuse_other_folder
from commodore_py.compiler.tags import BadTag, Tags
from commodore_py.delivery import conditions
from commodore_py.delivery.compiled import ClusterPlan, leaving, removed_findings
from commodore_py.delivery.drivers.base import Job, path_findings, union
from commodore_py.delivery.drivers.table import DRIVERS
from commodore_py.delivery.findings import near, valid
from commodore_py.delivery.plan import read_plan
from commodore_py.delivery.simulation import Model, names_in, simulate
from commodore_py.errors import CommodoreError, UsageError
from commodore_py.inventory.checks import required_versions
from commodore_py.inventory.explain.hierarchy import compiled_hierarchy
from commodore_py.inventory.locator import Locator
from commodore_py.lieutenant.last_compile import cluster_id_in
from commodore_py.manifests.objects import value_in
from commodore_py.model.inventory import BOOTSTRAP, has_plan
from commodore_py.model.tree import Entry, Tree
from commodore_py.workflows.catalog import several
from commodore_py.workflows.dry_run import copied, elsewhere, errors_only
from commodore_py.workflows.inventory.sources import (
    COMPILE,
    compiled_trees,
    instances_of_working_directory,
    is_compiled,
    nothing_compiled,
    parameters_here,
)

from .references import reference_files

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from commodore_py.config import Config, WorkPaths
    from commodore_py.delivery.compiled import Leaving
    from commodore_py.delivery.plan import Plan
    from commodore_py.delivery.simulation import Direction, Timeline
    from commodore_py.model.catalog import Change
    from commodore_py.model.inventory import Parameters
    from commodore_py.model.problem import Problem
    from commodore_py.model.stages import Sources


_MARKER = ".commodore-plan.json"


@dataclass(frozen=True, slots=True)
class PlanHere:
    """The plan of the working directory, and what is to be known about it."""

    plan: Plan
    parameters: Parameters
    problems: tuple[Problem, ...]
    locator: Locator
    removed: tuple[Leaving, ...] = ()


@dataclass(frozen=True, slots=True)
class RenderedPlan:
    """Render the plan by a driver."""

    driver: str
    change: Change
    """From the manifests as they were compiled to those with the plan."""
    files: Tree
    problems: tuple[Problem, ...]


def plan_here(paths: WorkPaths) -> PlanHere:
    """The plan, as the last compile left the targets and as the classes are now."""
    if not is_compiled(paths):
        raise nothing_compiled(paths)
    parameters = parameters_here(paths)
    _refuse_none(parameters)
    instances = tuple(instance for instance, _ in instances_of_working_directory(paths, parameters))
    requires = {
        instance.name: components
        for instance in instances
        if (components := value_in(parameters, instance.component_key, "_metadata", "requires"))
    }
    plan, findings = read_plan(parameters, instances, requires)
    locator = Locator(lambda: compiled_hierarchy(paths))
    problems = valid(findings, locator.parameter)
    assert plan is not None  # noqa: S101 - otherwise there is an error
    removed = leaving(plan, _published(paths), _kept(paths, plan)) if plan.removed else ()
    problems += valid(removed_findings(removed), locator.parameter)
    return PlanHere(plan, parameters, problems, locator, removed)


def _refuse_none(parameters: Parameters) -> None:
    if not has_plan(parameters):
        raise CommodoreError(
            "this cluster has no plan",
            where="parameters.commodore.plan",
            hint="add one to the hierarchy",
        )


def _published(paths: WorkPaths) -> Tree:
    """The manifests of the catalog's last commit."""
    is_checkout = is_repository(paths.catalog)
    return manifests_at(paths.catalog, head_of(paths.catalog)[0] if is_checkout else None)


def _kept(paths: WorkPaths, plan: Plan) -> Iterator[bytes]:
    """Files that the last compile has written for the instances that stay."""
    removed = {removed.leaf.instance for removed in plan.removed}
    trees = compiled_trees(paths) if paths.compiled.is_dir() else {}
    for name, tree in trees.items():
        if name not in removed:
            yield from (entry.content for entry in tree.values())


def problems_of(config: Config, cluster_id: str, driver: str) -> tuple[Problem, ...]:
    """The problems that a compile reports of the plan, with all configured drivers or with one.

    A cluster that was not compiled here is gathered in a folder of its own.
    """
    with _gathering(config, cluster_id) as (scratch_config, name):
        sources = pipeline.gather(scratch_config, name)
        if driver:
            sources = _with_driver(sources, driver)
        inventory = sources.inventory
        _refuse_none(inventory.bootstrap.parameters)
        place_of = sources.places.parameter
        plan = ClusterPlan.of(inventory, required_versions(inventory), place_of).plan
        rendered_ = pipeline.render(scratch_config, sources)
    problems = tuple(notice for notice in rendered_.notices if notice.code.startswith("plan/"))
    if not any(problem.code == "plan/move" for problem in problems):
        for configured in plan.settings.drivers:
            _check_order(configured, rendered_.catalog.subtree(MANIFESTS), plan)
    return problems


@contextmanager
def _gathering(config: Config, cluster_id: str) -> Iterator[tuple[Config, str]]:
    """Settings that change nothing, and the cluster; only errors are shown."""
    config = replace(config, dry_run=True)
    with errors_only():
        if cluster_id and cluster_id not in several.compiled_in(config.paths):
            with elsewhere(config) as scratch_config:
                yield scratch_config, cluster_id
            return
        paths = several.paths_of(config.paths, cluster_id)
        name = cluster_id_in(paths)
        with copied(replace(config, paths=paths, local=True)) as scratch_config:
            yield scratch_config, name


def _with_driver(sources: Sources, driver: str) -> Sources:
    """The sources, with one driver in place of the configured ones."""
    inventory = sources.inventory
    parameters = dict(inventory.bootstrap.parameters)
    commodore = dict(parameters.get("commodore") or {})
    commodore["delivery"] = {**(commodore.get("delivery") or {}), "driver": driver}
    bootstrap = replace(inventory.bootstrap, parameters={**parameters, "commodore": commodore})
    nodes = {**inventory.nodes, BOOTSTRAP: bootstrap}
    return replace(sources, inventory=replace(inventory, nodes=nodes))


def rendered(paths: WorkPaths, driver: str) -> RenderedPlan:
    """The manifests of the last compile, with what a driver writes."""
    current = plan_here(paths)
    job = _job(paths, current.plan)
    laid = DRIVERS[driver].render(job)
    more = valid((*laid.findings, *path_findings(laid)), current.locator.parameter)
    problems = (*current.problems, *more)
    if not any(problem.code == "plan/move" for problem in problems):
        _check_order(driver, laid.manifests, current.plan)
    before = union(job.trees.values())
    after = laid.manifests.below(MANIFESTS)
    change = change_between(before.below(MANIFESTS), after)
    return RenderedPlan(driver, change, after | laid.copies, problems)


def _job(paths: WorkPaths, plan: Plan) -> Job:
    """The last compile, for drivers."""
    tags = Tags.of(reference_files(paths.catalog))

    def complete(value: Any) -> Any:  # noqa: ANN401 - plain data
        try:
            return tags.in_value(value)
        except BadTag as error:
            error.hint = f"its reference file is written by a compile: {COMPILE}"
            raise

    return Job(plan, compiled_trees(paths), complete, _published(paths))


def _check_order(driver: str, manifests: Tree, plan: Plan) -> None:
    """Read the order back from the rendered text: it has to be the one of the plan."""
    rendered_order = DRIVERS[driver].read_back(manifests).closed()
    planned_order = plan.order.closed()
    steps = rendered_order.keys() & planned_order.keys()
    late = (
        (predecessor, step)
        for step in sorted(steps)
        for predecessor in (planned_order[step] & steps) - rendered_order[step]
    )
    if (pair := next(late, None)) is not None:
        raise CommodoreError(
            f"as it is rendered, {pair[1]} does not wait for {pair[0]}",
            where=f"driver {driver}",
            hint="look for annotations of the same name in the components, or report a bug",
        )


def write_rendered(rendered_plan: RenderedPlan, folder: Path, paths: WorkPaths) -> None:
    """Write all files into a folder that holds nothing else."""
    folder = folder.resolve()
    refuse_other_folder(folder, paths, is_ours=(folder / _MARKER).is_file())
    files.write_tree(folder, rendered_plan.files.plus({PurePosixPath(_MARKER): Entry(b"{}\n")}))


def simulated(
    current: PlanHere,
    model: Model,
    *,
    values: Mapping[str, Any],
    direction: Direction,
) -> Timeline:
    """The simulated plan, with some parameters changed."""
    instances, clusters = names_in(current.plan.written)
    named = {*model.yields, *model.fails, *model.degrades}
    _refuse_unknown(named - clusters, instances, "an instance of the plan")
    _refuse_unknown(model.lost, clusters, "a cluster of the plan")
    parameters = conditions.with_values(current.parameters, values)
    return simulate(current.plan.written, model, parameters, direction=direction)


def _refuse_unknown(given: Iterable[str], names: Iterable[str], what: str) -> None:
    for name in sorted(set(given) - set(names)):
        raise UsageError(f"{name} is not {what}", hint=near(name, names))
