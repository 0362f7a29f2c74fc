"""Fetch dependencies from Git: look at everything first, then change what must be changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commodore_py import run_log
from commodore_py.adapters import git_urls
from commodore_py.adapters.files import remove
from commodore_py.adapters.git.program import git
from commodore_py.adapters.git.refs import (
    BRANCHES,
    FALLBACK_BRANCH,
    RevisionNotFound,
    refs_of,
)
from commodore_py.adapters.git.worktrees import commit_at, switch_worktree
from commodore_py.adapters.git_urls import without_credentials
from commodore_py.adapters.process import ProgramFailed
from commodore_py.adapters.workers import in_parallel
from commodore_py.dependencies.bare_repositories import remove_bare
from commodore_py.dependencies.protection.checkout_record import CheckedOut, CheckoutRecord
from commodore_py.dependencies.protection.journal import Journal
from commodore_py.dependencies.protection.local_work import LocalWork
from commodore_py.errors import CommodoreError, raise_collected
from commodore_py.model.dependency import Dependency, DependencySpec

from . import checkouts, clones, remotes
from .checkouts import Place, Seen
from .groups import groups_of, incomplete, override_of, place_of
from .mirrors import Mirrors
from .remotes import has_versions
from .revisions import Found, find_requested, is_commit, known, set_at, version_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from commodore_py.adapters.git.refs import Refs
    from commodore_py.config import Config

    from .groups import Group

_PARALLEL = 8  # waiting for servers, not computing


class GitFetcher:
    """Fetches the repositories of a run; each remote is listed once."""

    def __init__(self, config: Config) -> None:
        self.config, self.paths = config, config.paths
        self.mirrors = Mirrors.of(config)
        self.journal = Journal.of(config.paths)
        self.record = CheckoutRecord(config.paths)
        self._urls: dict[str, str] = {}

    def __call__(self, specs: Iterable[DependencySpec]) -> tuple[Dependency, ...]:
        """Fetch dependencies, in the order of the requests; all errors are reported at once."""
        requested = tuple(specs)
        groups = groups_of(requested, self._urls, self.paths)
        self.record = CheckoutRecord(self.paths)  # locked commits are noted between the steps
        try:
            fetched = self._fetched(groups)
        finally:
            self.record.save()
        return tuple(fetched[spec] for spec in requested)

    def _fetched(self, groups: Sequence[Group]) -> dict[DependencySpec, Dependency]:
        with run_log.stage("ask", of="question", total=len(groups)):
            in_parallel(self._look, groups, at_most=_PARALLEL)
        self._clear_the_way(groups)
        with run_log.stage("fetch", of="repository", total=len(groups)):
            results = in_parallel(self._fetch, groups, at_most=_PARALLEL)
        done = [result for of_group in results for result in of_group]
        problems = [error for error in done if isinstance(error, CommodoreError)]
        fetched = {
            dependency.spec: dependency for dependency in done if isinstance(dependency, Dependency)
        }
        problems += [
            problem for dependency in fetched.values() if (problem := incomplete(dependency))
        ]
        raise_collected(problems, "could not fetch everything")
        return fetched

    def _look(self, group: Group) -> None:
        """List the remote, and look for local work."""
        for spec in group.specs:
            place = Place(spec, place_of(spec, self.paths), group.clone)
            try:
                group.seen[place] = checkouts.look(place, self.record)
            except CommodoreError as error:
                if isinstance(error, ProgramFailed):
                    error.hint = error.hint or "if it is damaged, move it away; it is fetched again"
                group.problems.append(_noted(error, f"while looking for local work of {spec}"))
        try:
            with run_log.item("question", group.clone.name):
                if self._must_be_listed(group):
                    group.refs = remotes.list_refs(group.url)
        except ProgramFailed as error:
            note = f"while querying {group.about}"
            group.problems.append(_noted(group.cannot_fetch(error), note))
            return
        for place, seen in group.seen.items():
            # A commit that is named by its id need not be on the remote.
            plain = not is_commit(version_of(place.spec))
            revision = known(place.spec, group.refs) if plain else None
            work = checkouts.local_work(
                place, seen, revision.commit if revision else "", self.record
            )
            if work is not None:
                group.problems.append(
                    _noted(work, f"while looking for local work of {group.about}")
                )
                group.work.append(place)

    def _must_be_listed(self, group: Group) -> bool:
        """Return whether it matters what the remote has."""
        versions = group.versions
        commits = all(map(is_commit, versions))
        if not group.exists:
            # All of it is fetched, unless there is a mirror; but a fetch does not tell HEAD.
            # Clusters that are compiled side by side share a mirror, which one of them makes.
            shared = self.mirrors is not None and remotes.is_shared()
            if group.configuration is not None:
                return shared
            mirrored = shared or (self.mirrors is not None and self.mirrors.has(group.url))
            named_head = any(version.startswith("HEAD") for version in versions)
            return named_head or (mirrored and not commits)
        missing = versions - {seen.commit for seen in group.seen.values()}
        return not commits or not has_versions(group.clone, missing, None)

    def _clear_the_way(self, groups: Sequence[Group]) -> None:
        """Report all problems; with `--force`, back up local work instead of reporting it."""
        force = self.config.force
        problems = (problem for group in groups for problem in group.problems)
        raise_collected(
            (problem for problem in problems if not (force and isinstance(problem, LocalWork))),
            "nothing was fetched",
        )
        for group in groups:
            for place in group.work:
                checkouts.put_work_aside(place)
                group.seen[place] = checkouts.look(place, self.record)

    def _fetch(self, group: Group) -> list[Dependency | CommodoreError]:
        note = f"while fetching {group.about}"
        try:
            with run_log.item("repository", group.clone.name):
                return self._as_they_are(group) or list(self._changed(group))
        except ProgramFailed as error:
            return [_noted(group.cannot_fetch(error), note)]
        except CommodoreError as error:
            return [_noted(error, note)]
        except OSError as error:
            problem = CommodoreError(f"cannot write: {error.strerror}", where=str(error.filename))
            return [_noted(problem, note)]

    def _as_they_are(self, group: Group) -> list[Dependency | CommodoreError]:
        """The dependencies of a repository, if all of them are checked out as requested."""
        if not self._is_configured(group):
            return []
        revisions = {}
        for place in group.seen:
            revision = known(place.spec, group.refs)
            if revision is None:
                return []
            revisions[place] = revision
        revisions = dict(_with_branches(group, revisions))
        for place, seen in group.seen.items():
            if (seen.commit, seen.branch) != revisions[place] or seen.incomplete:
                return []
        return self._dependencies(group, list(revisions), group.refs)

    def _is_configured(self, group: Group) -> bool:
        """Return whether the clone is known to have the address of the remote."""
        address = git_urls.normalise(group.url)
        if group.url != without_credentials(group.url):
            return False  # Commodore writes them to the clone
        made = (self.record.at(place.path, seen.commit) for place, seen in group.seen.items())
        return any(checked_out is not None and checked_out.url == address for checked_out in made)

    def _changed(self, group: Group) -> Iterable[Dependency | CommodoreError]:
        """The dependencies of a repository, once they are checked out as requested."""
        if not group.exists:
            make = self._new_clone if group.configuration is None else self._new_configuration
            return make(group, self.mirrors)
        refs = clones.update_clone(
            *(group.clone, group.url, group.versions, group.refs),
            what=str(group.specs[0]),
            configured=self._is_configured(group),
            follow_head=group.configuration is not None,
        )
        return self._check_out(group, refs, fresh=False)

    def _new_clone(
        self, group: Group, mirrors: Mirrors | None
    ) -> Sequence[Dependency | CommodoreError]:
        """Make a bare clone and check out; a damaged mirror is removed, and not used."""
        clones.make_clone(group.clone, group.url, group.versions, group.refs, mirrors)
        refs = group.refs or refs_of(group.clone)
        results = list(self._check_out(group, refs, fresh=True))
        damage = next((result for result in results if isinstance(result, ProgramFailed)), None)
        if mirrors and damage and mirrors.drop_if_damaged(group.url, damage):
            remove_bare(group.clone)
            return self._new_clone(group, None)
        return results

    def _new_configuration(
        self, group: Group, mirrors: Mirrors | None
    ) -> Sequence[Dependency | CommodoreError]:
        """Make a clone with a checkout; a damaged mirror is removed, and not used."""
        (place,) = group.seen
        copied = None
        if group.refs is not None and mirrors is not None:
            copied = clones.copy_aside(place.path, group.url, group.refs, mirrors)
        try:
            aside, refs = copied or clones.clone_aside(str(place.spec), place.path, group.url)
        except CommodoreError as error:
            raise set_at(error, place.spec, "url") from error
        try:
            revision = find_requested(place.spec, aside, refs)
            switch_worktree(aside, revision.commit, revision.branch, force=True)
        except CommodoreError as error:
            remove(aside)
            if copied and mirrors and mirrors.drop_if_damaged(group.url, error):
                return self._new_configuration(group, None)
            raise
        clones.swap_in(aside, place.path)
        return self._dependencies(group, [place], refs)

    def _check_out(
        self, group: Group, refs: Refs, *, fresh: bool
    ) -> Iterator[Dependency | CommodoreError]:
        resolved: dict[Place, Found] = {}
        for place in group.seen:
            try:
                resolved[place] = find_requested(place.spec, place.clone, refs)
            except CommodoreError as error:
                yield _noted(error, f"while checking out {place.spec}")
        done: list[Place] = []
        for place, revision in _with_branches(group, resolved):
            seen = group.seen[place]
            try:
                checkouts.make_room(place, seen, revision)
                if (place.path / ".git").exists():
                    checkouts.switch(
                        place, revision, seen, self.journal, self.record, force=self.config.force
                    )
                else:
                    checkouts.add(place, revision, self.record, fresh=fresh)
            except CommodoreError as error:
                problem = error
                if isinstance(error, ProgramFailed) and _is_no_commit(place, revision):
                    problem = RevisionNotFound.named(version_of(place.spec), url=place.spec.url)
                yield _noted(problem, f"while checking out {place.spec}")
            else:
                done.append(place)
                group.seen[place] = Seen()
        yield from self._dependencies(group, done, refs)

    def _dependencies(
        self, group: Group, places: Sequence[Place], refs: Refs | None
    ) -> list[Dependency | CommodoreError]:
        """Return dependencies for the rest of the run, and note them for the next one."""
        remote = git_urls.normalise(group.url)
        dependencies: list[Dependency | CommodoreError] = []
        for place in places:
            checked_out = self.record.at(place.path, group.seen[place].commit)
            # Asked of the checkout: since the remote was listed, a branch may have moved.
            commit, short = checked_out[:2] if checked_out is not None else commit_at(place.path)
            self.record.note(place.path, CheckedOut(commit, short, remote))
            version = version_of(place.spec)
            if group.configuration is not None:
                # Commodore reports the default branch even where the API pins a revision.
                default = (refs or refs_of(group.clone, BRANCHES)).default_branch
                version = override_of(place.spec, self.config) or default or FALLBACK_BRANCH
            dependencies.append(Dependency(place.spec, remote, version, commit, short, place.path))
        return dependencies


def _with_branches(group: Group, revisions: Mapping[Place, Found]) -> list[tuple[Place, Found]]:
    """Assign branches to checkouts: of several for one branch, one has it.

    The others are first, as they must leave the branch before it is moved.
    """
    owners: dict[str, Place] = {}
    for place, revision in revisions.items():
        owner = owners.setdefault(revision.branch, place)
        if group.seen[place].branch == revision.branch != group.seen[owner].branch:
            owners[revision.branch] = place
    pairs = [
        (place, revision if owners[revision.branch] == place else Found(revision.commit))
        for place, revision in revisions.items()
    ]
    return sorted(pairs, key=lambda pair: bool(pair[1].branch))


def _is_no_commit(place: Place, revision: Found) -> bool:
    """Return whether a tag leads to a file or a directory."""
    try:
        return git(place.clone, "cat-file", "-t", revision.commit) in ("blob", "tree")
    except ProgramFailed:
        return False


def _noted(error: CommodoreError, note: str) -> CommodoreError:
    error.add_note(note)
    return error
