"""Fetch dependencies from Git: look at everything first, then change what must be changed."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from commodore_py import run_log
from commodore_py.adapters import git_urls
from commodore_py.adapters.files import remove
from commodore_py.adapters.git.program import git
from commodore_py.adapters.git.refs import BRANCHES, RevisionNotFound, short_commits
from commodore_py.adapters.masking import without_secrets
from commodore_py.adapters.parallel import in_parallel
from commodore_py.adapters.process import ProgramFailed
from commodore_py.dependencies.protection.checkouts import CheckedOut, Checkouts
from commodore_py.dependencies.protection.journal import Journal
from commodore_py.dependencies.protection.local_work import LocalWork
from commodore_py.errors import CommodoreError, raise_collected
from commodore_py.model.dependency import Dependency, DependencySpec, Fetch

from . import clones, configurations, worktrees
from .groups import groups_of, incomplete, override_of, place_of, register
from .mirrors import Mirrors
from .remotes import RemoteClient
from .revisions import Found, find, is_commit, named

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from commodore_py.adapters.git.refs import Refs
    from commodore_py.adapters.git.status import Status
    from commodore_py.config import Config

    from .groups import Group
    from .worktrees import Seen

log = logging.getLogger(__name__)

PARALLEL = 8  # waiting for servers, not computing


@dataclass(slots=True)
class _Looked:
    """What is known of a repository before anything is changed."""

    group: Group
    refs: Refs | None = None
    """The refs of the remote; None where only present commits are requested."""
    seen: dict[DependencySpec, Seen] = field(default_factory=dict)
    now: Status | None = None
    """The state of a configuration's clone."""
    problems: list[CommodoreError] = field(default_factory=list)
    work: list[DependencySpec] = field(default_factory=list)
    """What has local work, which is among the problems."""


def git_fetcher(config: Config) -> Fetch:
    """A function that fetches; each remote is listed once."""
    remotes: dict[str, str] = {}
    run = _Run(config)

    def from_git(specs: Iterable[DependencySpec]) -> tuple[Dependency, ...]:
        wanted = tuple(specs)
        register(wanted, remotes)
        groups = groups_of(wanted, remotes, config.paths)
        try:
            return run.fetch(wanted, groups)
        finally:
            run.checkouts.save()

    return from_git


