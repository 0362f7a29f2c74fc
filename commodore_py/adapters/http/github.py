"""Pull requests on GitHub, by PyGithub: it follows pages, redirects and rate limits."""

from __future__ import annotations

import logging
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from commodore_py.adapters.masking import REDACTOR
from commodore_py.errors import CommodoreError

from .address import is_one_word, is_private

if TYPE_CHECKING:
    from collections.abc import Iterator

    from github import Github
    from github.GithubException import GithubException
    from github.Repository import Repository
    from urllib3 import BaseHTTPResponse

log = logging.getLogger(__name__)

PUBLIC = "https://api.github.com"

_ATTEMPTS = 5
_LONGEST_WAIT = 3660.0
"""Seconds; limits are reset every hour."""
_BETWEEN_WRITES = 1.0
_REPORTED_WAIT = 10
_DENIED = 401, 403, 404
_UNEXPECTED = "its form is not that of GitHub's API"


class GitHubError(CommodoreError):
    """A request that GitHub refused, or that did not reach it."""


class GitHubUnusable(GitHubError):
    """The token is refused, or a limit lasts too long: further requests fail, too."""


@dataclass(frozen=True, slots=True)
class HostedRepository:
    """A repository as GitHub describes it."""

    name: str
    """That of today: repositories are also found by their old names."""
    owner: str
    clone_url: str
    branch: str
    """The default branch."""
    archived: bool
    api: Repository
    """Reading its attributes may send requests."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A pull request to open, or to update."""

    branch: str
    title: str
    body: str
    labels: tuple[str, ...] = ()


def connect(url: str, token: str, *, timeout: float, pause: float) -> Github:
    """A client; `pause` is how long a limit lasts if GitHub does not say it, in seconds."""
    import github  # slow to import
    from urllib3.exceptions import InvalidHeader

    REDACTOR.learn(token)  # servers may repeat it in messages
    if not is_private(url):
        raise CommodoreError(
            "the token for GitHub would be sent in clear",
            where=url,
            hint="give the API's URL with https",
        )
    if not is_one_word(token):
        raise GitHubUnusable(
            "the token for GitHub contains a space, a line break or other characters of no token",
            hint="check --github-token or COMMODORE_GITHUB_TOKEN",
        )
    github.set_log_level(logging.WARNING)  # its own handler writes to stderr beside ours

    class AnnouncedRetry(github.GithubRetry):
        """Waits that are reported, as they may take an hour."""

        def sleep(self, response: BaseHTTPResponse | None = None) -> None:
            try:
                retry_after = self.get_retry_after(response) if response is not None else None
            except (InvalidHeader, ValueError, OverflowError) as error:
                raise GitHubError(
                    "GitHub asks for a pause, but not for how long: Retry-After is neither seconds"
                    " nor a date",
                    hint="start again later: completed work is not repeated",
                ) from error
            seconds = retry_after or self.get_backoff_time()
            if seconds > _LONGEST_WAIT:
                raise GitHubUnusable(
                    "GitHub asks for a pause of more than an hour",
                    hint="start again later: completed work is not repeated",
                )
            if seconds >= _REPORTED_WAIT:
                log.warning("waiting %d seconds: GitHub limits the rate of requests", seconds)
            super().sleep(response)

    return github.Github(
        auth=github.Auth.Token(token),
        base_url=url.rstrip("/"),
        timeout=max(1, round(timeout)),
        retry=AnnouncedRetry(
            total=_ATTEMPTS,
            connect=2,
            backoff_factor=0.5,
            status_forcelist=[429, *range(500, 600)],
            secondary_rate_wait=pause,
            max_rate_limit_wait=_LONGEST_WAIT,
        ),
        seconds_between_requests=None,
        seconds_between_writes=min(pause, _BETWEEN_WRITES),
    )


