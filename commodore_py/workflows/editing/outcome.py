"""Compare the catalog without an edit and with it, rendered from the same sources."""

from __future__ import annotations

import re
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from commodore_py import pipeline
from commodore_py.catalog.diff.change import change_between
from commodore_py.catalog.diff.objects import object_diff
from commodore_py.checks.compiled import check_compiled
from commodore_py.dependencies.fetch import fetcher
from commodore_py.errors import CommodoreError, doing, raise_collected
from commodore_py.inventory.parameter_schema import problems_of as schema_problems
from commodore_py.inventory.parameter_schema import subjects_of
from commodore_py.model.tree import Tree
from commodore_py.workflows.dry_run import copied, elsewhere, errors_only

from .requests import known_error, of_changes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from commodore_py.catalog.diff.objects import ObjectDiff
    from commodore_py.config import Config
    from commodore_py.model.cluster import Cluster
    from commodore_py.model.dependency import Dependency, DependencySpec, Fetch
    from commodore_py.model.inventory import Node
    from commodore_py.model.problem import Problem
    from commodore_py.model.stages import Rendered

    from .plan import Plan


@dataclass(frozen=True, slots=True)
class Outcome:
    """Differences that an edit causes."""

    diff: ObjectDiff | None
    """None if the cluster does not compile without the edit."""
    problems: tuple[Problem, ...]
    """What a compile reports only with the edit, changes that harm, and errors that remain."""
    nodes: Mapping[str, Node] | None


@dataclass(frozen=True, slots=True)
class _Side:
    """A compile, or why there is none."""

    catalog: Tree = Tree()
    rendered: Rendered | None = None
    nodes: Mapping[str, Node] | None = None
    problems: tuple[Problem, ...] = ()
    error: CommodoreError | None = None


def outcome_of(config: Config, cluster_id: str, plan: Plan) -> Outcome:
    """Render an edit; raises if it causes errors. Nothing is written.

    What the edit requests is fetched into a copy.
    """
    config = replace(config, local=True, dry_run=True)
    root = config.paths.root.resolve()
    with copied(config) as scratch_config, errors_only():
        scratch = scratch_config.paths.root
        requested: set[DependencySpec] = set()
        fetch = _fetching(scratch_config, requested, fetches_new=False)
        before = _side(scratch_config, cluster_id, checks=True, fetch=fetch)
        (scratch / plan.file.relative_to(root)).write_bytes(plan.after)
        fetches_new = plan.requests_dependencies and before.error is None
        fetch = _fetching(scratch_config, requested, fetches_new=fetches_new)
        after = _side(scratch_config, cluster_id, checks=True, fetch=fetch)
        return _compared(before, after)


def _fetching(config: Config, requested: set[DependencySpec], *, fetches_new: bool) -> Fetch:
    """The fetcher of a local run, which adds its requests to those of a run before.

    New ones are fetched if `fetches_new` is set.
    """
    fetch = fetcher(config)

    def with_new(specs: Iterable[DependencySpec]) -> tuple[Dependency, ...]:
        all_specs = tuple(specs)
        new = tuple(spec for spec in all_specs if spec not in requested)
        if new and fetches_new:
            fetcher(replace(config, local=False))(new)
        requested.update(all_specs)
        return fetch(all_specs)

    return with_new


def outcome_elsewhere(config: Config, cluster_id: str, plan: Plan) -> Outcome:
    """Render an edit in another cluster, which is gathered in a folder of its own."""
    root = config.paths.root.resolve()
    with _own_folder(config, cluster_id) as cluster_config:
        scratch = cluster_config.paths.root
        pipeline.gather(cluster_config, cluster_id)
        local = replace(cluster_config, local=True)
        file = scratch / plan.file.relative_to(root)
        sides = []
        for content in (plan.before, plan.after):
            if file.is_file():
                file.write_bytes(content)
            sides.append(_side(local, cluster_id, checks=True))
        return _compared(*sides)


def outcome_of_cluster(config: Config, cluster: Cluster) -> Outcome:
    """Render a new cluster."""
    with _own_folder(config, cluster.id) as cluster_config:
        return _compared(_Side(), _side(cluster_config, cluster.id, cluster))


@contextmanager
def _own_folder(config: Config, cluster_id: str) -> Iterator[Config]:
    """Settings with a temporary working directory and catalog."""
    with (
        errors_only(),
        elsewhere(config) as cluster_config,
        doing(f"compiling cluster {cluster_id} with the edit"),
    ):
        yield replace(cluster_config, output_dir=cluster_config.paths.root.parent / "catalog")


def _compared(before: _Side, after: _Side) -> Outcome:
    old = before.error.parts if before.error else ()
    old_keys = {_key(error) for error in old}
    seen = {problem.fingerprint for problem in before.problems}
    added_problems = tuple(
        problem
        for problem in after.problems
        # Policies that cannot be evaluated refuse every edit.
        if problem.fingerprint not in seen or problem.code == "policy/not-installed"
    )
    if after.error is not None:
        added = [part for part in after.error.parts if _key(part) not in old_keys]
        if added or not old_keys:
            # A parameter that violates its schema is often why a component does not compile.
            why = [
                added_problem.as_error()
                for added_problem in added_problems
                if added_problem.code == "parameters/schema"
            ]
            raise_collected([*why, *after.error.parts], "the edit is refused; nothing was written")
    if before.error is not None or after.error is not None or after.rendered is None:
        left = map(known_error, after.error.parts if after.error else ())
        return Outcome(None, (*added_problems, *left), after.nodes)
    diff = object_diff(change_between(before.catalog, after.catalog), after.rendered.rules)
    return Outcome(diff, (*added_problems, *of_changes(diff)), after.nodes)


def _key(error: CommodoreError) -> tuple[str, str]:
    """An error without its lines, which an edit above moves."""
    return str(error), re.sub(r":\d+$", "", error.where, flags=re.MULTILINE)


def _side(
    config: Config,
    cluster_id: str,
    cluster: Cluster | None = None,
    *,
    checks: bool = False,
    fetch: Fetch | None = None,
) -> _Side:
    about: tuple[Problem, ...] = ()
    try:
        sources = pipeline.gather(config, cluster_id, cluster, fetch=fetch)
        nodes = sources.inventory.nodes
        subjects = subjects_of(sources.inventory, sources.classes)
        about = (*sources.notices, *schema_problems(subjects, sources.places.parameter))
        rendered = pipeline.render(config, sources)
    except CommodoreError as error:
        return _Side(problems=about, error=error)
    problems = (*rendered.notices, *about)
    if checks:
        checked = check_compiled(
            config, sources, rendered.instances, lambda: (), without_opa="error"
        )
        problems += checked.problems
    return _Side(rendered.catalog, rendered, nodes, problems)
