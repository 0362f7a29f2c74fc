"""Carry out an edit: plan, validate by the outcome, write all files or none."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from commodore_py.dependencies.protection import edit_journal
from commodore_py.dependencies.protection.edit_journal import FileEdit
from commodore_py.dependencies.protection.run_lock import exclusive_run, recover_edits
from commodore_py.errors import CommodoreError
from commodore_py.lieutenant.last_compile import cluster_id_in
from commodore_py.model.problem import Place, Problem

from . import effect, layers
from .commits import HookChanged, Overtaken
from .plan import plan as plan_of
from .rules import judged, known_error, of_changes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from commodore_py.catalog.diff.objects import ObjectDiff
    from commodore_py.config import Config
    from commodore_py.dependencies.protection.edit_journal import Entry
    from commodore_py.model.catalog import Change
    from commodore_py.model.verdict import Verdict

    from .commits import CommitRequest
    from .plan import Plan
    from .repository import Repository
    from .requests import Operation
    from .rules import Rules

_RETRIES = 3


class Result(NamedTuple):
    """An edit: what it changes, what is to be said about it, and its entry if it was written."""

    plan: Plan
    verdict: Verdict
    change: Change | None = None
    diff: ObjectDiff | None = None
    now: tuple[str, ...] = ()
    """For what is unset: the values that apply now."""
    entry: Entry | None = None
    commit: str = ""


def run(config: Config, operations: Sequence[Operation], rules: Rules) -> Result:
    """Carry out operations as one edit; raises if it is refused, and then nothing is written.

    One that is to be pushed is planned and validated again if somebody else has pushed meanwhile.
    """
    if not rules.dry_run:
        recover_edits(config.paths)
    for left in range(_RETRIES, -1, -1):
        try:
            return _carried_out(config, plan_of(config.paths, operations), rules)
        except Overtaken:
            if not left:
                raise
    raise AssertionError("the last attempt has returned or raised")


def _carried_out(config: Config, plan: Plan, rules: Rules) -> Result:
    repository = None
    if rules.git and plan:
        from .repository import Repository

        repository = Repository(plan.files)
        repository.check(rules.git)
    result = _validated(config, plan, rules)
    if not plan or rules.dry_run:
        return result
    message = rules.git.message or f"{plan} ({cluster_id_in(config.paths)})"
    if repository is not None and rules.git.branch:
        return result._replace(commit=_on_branch(repository, plan, rules.git, message))
    result = result._replace(entry=_written(config, plan))
    if repository is not None:
        commit = _committed(config, repository, result, message)
        if rules.git.push:
            _pushed(config, repository, result, commit)
        return result._replace(commit=commit)
    return result


def _committed(config: Config, repository: Repository, result: Result, message: str) -> str:
    """Commit what was written; if that fails, the files are restored."""
    assert result.entry is not None  # noqa: S101 - for the type checker
    contents = {file: after for file, (_, after) in result.plan.files.items()}
    try:
        commit = repository.commit(message, contents)
    except CommodoreError as error:
        root = config.paths.root.resolve()
        changed = error.contents if isinstance(error, HookChanged) else {}
        now = {str(file.relative_to(root)): content for file, content in changed.items()}
        with exclusive_run(config.paths):
            edit_journal.restore(config.paths, result.entry, now)
        raise
    edit_journal.note(config.paths, result.entry._replace(commit=commit))
    return commit


def _pushed(config: Config, repository: Repository, result: Result, commit: str) -> None:
    assert result.entry is not None  # noqa: S101 - for the type checker
    try:
        repository.push(commit)
    except Overtaken:
        repository.fetch()
        repository.take_back(f"{commit}^")
        with exclusive_run(config.paths):
            edit_journal.restore(config.paths, result.entry, {})
        repository.forward()
        raise


def _on_branch(repository: Repository, plan: Plan, wanted: CommitRequest, message: str) -> str:
    """Commit the operations as a new branch; the checkout stays as it is."""
    contents = {}
    for file, (before, after) in plan.files.items():
        base = repository.text_at_base(file)
        contents[file] = after if base == before else plan.made_again(file, base)
    commit = repository.commit_to_branch(wanted.branch, message, contents)
    if wanted.push:
        repository.push(commit, wanted.branch)
    return commit


def _written(config: Config, plan: Plan) -> Entry:
    root = config.paths.root.resolve()
    files = [
        FileEdit(str(file.relative_to(root)), before, after, _nodes_in(plan, file))
        for file, (before, after) in plan.files.items()
    ]
    with exclusive_run(config.paths):
        return edit_journal.write(config.paths, str(plan), files)


def _validated(config: Config, plan: Plan, rules: Rules) -> Result:
    problems: list[Problem] = []
    change, diff, nodes = None, None, None
    if plan:
        from .repository import pinned

        tops = {one.choice.name.partition(".")[0] for one in plan.planned}
        problems += pinned(config.paths.classes / top for top in tops)
    if plan and rules.validate in ("inventory", "compile"):
        from .outcome import outcome_of

        cluster = cluster_id_in(config.paths)
        found = outcome_of(
            config,
            cluster,
            plan.files,
            render=rules.validate == "compile",
            fetch=plan.requests_dependencies,
        )
        change, nodes = found.change, found.nodes
        problems += found.problems
        problems += map(known_error, found.errors)
        if change is not None:
            from commodore_py.catalog.diff.objects import object_diff

            diff = object_diff(change, change.rules)
            problems += of_changes(diff)
        problems += effect.problems_of(plan, nodes)
        problems += _elsewhere(config, cluster, plan, rules)
    verdict = judged(problems, rules, config.paths.classes / "global")
    now = tuple(
        text
        for one in plan.planned
        if one.operation.request.verb == "unset" and rules.validate != "none" and plan
        if (text := effect.value_now(plan.staged, one))
    )
    return Result(plan, verdict, change, diff, now)


def _elsewhere(config: Config, cluster: str, plan: Plan, rules: Rules) -> Iterator[Problem]:
    """What the edit does to other clusters; those that are not compiled are named."""
    shared = [one.choice for one in plan.planned if cluster not in one.choice.name.split(".")]
    if rules.clusters:
        from commodore_py.catalog.diff.objects import object_diff
        from commodore_py.workflows.catalog.several import select

        from .outcome import outcome_elsewhere

        ids = rules.clusters
        if ids == ("all",):
            everywhere = any(one.name.partition(".")[0] == "global" for one in shared)
            ids = select(config, "" if everywhere else layers.tenant_in(plan.staged))
        for one in sorted(set(ids) - {cluster}):
            found = outcome_elsewhere(config, one, plan.files)
            problems = list(found.problems)
            if found.change is not None:
                problems += of_changes(object_diff(found.change, found.change.rules))
            yield from (
                problem._replace(message=f"{problem.message} (cluster {one})")
                for problem in problems
            )
    elif shared:
        yield Problem.at(
            Place(shared[0].shown),
            "edit/other-clusters",
            "other clusters may include this class, and were not compiled with the edit",
            remedy="--clusters all compiles them, too",
        )


def _nodes_in(plan: Plan, file: object) -> tuple[tuple[str | int, ...], ...]:
    return tuple(
        dict.fromkeys(
            tuple(edit.path)
            for one in plan.planned
            if one.choice.real_file == file
            for edit in one.edits
        )
    )