class _Run:
    """The repositories of a run."""

    def __init__(self, config: Config) -> None:
        self.config, self.paths = config, config.paths
        self.client = RemoteClient()
        self.mirrors = Mirrors.of(config)
        self.journal = Journal.of(config.paths)
        self.checkouts = Checkouts(config.paths)

    def fetch(
        self, wanted: tuple[DependencySpec, ...], groups: Sequence[Group]
    ) -> tuple[Dependency, ...]:
        """Fetch dependencies, in the order of the requests; all errors are reported at once."""
        with run_log.stage("ask", of="question", total=len(groups)):
            looked = in_parallel(self._look, groups, at_most=PARALLEL)
        self._clear_the_way(looked)
        with run_log.stage("fetch", of="repository", total=len(groups)):
            results = in_parallel(self._fetch, looked, at_most=PARALLEL)
        done = [one for group in results for one in group]
        problems = [one for one in done if isinstance(one, CommodoreError)]
        fetched = {one.spec: one for one in done if isinstance(one, Dependency)}
        problems += [problem for one in fetched.values() if (problem := incomplete(one))]
        raise_collected(problems, "could not fetch everything")
        return tuple(fetched[spec] for spec in wanted)

    def _look(self, group: Group) -> _Looked:
        """List the remote, and look for local work."""
        looked = _Looked(group)
        about = ", ".join(map(str, group.specs))
        try:
            if group.configuration is not None:
                looked.now = configurations.look(group.configuration, group.clone)
            else:
                self._look_at_worktrees(looked)
            with run_log.item("question", group.clone.name):
                if self._must_be_listed(looked):
                    looked.refs = self.client.list_refs(group.url)
        except ProgramFailed as error:
            looked.problems.append(_noted(_cannot_fetch(group, error), f"while querying {about}"))
            return looked
        except CommodoreError as error:
            looked.problems.append(_noted(error, f"while looking for local work of {about}"))
            return looked
        for spec in group.specs:
            self._look_for_work(looked, spec)
        return looked

    def _look_at_worktrees(self, looked: _Looked) -> None:
        for spec in looked.group.specs:
            place = place_of(spec, self.paths)
            try:
                looked.seen[spec] = worktrees.look(spec, place, looked.group.clone, self.checkouts)
            except ProgramFailed as error:
                error.hint = error.hint or "if it is damaged, move it away; it is fetched again"
                raise

    def _must_be_listed(self, looked: _Looked) -> bool:
        """Whether it matters what the remote has."""
        group, config = looked.group, looked.group.configuration
        versions = {spec.version or "HEAD" for spec in group.specs}
        if config is not None:
            return configurations.must_be_listed(group.clone, config, looked.now)
        if not (group.clone / "HEAD").is_file():
            # All of it is fetched, unless there is a mirror; but a fetch does not tell HEAD.
            mirrored = self.mirrors is not None and self.mirrors.has(group.url)
            plain = not any(version.startswith("HEAD") for version in versions)
            return not plain or (mirrored and not all(map(is_commit, versions)))
        if all(map(is_commit, versions)):
            at = {now.commit for one in looked.seen.values() if (now := one.status) is not None}
            missing = versions - at
            return bool(missing) and not clones.has_versions(group.clone, missing, None)
        return True

    def _look_for_work(self, looked: _Looked, spec: DependencySpec) -> None:
        place = place_of(spec, self.paths)
        refs, known = looked.refs, self.checkouts
        problem: CommodoreError | None
        try:
            if looked.group.configuration is not None:
                found = configurations.wanted_by(spec, refs)
                wanted = found.commit if found is not None else ""
                problem = configurations.local_work(str(spec), place, looked.now, wanted, known)
            else:
                found = _known(spec, refs)
                wanted = found.commit if found is not None else ""
                problem = worktrees.local_work(spec, place, looked.seen[spec], wanted, known)
        except CommodoreError as error:
            problem = _noted(error, f"while looking for local work of {spec}")
        if problem is not None:
            looked.problems.append(problem)
        if isinstance(problem, LocalWork):
            looked.work.append(spec)

    def _clear_the_way(self, looked: Sequence[_Looked]) -> None:
        """Report all problems; with `--force`, back up local work instead of reporting it."""
        force = self.config.force
        problems = (problem for one in looked for problem in one.problems)
        raise_collected(
            (one for one in problems if not (force and isinstance(one, LocalWork))),
            "nothing was fetched",
        )
        for one in looked:
            for spec in one.work:
                place = place_of(spec, self.paths)
                if one.group.configuration is not None:
                    configurations.put_work_aside(str(spec), place)
                    one.now = configurations.look(spec, place)
                else:
                    worktrees.put_work_aside(spec, place)
                    one.seen[spec] = worktrees.look(spec, place, one.group.clone, self.checkouts)

    def _fetch(self, looked: _Looked) -> list[Dependency | CommodoreError]:
        group = looked.group
        try:
            with run_log.item("repository", group.clone.name):
                if group.configuration is not None:
                    return [self._configuration(looked, group.configuration)]
                known = self._as_they_are(looked)
                return known if known is not None else list(self._worktrees(looked))
        except ProgramFailed as error:
            return [_noted(_cannot_fetch(group, error), _while_fetching(group))]
        except CommodoreError as error:
            return [_noted(error, _while_fetching(group))]

    def _configuration(self, looked: _Looked, spec: DependencySpec) -> Dependency:
        return configurations.update_configuration(
            spec,
            looked.group.clone,
            looked.now,
            looked.refs,
            self.journal,
            self.checkouts,
            override=override_of(spec, self.config),
            force=self.config.force,
        )

    def _as_they_are(self, looked: _Looked) -> list[Dependency | CommodoreError] | None:
        """The dependencies of a repository, if all of them are checked out as requested."""
        wanted: dict[DependencySpec, Found] = {}
        for spec in looked.seen:
            found = _known(spec, looked.refs)
            if found is None:
                return None
            wanted[spec] = found
        wanted = dict(_with_branches(looked, wanted))
        for spec, found in wanted.items():
            seen = looked.seen[spec]
            at = (seen.status.commit, seen.branch) if seen.status is not None else None
            if at != found or seen.incomplete:
                return None
        return self._dependencies(looked.group, wanted)

    def _worktrees(self, looked: _Looked) -> Iterator[Dependency | CommodoreError]:
        group, mirrors = looked.group, self.mirrors
        fresh = not (group.clone / "HEAD").is_file()
        refs = self._update_clone(looked)
        if not fresh:
            yield from self._check_out(looked, refs, fresh=False)
            return
        mirrored = mirrors is not None and mirrors.has(group.url)
        results = list(self._check_out(looked, refs, fresh=True))
        damage = next((one for one in results if isinstance(one, ProgramFailed)), None)
        if mirrors is not None and mirrored and damage is not None:
            clones.drop_damaged(mirrors, group.url, damage)
            remove(group.clone)
            clones.make_clone(group.clone, group.url, (), None, None)
            results = list(self._check_out(looked, refs, fresh=True))
        yield from results

    def _update_clone(self, looked: _Looked) -> Refs:
        group = looked.group
        address = git_urls.normalise(group.url)
        known = [
            self.checkouts.at(place_of(spec, self.paths), now.commit)
            for spec, seen in looked.seen.items()
            if (now := seen.status) is not None
        ]
        return clones.update_clone(
            group.clone,
            group.url,
            {spec.version or "HEAD" for spec in group.specs},
            looked.refs,
            self.mirrors,
            configured=any(one is not None and one.url == address for one in known),
        )

    def _check_out(
        self, looked: _Looked, refs: Refs, *, fresh: bool
    ) -> Iterator[Dependency | CommodoreError]:
        group, force = looked.group, self.config.force
        resolved: dict[DependencySpec, Found] = {}
        for spec in group.specs:
            try:
                resolved[spec] = _find(spec, group.clone, refs)
            except CommodoreError as error:
                yield _noted(error, f"while checking out {spec}")
        done: dict[DependencySpec, Found] = {}
        for spec, found in _with_branches(looked, resolved):
            place = place_of(spec, self.paths)
            seen = looked.seen[spec]
            try:
                worktrees.check_out(
                    spec,
                    place,
                    group.clone,
                    found,
                    seen,
                    self.journal,
                    self.checkouts,
                    fresh=fresh,
                    force=force,
                )
            except CommodoreError as error:
                problem = error
                if isinstance(error, ProgramFailed) and _is_no_commit(group.clone, found.commit):
                    problem = RevisionNotFound.named(spec.version or "HEAD", url=spec.url)
                yield _noted(problem, f"while checking out {spec}")
            else:
                done[spec] = found
        yield from self._dependencies(group, done)

    def _dependencies(
        self, group: Group, found: Mapping[DependencySpec, Found]
    ) -> list[Dependency | CommodoreError]:
        """What was fetched, as the rest of a run uses it; and note it for the next run."""
        remote = git_urls.normalise(group.url)
        places = {spec: place_of(spec, self.paths) for spec in found}
        known = {spec: self.checkouts.at(places[spec], one.commit) for spec, one in found.items()}
        new = {found[spec].commit for spec, one in known.items() if one is None}
        short = short_commits(group.clone, new)
        dependencies: list[Dependency | CommodoreError] = []
        for spec, (commit, _) in found.items():
            noted = known[spec] or CheckedOut(commit, short[commit], remote)
            self.checkouts.note(places[spec], noted._replace(url=remote))
            version, abbreviated = spec.version or "HEAD", noted.short_commit
            dependencies.append(
                Dependency(spec, remote, version, commit, abbreviated, places[spec])
            )
        return dependencies


