"""Carry out an edit: plan, validate by the outcome, write, commit."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from commodore_py.adapters.git.program import fetch
from commodore_py.dependencies.protection.class_files import content_now, replace_class_file
from commodore_py.dependencies.protection.run_lock import exclusive_run
from commodore_py.errors import CommodoreError
from commodore_py.lieutenant.last_compile import cluster_id_in
from commodore_py.model.inventory import BOOTSTRAP
from commodore_py.model.problem import Place, Problem
from commodore_py.workflows.catalog.several import select

from . import effect, layers
from .options import check_versions
from .outcome import outcome_elsewhere, outcome_of
from .plan import plan as plan_of
from .repository import Overtaken, Repository, pinned, refuse_moved
from .requests import KNOWN_ERROR, judged

if TYPE_CHECKING:
    from collections.abc import Iterator

    from commodore_py.catalog.diff.objects import ObjectDiff
    from commodore_py.config import Config
    from commodore_py.model.verdict import Verdict

    from .plan import Plan
    from .requests import Request, Rules

_RETRIES = 3


@dataclass(frozen=True, slots=True)
class Result:
    """An edit: what it changes, and what is to be said about it."""

    plan: Plan
    verdict: Verdict
    diff: ObjectDiff | None = None
    now: str = ""
    """For what is unset: the value that applies now."""
    written: bool = False
    commit: str = ""
    pushed: bool = False


def run(config: Config, request: Request, rules: Rules) -> Result:
    """Carry out an edit; raises if it is refused, and then nothing is written.

    An edit to be pushed is planned and validated again after a concurrent push.
    """
    for left in range(_RETRIES, -1, -1):
        try:
            # Before the layers are read: another run may compile another cluster until then.
            cluster = cluster_id_in(config.paths) if config.paths.params_file.is_file() else ""
            refuse_moved(config.paths, rules.base)
            return _carried_out(config, plan_of(config.paths, request), cluster, rules)
        except Overtaken:
            if not left:
                raise
    raise AssertionError("the last attempt has returned or raised")


def _carried_out(config: Config, plan: Plan, cluster: str, rules: Rules) -> Result:
    repository = None
    if rules.commit:
        repository = Repository(plan.file)
        repository.refuse_changes()
        if plan:
            repository.check(push=rules.push, alone=bool(rules.author))
    result = _validated(config, plan, cluster, rules)
    if not plan or rules.dry_run:
        return result
    with exclusive_run(config.paths):
        _refuse_another(config, cluster)
        replace_class_file(config.paths, plan.file, plan.before, plan.after)
    if repository is None:
        return replace(result, written=True)
    message = f"{plan} ({cluster})"
    try:
        commit = repository.commit(message, plan.after, author=rules.author)
    except CommodoreError:
        _restore(config, plan)
        raise
    if rules.push:
        _push(config, repository, plan, commit, keep=not rules.author)
    return replace(result, written=True, commit=commit, pushed=rules.push)


def _push(config: Config, repository: Repository, plan: Plan, commit: str, *, keep: bool) -> None:
    """Push the commit; one that is refused is kept for the user, who can push it later."""
    try:
        repository.push(commit)
    except CommodoreError as error:
        overtaken = isinstance(error, Overtaken)
        if overtaken:
            fetch(repository.folder)
        elif keep:
            raise
        repository.take_back(f"{commit}^")
        _restore(config, plan)
        error.hint = "the file was restored"
        if overtaken:
            repository.forward()
        raise


def _restore(config: Config, plan: Plan) -> None:
    """Give the file its old content."""
    with exclusive_run(config.paths):
        replace_class_file(config.paths, plan.file, content_now(plan.file) or b"", plan.before)


def _refuse_another(config: Config, cluster: str) -> None:
    """Refuse a working directory that now holds another cluster."""
    now = cluster_id_in(config.paths)
    if now != cluster:
        raise CommodoreError(
            f"another run compiled cluster {now} in this working directory",
            where=str(config.paths.params_file),
            hint=f"nothing was written: compile {cluster} again, and repeat the edit",
        )


def _validated(config: Config, plan: Plan, cluster: str, rules: Rules) -> Result:
    problems: list[Problem] = []
    diff, now = None, ""
    if plan:
        check_versions(plan)
        problems += pinned(config.paths.classes / plan.choice.name.partition(".")[0])
        outcome = outcome_of(config, cluster, plan)
        _refuse_another(config, cluster)
        problems += outcome.problems
        diff = outcome.diff
        problems += effect.problems_of(plan, outcome.nodes)
        problems += _elsewhere(config, cluster, plan, rules)
        if plan.request.verb == "unset" and not plan.is_item:
            now = effect.value_now(plan)
    verdict = judged(problems, rules, config.paths.classes / "global")
    return Result(plan, verdict, diff, now)


def _elsewhere(config: Config, cluster: str, plan: Plan, rules: Rules) -> Iterator[Problem]:
    """Render the edit in other clusters; those that are not compiled are named."""
    name = plan.choice.name
    if rules.clusters:
        ids = rules.clusters
        if "all" in ids:
            everywhere = name.partition(".")[0] == "global"
            tenant = layers.Scope.of(plan.staged.replay(BOOTSTRAP), "tenant").tenant
            ids = tuple(select(config, tenant="" if everywhere else tenant))
        for other_cluster in sorted(set(ids) - {cluster}):
            outcome = outcome_elsewhere(config, other_cluster, plan)
            yield from (
                problem._replace(message=f"{problem.message} (cluster {other_cluster})")
                for problem in outcome.problems
                if problem.code != KNOWN_ERROR
            )
    elif cluster not in name.split("."):
        yield Problem.at(
            Place(plan.choice.shown),
            "edit/other-clusters",
            "other clusters may include this class, and were not compiled with the edit",
            remedy="--cluster all compiles them, too",
        )
