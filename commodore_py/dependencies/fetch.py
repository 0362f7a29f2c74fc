"""The two fetchers: from Git, in parallel by repository, and from the work folder alone."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from commodore_py import spans
from commodore_py.adapters import git_urls
from commodore_py.adapters.git import short_commits_in
from commodore_py.errors import CommodoreError, raise_collected
from commodore_py.model import Dependency, DependencySpec, Kind

from . import checkouts, clones, work_folder, worktrees
from .contents import incomplete
from .journal import Journal
from .lending import Lender
from .questions import Asker
from .safety import LocalWork

if TYPE_CHECKING:
    from commodore_py.config import Config, WorkPaths

    from .questions import Answer

log = logging.getLogger(__name__)

Fetch: TypeAlias = Callable[[Iterable[DependencySpec]], tuple[Dependency, ...]]

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")

_PARALLEL = 8  # waiting for servers, not computing
_CONFIGURATION = (Kind.GLOBAL, Kind.TENANT)


def fetcher(config: Config) -> Fetch:
    """A function that fetches, or one that only looks into the working directory."""
    paths = config.paths
    remotes: dict[str, str] = {}
    asker = Asker(paths.root)

    def from_git(specs: Iterable[DependencySpec]) -> tuple[Dependency, ...]:
        wanted = tuple(specs)
        register(wanted, remotes)
        groups = _groups(wanted, remotes, paths)
        answers = _look_around(wanted, groups, config, asker)
        return _fetch_all(wanted, groups, answers, config)

    def from_work_folder(specs: Iterable[DependencySpec]) -> tuple[Dependency, ...]:
        return work_folder.find_all({spec: place_of(spec, paths) for spec in specs})

    return from_work_folder if config.local else from_git


def place_of(spec: DependencySpec, paths: WorkPaths) -> Path:
    """The folder that a dependency is checked out to."""
    match spec.kind:
        case Kind.GLOBAL | Kind.TENANT:
            return paths.classes / spec.name
        case Kind.PACKAGE:
            return paths.dependencies / f"pkg.{spec.name}"
        case Kind.COMPONENT | Kind.INSTANCE:
            return paths.dependencies / spec.name


@dataclass(frozen=True, slots=True)
class Group:
    """What comes from one clone: Git locks it while it changes, and one fetch serves them all."""

    clone: Path
    url: str
    specs: tuple[DependencySpec, ...]

    @property
    def configuration(self) -> DependencySpec | None:
        """The global or tenant configuration, which has a clone of its own."""
        return self.specs[0] if self.specs[0].kind in _CONFIGURATION else None


_Answers: TypeAlias = Mapping[Path, "Answer | None"]


def _groups(
    specs: tuple[DependencySpec, ...], remotes: Mapping[str, str], paths: WorkPaths
) -> tuple[Group, ...]:
    found: dict[Path, Group] = {}
    for spec in specs:
        if spec.kind in _CONFIGURATION:
            clone, url = place_of(spec, paths), spec.url
        else:
            clone, url = _bare_clone(spec, paths), remotes[git_urls.dependency_key(spec.url)]
        others = found[clone].specs if clone in found else ()
        found[clone] = Group(clone, url, (*others, spec))
    return tuple(found.values())


def _look_around(
    specs: tuple[DependencySpec, ...],
    groups: tuple[Group, ...],
    config: Config,
    asker: Asker,
) -> _Answers:
    """Look for local work and ask all remotes before anything is changed."""

    def obstacle(spec: DependencySpec) -> CommodoreError | None:
        place = place_of(spec, config.paths)
        try:
            if spec.kind in _CONFIGURATION:
                return checkouts.obstacle(spec, place)
            return worktrees.obstacle(spec, place, _bare_clone(spec, config.paths))
        except CommodoreError as error:
            error.add_note(f"while looking for local work of {spec}")
            return error

    def ask(group: Group) -> Answer | None:
        spec = group.configuration
        if spec is None:
            return clones.question(group.clone, group.url, group.specs, asker)
        revision = spec.version or ""
        return checkouts.question(str(spec), group.clone, spec.url, asker, revision=revision)

    def question(group: Group) -> Answer | CommodoreError | None:
        try:
            with spans.item("question", group.clone.name):
                return ask(group)
        except CommodoreError as error:
            error.add_note(f"while asking for {', '.join(map(str, group.specs))}")
            return error

    jobs: list[Callable[[], Answer | CommodoreError | None]] = [
        *(partial(question, group) for group in groups),
        *(partial(obstacle, spec) for spec in specs),
    ]
    with spans.stage("ask", of="question", total=len(groups)):
        results = _in_parallel(lambda job: job(), jobs)
    answers = dict(zip((one.clone for one in groups), results[: len(groups)], strict=True))
    obstacles = {
        spec: problem
        for spec, problem in zip(specs, results[len(groups) :], strict=True)
        if isinstance(problem, CommodoreError)
    }
    _clear_the_way(obstacles, answers, config)
    return {clone: one for clone, one in answers.items() if not isinstance(one, CommodoreError)}


def _clear_the_way(
    obstacles: Mapping[DependencySpec, CommodoreError],
    answers: Mapping[Path, Answer | CommodoreError | None],
    config: Config,
) -> None:
    """Report everything that stands in the way; put local work aside if that is forced."""
    force, paths = config.force, config.paths
    raise_collected(
        (
            *(
                problem
                for problem in obstacles.values()
                if not (force and isinstance(problem, LocalWork))
            ),
            *(problem for problem in answers.values() if isinstance(problem, CommodoreError)),
        ),
        "nothing was fetched",
    )
    for spec in obstacles:
        if spec.kind in _CONFIGURATION:
            checkouts.put_work_aside(str(spec), place_of(spec, paths), Journal.of(paths))
        else:
            worktrees.put_work_aside(spec, place_of(spec, paths), Journal.of(paths))


def register(specs: Iterable[DependencySpec], remotes: dict[str, str]) -> None:
    """Decide on one URL per repository: the first one asked for, but SSH wins."""
    for spec in specs:
        if spec.kind not in _CONFIGURATION:
            key = git_urls.dependency_key(spec.url)
            if key not in remotes or spec.url.startswith("ssh://"):
                remotes[key] = spec.url


def _fetch_all(
    specs: tuple[DependencySpec, ...],
    groups: tuple[Group, ...],
    answers: _Answers,
    config: Config,
) -> tuple[Dependency, ...]:
    def fetch_group(group: Group) -> list[Dependency | _CheckedOut | CommodoreError]:
        try:
            with spans.item("repository", group.clone.name):
                if group.configuration is not None:
                    return [_fetch_configuration(group, answers[group.clone], config)]
                return [*_fetch_repository(group, answers[group.clone], config)]
        except CommodoreError as error:
            error.add_note(f"while fetching {', '.join(map(str, group.specs))}")
            return [error]

    with spans.stage("fetch", of="repository", total=len(groups)):
        results = [one for group in _in_parallel(fetch_group, groups) for one in group]
    checked_out = [one for one in results if isinstance(one, _CheckedOut)]
    short = short_commits_in((one.group.clone, one.commit) for one in checked_out)
    done = [one.pinned(short[one.group.clone, one.commit], config.paths) for one in checked_out]
    problems = [one for one in results if isinstance(one, CommodoreError)]
    problems += [problem for one in done if (problem := incomplete(one)) is not None]
    raise_collected(problems, "could not fetch everything")
    done += [one for one in results if isinstance(one, Dependency)]
    fetched = {one.spec: one for one in done}
    return tuple(fetched[spec] for spec in specs)


@dataclass(frozen=True, slots=True)
class _CheckedOut:
    group: Group
    spec: DependencySpec
    commit: str

    def pinned(self, short: str, paths: WorkPaths) -> Dependency:
        remote, version = git_urls.normalise(self.group.url), self.spec.version or "HEAD"
        place = place_of(self.spec, paths)
        return Dependency(self.spec, remote, version, self.commit, short, place)


def _fetch_configuration(group: Group, answer: Answer | None, config: Config) -> Dependency:
    spec = group.specs[0]
    return checkouts.update_configuration(
        spec,
        group.clone,
        Journal.of(config.paths),
        answer,
        override=config.global_revision if spec.kind is Kind.GLOBAL else config.tenant_revision,
        force=config.force,
        rule=config.push_url,
    )


def _fetch_repository(
    group: Group, answer: Answer | None, config: Config
) -> Iterator[_CheckedOut | CommodoreError]:
    bare, journal, lender = group.clone, Journal.of(config.paths), Lender.of(config)
    refs = clones.update_clone(
        bare, group.url, group.specs, answer, lender=lender, rule=config.push_url
    )
    for spec in group.specs:
        place = place_of(spec, config.paths)
        try:
            commit = worktrees.check_out(spec, place, bare, refs, journal, force=config.force)
        except CommodoreError as error:
            error.add_note(f"while checking out {spec}")
            yield error
        else:
            yield _CheckedOut(group, spec, commit)


def _bare_clone(spec: DependencySpec, paths: WorkPaths) -> Path:
    return paths.bare_clones / git_urls.dependency_key(spec.url)


def _in_parallel(work: Callable[[_Item], _Result], items: Iterable[_Item]) -> tuple[_Result, ...]:
    with ThreadPoolExecutor(max_workers=_PARALLEL) as pool:
        return tuple(pool.map(work, items))
