"""Propose updates from a template to many repositories, one after the other."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from commodore_py.adapters.http.github import (
    GitHubUnusable,
    Proposal,
    find_repository,
    propose,
)
from commodore_py.dependencies.fetch import fetcher
from commodore_py.dependencies.protection.local_work import LocalWork
from commodore_py.dependencies.protection.run_lock import exclusive_run
from commodore_py.errors import CommodoreError
from commodore_py.model.dependency import DependencySpec, Fetch, Kind
from commodore_py.workflows.authoring.templates.merge import InConflict
from commodore_py.workflows.authoring.templates.record import NAME
from commodore_py.workflows.authoring.templates.source import open_templates
from commodore_py.workflows.authoring.templates.update import (
    UpdateRequest,
    message_of,
    prepare_update,
)

from .branch import push

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from github import Github
    from github.Repository import Repository

    from commodore_py.config import Config
    from commodore_py.model.catalog import DiffLine
    from commodore_py.workflows.authoring.templates.kinds import RepositoryKind
    from commodore_py.workflows.authoring.templates.source import Templates
    from commodore_py.workflows.authoring.templates.update import Update

    from .list import Entry

log = logging.getLogger(__name__)


class Result(Enum):
    """The result of a repository."""

    CREATED = "pull request created"
    UPDATED = "pull request updated"
    OFFERED = "pull request is up-to-date"
    PUSHED = "branch pushed, no pull request opened"
    ON_BRANCH = "branch is up-to-date, no pull request opened"
    WOULD = "pull request would be created or updated"
    CURRENT = "already up-to-date"
    SKIPPED = "skipped"
    FAILED = "failed"
    NOT_TRIED = "not tried"


@dataclass(frozen=True, slots=True)
class Outcome:
    """A repository and its result."""

    entry: Entry
    result: Result
    about: str = ""
    """A URL, or why."""
    lines: tuple[DiffLine, ...] = ()
    notes: tuple[str, ...] = ()
    error: CommodoreError | None = None


@dataclass(frozen=True, slots=True)
class SyncRequest:
    """What to propose, and how."""

    kind: RepositoryKind
    github: Github | None
    branch: str
    labels: tuple[str, ...] = ()
    version: str | None = None
    trust: bool = False
    dry_run: bool = False
    batch: int = 0
    """Pull requests before a pause; no pauses if not positive."""
    pause: float = 0


def sync(
    config: Config,
    wanted: SyncRequest,
    entries: tuple[Entry, ...],
    begun: Callable[[Entry], None],
) -> Iterator[Outcome]:
    """Propose updates to all repositories; reports each before and after.

    An interrupted run can be started again.
    """
    with open_templates(trust=wanted.trust) as templates:
        run = _Run(config, wanted, templates, fetcher(config))
        since = 0
        for number, entry in enumerate(entries):
            begun(entry)
            try:
                outcome = run.one(entry)
            except GitHubUnusable as error:
                yield _failed(entry, error)
                yield from (Outcome(other, Result.NOT_TRIED) for other in entries[number + 1 :])
                return
            except CommodoreError as error:
                outcome = _failed(entry, error)
            yield outcome
            since += outcome.result in (Result.CREATED, Result.UPDATED)
            if since == wanted.batch and since and number + 1 < len(entries):
                log.warning("pausing for %g seconds after %s pull requests", wanted.pause, since)
                time.sleep(wanted.pause)
                since = 0


@dataclass(frozen=True, slots=True)
class _Run:
    config: Config
    wanted: SyncRequest
    templates: Templates
    fetch: Fetch

    def one(self, entry: Entry) -> Outcome:
        """Update one repository, as far as possible without its owner."""
        repository = None
        if entry.github and self.wanted.github is not None:
            repository = find_repository(self.wanted.github, entry.github)
            if repository is None:
                return Outcome(
                    entry, Result.SKIPPED, "not found, or not accessible with this token"
                )
            if repository.archived:
                return Outcome(entry, Result.SKIPPED, "archived")
        # Do not hold the lock during pauses.
        with exclusive_run(self.config.paths):
            return self._update(entry, repository)

    def _update(self, entry: Entry, repository: Repository | None) -> Outcome:
        wanted = self.wanted
        (fetched,) = self.fetch([self._spec(entry, repository)])
        folder = fetched.worktree
        if not (folder / NAME).is_file():
            return Outcome(entry, Result.SKIPPED, f"it has no {NAME}")
        update = prepare_update(UpdateRequest(wanted.kind, folder, wanted.version), self.templates)
        if not update.commit or update.only_version:
            return Outcome(entry, Result.CURRENT, notes=update.notes)
        result, about = Result.WOULD, ""
        if not wanted.dry_run:
            result, about = self._offer(update, repository)
        return Outcome(entry, result, about, update.lines, update.notes)

    def _offer(self, update: Update, repository: Repository | None) -> tuple[Result, str]:
        wanted = self.wanted
        pushed = push(update.folder, update.commit, wanted.branch)
        if repository is None:
            where = pushed.url or pushed.output or f"branch {wanted.branch}"
            return (Result.PUSHED if pushed.updated else Result.ON_BRANCH), where
        title = f"Update from {wanted.kind.name} template"
        body = message_of(update.record).partition("\n\n")[2].strip()
        url, done = propose(repository, Proposal(wanted.branch, title, body, wanted.labels))
        if done == "created":
            return Result.CREATED, url
        return (Result.UPDATED if done or pushed.updated else Result.OFFERED), url

    def _spec(self, entry: Entry, repository: Repository | None) -> DependencySpec:
        kind, name = Kind(self.wanted.kind.name), entry.dependency(self.wanted.kind.prefix)
        if repository is None:
            return DependencySpec(kind, name, entry.url, None)
        return DependencySpec(kind, name, repository.clone_url, repository.default_branch)


def _failed(entry: Entry, error: CommodoreError) -> Outcome:
    if isinstance(error, LocalWork):
        # There is no --force here: one prompt cannot cover many repositories.
        error.hint = "push these changes or remove the folder, then start again"
    elif isinstance(error, InConflict):
        error.hint = (
            "make the template's changes in a clone and push them; or exclude the file with `skip`"
            " in .cruft.json"
        )
    error.add_note(f"while updating {entry}")
    return Outcome(entry, Result.FAILED, str(error).partition("\n")[0], error=error)
