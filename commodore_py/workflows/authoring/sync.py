"""Propose updates from a template to many repositories, one after the other."""

from __future__ import annotations

import logging
import re
import time
from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING, Final

from commodore_py.adapters import yaml
from commodore_py.adapters.git.program import git, over_network
from commodore_py.adapters.git.refs import commit_of
from commodore_py.adapters.git.repository import remote_settings
from commodore_py.adapters.http.github import (
    GitHubUnusable,
    HostedRepository,
    Proposal,
    find_repository,
    propose,
)
from commodore_py.adapters.masking import without_secrets
from commodore_py.adapters.process import ProgramFailed
from commodore_py.adapters.reading import content_of
from commodore_py.adapters.yaml.error import YamlError
from commodore_py.dependencies.fetch import fetcher
from commodore_py.dependencies.protection.local_work import LocalWork
from commodore_py.dependencies.protection.run_lock import exclusive_run
from commodore_py.errors import CommodoreError
from commodore_py.model.dependency import DependencySpec, Fetch, Kind
from commodore_py.workflows.authoring.templates.kinds import TemplateOptions
from commodore_py.workflows.authoring.templates.merge import InConflict
from commodore_py.workflows.authoring.templates.record import NAME
from commodore_py.workflows.authoring.templates.repositories import (
    SUBJECT,
    message_of,
    prepare_update,
)
from commodore_py.workflows.authoring.templates.source import open_templates

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from github import Github

    from commodore_py.config import Config
    from commodore_py.model.catalog import DiffLine
    from commodore_py.workflows.authoring.templates.kinds import RepositoryKind
    from commodore_py.workflows.authoring.templates.source import Templates

log = logging.getLogger(__name__)


_REPOSITORY: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]*/[A-Za-z0-9._-]+")
_EXPECTED: Final = "expected a list of owner/repository"