def _with_branches(
    looked: _Looked, found: Mapping[DependencySpec, Found]
) -> list[tuple[DependencySpec, Found]]:
    """What each checkout is to have: of several for one branch, one has it.

    The others are first, as they must leave the branch before it is moved.
    """
    owners: dict[str, DependencySpec] = {}
    for spec, one in found.items():
        if one.branch:
            owner = owners.setdefault(one.branch, spec)
            at_owner, here = looked.seen[owner].branch, looked.seen[spec].branch
            if here == one.branch != at_owner:
                owners[one.branch] = spec
    with_branches = [
        (spec, Found(one.commit) if owners.get(one.branch, spec) != spec else one)
        for spec, one in found.items()
    ]
    return sorted(with_branches, key=lambda pair: bool(pair[1].branch))


def _known(spec: DependencySpec, refs: Refs | None) -> Found | None:
    """What a version means by its name alone; None if the clone must be asked."""
    version = spec.version or "HEAD"
    if is_commit(version):
        return Found(version)
    if refs is None:
        return None
    if version == "HEAD":
        commit = refs.commits.get(BRANCHES + refs.default_branch)
        return Found(commit) if commit else None
    # A tag wins over a branch of that name, as it does in a first checkout by Git.
    return named(refs, version, prefer="tag")


def _find(spec: DependencySpec, bare: Path, refs: Refs) -> Found:
    version = spec.version or "HEAD"
    known = None if is_commit(version) else _known(spec, refs)
    try:
        return known or find(bare, refs, version, prefer="tag")
    except RevisionNotFound as error:
        raise RevisionNotFound(f"{spec}: {error}", where=error.where, hint=error.hint) from error


def _is_no_commit(bare: Path, found: str) -> bool:
    """Whether a tag leads to a file or a directory."""
    try:
        return git(bare, "cat-file", "-t", found) in ("blob", "tree")
    except ProgramFailed:
        return False


def _noted(error: CommodoreError, note: str) -> CommodoreError:
    error.add_note(note)
    return error


def _while_fetching(group: Group) -> str:
    return f"while fetching {', '.join(map(str, group.specs))}"


def _cannot_fetch(group: Group, error: ProgramFailed) -> CommodoreError:
    if group.configuration is not None:
        address = without_secrets(git_urls.normalise(group.url))
        return configurations.cannot_fetch(str(group.configuration), address, error)
    return CommodoreError(
        f"cannot fetch {', '.join(map(str, group.specs))}: {error.stderr.strip() or error}",
        where=without_secrets(git_urls.normalise(group.url)),
        hint="check the url in the hierarchy, and that you may read the repository",
    )