def find_repository(api: Github, name: str) -> HostedRepository | None:
    """The repository `owner/name`, if it exists and the token may read it."""
    import github

    with _errors(name):
        try:
            answer = api.get_repo(name)
        except github.UnknownObjectException:
            return None
        repository = HostedRepository(
            name=answer.full_name,
            owner=answer.owner.login,
            clone_url=answer.clone_url,
            branch=answer.default_branch,
            archived=bool(answer.archived),
            api=answer,
        )
        # PyGithub has None for what an answer lacks.
        for field in ("name", "owner", "clone_url", "branch"):
            if not getattr(repository, field):
                raise TypeError(field)
        return repository


def propose(repository: HostedRepository, proposal: Proposal) -> tuple[str, str]:
    """Open a pull request, or update the open one; returns its URL and what was done."""
    with _errors(repository.name):
        head = f"{repository.owner}:{proposal.branch}"
        done = ""
        for request in repository.api.get_pulls(state="open", head=head):
            # Old servers ignore `head`, and a fork of the same owner has another branch.
            source: Repository | None = request.head.repo  # none if the fork was deleted
            in_place = source is not None and source.full_name == repository.name
            if in_place and request.head.ref == proposal.branch:
                break
        else:
            request = repository.api.create_pull(
                title=proposal.title,
                body=proposal.body,
                head=proposal.branch,
                base=repository.branch,
            )
            done = "created"
        if (request.body or "").replace("\r\n", "\n").strip() != proposal.body.strip():
            request.edit(body=proposal.body)
            done = "updated"
        # GitHub ignores the case of labels.
        labels = {label.name.lower() for label in request.labels}
        missing = [label for label in proposal.labels if label.lower() not in labels]
        if missing:
            request.add_to_labels(*missing)
        return request.html_url or "", done or ("updated" if missing else "")


@contextmanager
def _errors(name: str) -> Iterator[None]:
    import github
    from requests import RequestException

    try:
        yield
    except GitHubError as error:
        error.where = error.where or name
        raise
    except github.IncompletableObject as error:
        raise _unusable(_UNEXPECTED, name) from error
    except github.GithubException as error:
        raise _translated(error, name) from error
    # PyGithub asserts that answers point to its own server.
    except (RequestException, AssertionError, RuntimeError) as error:
        cause = getattr(error.args[0], "reason", error) if error.args else error
        raise _unusable(str(cause).rpartition(": ")[2] or _UNEXPECTED, name) from error
    # It takes most of an answer's content for granted.
    except (
        github.BadAttributeException,
        AttributeError,
        LookupError,
        OverflowError,
        TypeError,
        ValueError,
    ) as error:
        raise _unusable(_UNEXPECTED, name) from error


def _unusable(reason: str, name: str) -> GitHubError:
    return GitHubError(
        f"no usable answer from GitHub: {reason}",
        where=name,
        hint="check the network and the setting github-url; then start again: completed work is"
        " not repeated",
    )


def _translated(error: GithubException, name: str) -> GitHubError:
    import github

    data = error.data if isinstance(error.data, dict) else {}
    reasons = [data.get("message") or error.message or str(error.data)]
    problems = data.get("errors")
    for problem in problems if isinstance(problems, list) else ():
        detail = problem.get("message") if isinstance(problem, dict) else problem
        reasons.append(str(detail or problem))
    reason = "; ".join(map(str, reasons))
    if isinstance(error, github.RateLimitExceededException):
        return GitHubUnusable(
            f"GitHub's rate limit is exceeded: {reason}",
            where=name,
            hint="start again later: completed work is not repeated; a higher --github-pause and a"
            " lower --pr-batch-size stay below the limit",
        )
    if isinstance(error, github.BadCredentialsException):
        return GitHubUnusable(
            f"GitHub refuses the token: {reason}",
            where=name,
            hint="check --github-token or COMMODORE_GITHUB_TOKEN: it may have expired",
        )
    hint = ""
    if error.status in _DENIED:
        hint = (
            "the token needs public_repo, or repo for private repositories; a fine-grained one"
            " needs to write pull requests, and single sign-on may have to be approved"
        )
    return GitHubError(f"GitHub refuses the request: {reason}", where=name, hint=hint)