class Result(Enum):
    """The result of a repository."""

    CREATED = "pull request created"
    UPDATED = "pull request updated"
    OFFERED = "pull request is up-to-date"
    WOULD = "pull request would be created or updated"
    CURRENT = "already up-to-date"
    SKIPPED = "skipped"
    FAILED = "failed"
    NOT_TRIED = "not tried"


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of `owner/repository`."""

    name: str
    result: Result
    about: str = ""
    """A URL, or why."""
    lines: tuple[DiffLine, ...] = ()
    notes: tuple[str, ...] = ()
    error: CommodoreError | None = None


def read_list(path: Path, pattern: re.Pattern[str] | None) -> tuple[str, ...]:
    """The repositories of a list that match, each once."""
    text = content_of(path)
    try:
        content = yaml.load(text, name=str(path))
    except YamlError as error:
        error.hint = _EXPECTED
        raise
    if not isinstance(content, list):
        raise CommodoreError(f"this is no list: {_EXPECTED}", where=f"{path}:1")
    wrong = [
        f"{path}:{yaml.line_at(text, (0, number))}: {entry}"
        for number, entry in enumerate(content)
        if not isinstance(entry, str) or not _REPOSITORY.fullmatch(entry)
    ]
    if wrong:
        raise CommodoreError(
            f"invalid entries in the list: {len(wrong)}; nothing was changed",
            where="\n".join(map(without_secrets, wrong)),
            hint=f"{_EXPECTED}, such as acme/component-one",
        )
    return tuple(dict.fromkeys(name for name in content if not pattern or pattern.search(name)))


@dataclass(frozen=True, slots=True)
class Sync:
    """Options of a sync."""

    config: Config
    kind: RepositoryKind
    github: Github
    branch: str
    labels: tuple[str, ...]
    version: str | None
    trust: bool
    dry_run: bool
    batch: int
    """Pull requests before a pause; no pauses if not positive."""
    pause: float

    def run(self, names: Sequence[str], begun: Callable[[str], None]) -> Iterator[Outcome]:
        """Propose updates to all repositories; reports each before and after.

        An interrupted run can be started again.
        """
        with open_templates(trust=self.trust) as templates:
            fetch = fetcher(self.config)
            since = 0
            for number, name in enumerate(names):
                begun(name)
                try:
                    outcome = self._update(name, templates, fetch)
                except GitHubUnusable as error:
                    yield _failed(name, error)
                    yield from (Outcome(other, Result.NOT_TRIED) for other in names[number + 1 :])
                    return
                except CommodoreError as error:
                    outcome = _failed(name, error)
                yield outcome
                since += outcome.result in (Result.CREATED, Result.UPDATED)
                if since == self.batch and since and number + 1 < len(names):
                    log.warning("pausing for %g seconds after %s pull requests", self.pause, since)
                    time.sleep(self.pause)
                    since = 0

    def _update(self, name: str, templates: Templates, fetch: Fetch) -> Outcome:
        """Update one repository, as far as possible without its owner."""
        repository = find_repository(self.github, name)
        if repository is None:
            return Outcome(name, Result.SKIPPED, "not found, or not accessible with this token")
        if repository.archived:
            return Outcome(name, Result.SKIPPED, "archived")
        # Do not hold the lock during pauses, which GitHub may ask for as well.
        with exclusive_run(self.config.paths):
            outcome, proposal = self._push_update(name, repository, templates, fetch)
        if proposal is None:
            return outcome
        url, done = propose(repository, proposal)
        results = {"created": Result.CREATED, "updated": Result.UPDATED}
        return replace(outcome, result=results.get(done, outcome.result), about=url)

    def _push_update(
        self, name: str, repository: HostedRepository, templates: Templates, fetch: Fetch
    ) -> tuple[Outcome, Proposal | None]:
        """Push the update of one repository, if any; returns what to propose, too."""
        kind = self.kind
        spec = DependencySpec(
            Kind(kind.name),
            name.rpartition("/")[2].replace(kind.prefix, "", 1),
            repository.clone_url,
            repository.branch,
        )
        (fetched,) = fetch([spec])
        folder = fetched.worktree
        if not (folder / NAME).is_file():
            return Outcome(name, Result.SKIPPED, f"it has no {NAME}"), None
        update = prepare_update(kind, folder, self.version, TemplateOptions(), templates)
        if not update.commit or update.only_version:
            return Outcome(name, Result.CURRENT, notes=update.notes), None
        if self.dry_run:
            return Outcome(name, Result.WOULD, "", update.lines, update.notes), None
        pushed = _push(folder, update.commit, self.branch)
        title = f"Update from {kind.name} template"
        body = message_of(update.record).partition("\n\n")[2].strip()
        result = Result.UPDATED if pushed else Result.OFFERED
        outcome = Outcome(name, result, "", update.lines, update.notes)
        return outcome, Proposal(self.branch, title, body, self.labels)


def _failed(name: str, error: CommodoreError) -> Outcome:
    if isinstance(error, LocalWork):
        # There is no --force here: one prompt cannot cover many repositories.
        error.hint = "push these changes or remove the folder, then start again"
    elif isinstance(error, InConflict):
        error.hint = (
            "make the template's changes in a clone and push them; or exclude the file with `skip`"
            " in .cruft.json"
        )
    error.add_note(f"while updating {name}")
    return Outcome(name, Result.FAILED, str(error).partition("\n")[0], error=error)


def _push(folder: Path, commit: str, branch: str) -> bool:
    """Push a commit as a branch, and return whether it was necessary.

    A branch with the same change stays as it is: each push starts CI. Commits of others are not
    overwritten.
    """
    ref = f"refs/heads/{branch}"
    remote = _remote_commit(folder, ref)
    if remote:
        commits = git(folder, "rev-list", "--no-merges", remote, "--not", commit).split()
        subjects = [git(folder, "log", "-1", "--format=%h %s", each) for each in commits]
        foreign = [line for line in subjects if line.partition(" ")[2] != SUBJECT]
        if foreign:
            raise CommodoreError(
                f"branch {branch} has commits of others: {'; '.join(foreign)}; nothing was pushed",
                where=str(folder),
                hint="merge its pull request, delete the branch, or use another one with"
                " --pr-branch",
            )
        if commits in ([], [remote]) and _change(folder, remote) == _change(folder, commit):
            return False
    how = ("--no-verify", "--no-follow-tags", f"--force-with-lease={ref}:{remote}")
    try:
        over_network(folder, "push", *how, "origin", f"{commit}:{ref}", merge_stderr=True)
    except ProgramFailed as error:
        settings = remote_settings(folder)
        url = settings.get("pushurl") or settings.get("url", "")
        raise CommodoreError(
            f"cannot push branch {branch}: {error.stderr.strip()}",
            where=without_secrets(url),
            hint="check your write access; git config url.BASE.insteadOf chooses another URL",
        ) from error
    return True


def _remote_commit(folder: Path, ref: str) -> str:
    """Fetch the commit of a remote branch; empty if the branch does not exist."""
    try:
        listing = over_network(folder, "ls-remote", "origin", ref)
        lines = (line.partition("\t") for line in listing.splitlines())
        commit = next((commit for commit, _, name in lines if name == ref), "")
        if commit and commit_of(folder, commit) is None:
            over_network(folder, "fetch", "--quiet", "--no-tags", "origin", ref)
    except ProgramFailed as error:
        raise CommodoreError(
            f"cannot query {ref}: {error.stderr.strip()}", where=str(folder)
        ) from error
    return commit


def _change(folder: Path, commit: str) -> tuple[str, str]:
    """The changes and the message of a commit."""
    raw = git(folder, "diff-tree", "-r", "--no-commit-id", "--no-renames", "--raw", commit)
    return raw, git(folder, "show", "--no-patch", "--format=%B", commit)
