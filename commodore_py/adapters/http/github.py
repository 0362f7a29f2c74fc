"""GitHub's REST API, as far as offering changes goes; its limits are waited for."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

from commodore_py.adapters import ending
from commodore_py.errors import CommodoreError

from . import PAUSES, HttpError, NotFound, ServerAway, ask_json, is_private, same_server
from .exchange import persistently
from .github_refusals import GitHubError, NothingMoreToAsk, github_error, limit_of, message_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

log = logging.getLogger(__name__)

PUBLIC = "https://api.github.com"

_ACCEPT = {"Accept": "application/vnd.github+json", "X-GitHub-Api-Version": "2022-11-28"}
_MOST_WAITS = 5
_PER_PAGE = 100
_MINUTE = 60


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository as GitHub knows it; it may have got another name meanwhile."""

    full_name: str
    clone_url: str
    default_branch: str
    archived: bool

    @property
    def owner(self) -> str:
        """The user or group."""
        return self.full_name.partition("/")[0]


@dataclass(frozen=True, slots=True)
class PullRequest:
    """An open pull request."""

    number: int
    url: str
    body: str
    labels: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a pull request is to be."""

    branch: str
    title: str
    body: str
    labels: tuple[str, ...] = ()


@dataclass(slots=True)
class GitHub:
    """A server and the credentials for it."""

    url: str
    token: str = field(repr=False)
    timeout: float
    pause: float = _MINUTE
    """Seconds to wait if GitHub reports a rate limit without its duration."""
    longest: float = 61 * _MINUTE
    """Seconds; limits are reset every hour."""
    between_writes: float = 1
    """Seconds that GitHub requires between two changes."""
    written: float = field(default=0, init=False, repr=False)

    def __post_init__(self) -> None:
        if not is_private(self.url):
            raise CommodoreError(
                "the token for GitHub would be sent in clear",
                where=self.url,
                hint="give the API's URL with https",
            )

    def repository(self, name: str) -> Repository | None:
        """What is known of `owner/repository`, if it is there and may be seen."""
        try:
            found, _ = self._ask("GET", f"/repos/{quote(name)}")
        except NotFound:
            return None
        return Repository(
            _text(found, "full_name"),
            _text(found, "clone_url"),
            _text(found, "default_branch"),
            bool(found.get("archived")),
        )

    def open_pull_request(self, repository: Repository, branch: str) -> PullRequest | None:
        """The open pull request from a branch of the repository itself, if there is one."""
        query = {"state": "open", "head": f"{repository.owner}:{branch}", "per_page": _PER_PAGE}
        path = f"/repos/{quote(repository.full_name)}/pulls?{urlencode(query)}"
        # Older servers ignore `head`; and a fork of the same owner is not our branch.
        for one in self._pages(path):
            head = _inner(one, "head")
            own = _inner(head, "repo").get("full_name") == repository.full_name
            if own and head.get("ref") == branch:
                return _pull_request(one)
        return None

    def offer(self, repository: Repository, wanted: Wanted) -> tuple[PullRequest, str]:
        """Open a pull request or update the open one; returns what was done."""
        there = self.open_pull_request(repository, wanted.branch)
        done = ""
        if there is None:
            there, done = self._create(repository, wanted), "created"
        elif there.body.replace("\r\n", "\n").strip() != wanted.body.strip():
            path = f"/repos/{quote(repository.full_name)}/pulls/{there.number}"
            self._write("PATCH", path, {"body": wanted.body})
            done = "updated"
        # Labels mean the same in capitals.
        has = {label.lower() for label in there.labels}
        missing = [label for label in wanted.labels if label.lower() not in has]
        if missing:
            path = f"/repos/{quote(repository.full_name)}/issues/{there.number}/labels"
            self._write("POST", path, {"labels": missing})
        return there, done or ("updated" if missing else "")

    def _create(self, repository: Repository, wanted: Wanted) -> PullRequest:
        path = f"/repos/{quote(repository.full_name)}/pulls"
        content = {
            "title": wanted.title,
            "head": wanted.branch,
            "base": repository.default_branch,
            "body": wanted.body,
        }
        return _pull_request(self._write("POST", path, content))

    def _write(self, method: str, path: str, content: object) -> Any:  # noqa: ANN401 - parsed by callers
        # https://docs.github.com/rest/using-the-rest-api/best-practices-for-using-the-rest-api
        time.sleep(max(0.0, self.written + self.between_writes - time.monotonic()))
        try:
            answer, _ = self._ask(method, path, content)
        except NotFound as error:
            raise GitHubError(
                f"GitHub does not let this token change pull requests: {error}",
                where=error.where,
                hint="a token needs public_repo, or repo for private repositories;"
                " a fine-grained one needs to write pull requests",
            ) from error
        finally:
            self.written = time.monotonic()
        return answer

    def _pages(self, path: str) -> Iterator[Mapping[str, Any]]:
        # https://docs.github.com/rest/using-the-rest-api/using-pagination-in-the-rest-api
        url = path
        while url:
            found, headers = self._ask("GET", url)
            if not isinstance(found, list):
                raise GitHubError("GitHub gave no list where it should", where=url)
            yield from found
            url = _next(headers.get("Link", ""))
            if url and not same_server(self.url, url):
                raise GitHubError(f"GitHub's next page is on another server: {url}")

    def _ask(self, method: str, path: str, content: object = None) -> tuple[Any, Mapping[str, str]]:
        url = path if "://" in path else self.url.rstrip("/") + path
        for waited in range(_MOST_WAITS + 1):
            try:
                return self._exchange(method, url, content)
            except NotFound:
                raise
            except HttpError as error:
                pause = self._pause_for(error, waited)
                if pause is None:
                    raise github_error(error, method) from error
            if waited < _MOST_WAITS:
                ending.pause(pause)
        raise NothingMoreToAsk(
            f"GitHub limits how often it may be asked, also after {_MOST_WAITS} pauses",
            where=url,
            hint="start again later: what is done stays done; a higher --github-pause and a lower"
            " --pr-batch-size keep below the limit",
        )

    def _exchange(self, method: str, url: str, content: object) -> tuple[Any, Mapping[str, str]]:
        pauses = PAUSES if method == "GET" else ()
        return persistently(
            lambda: ask_json(
                method, url, content, accept=_ACCEPT, token=self.token, timeout=self.timeout
            ),
            url,
            pauses,
            kinds=(ServerAway,),
        )

    def _pause_for(self, error: HttpError, waited: int) -> float | None:
        """How long to wait before the same question, if it was one too many."""
        pause = limit_of(error, otherwise=self.pause * 2**waited)
        if pause is None or waited == _MOST_WAITS:
            return pause
        until = datetime.fromtimestamp(time.time() + pause, UTC).strftime("%H:%M UTC")
        if pause > self.longest:
            raise NothingMoreToAsk(
                f"GitHub limits how often it may be asked, until {until}: {message_of(error)}",
                where=error.where,
                hint="start again then: what is done stays done",
            ) from error
        log.warning("GitHub limits how often it may be asked; going on at %s", until)
        return pause


def _next(links: str) -> str:
    from requests.utils import parse_header_links  # slow to import

    found = parse_header_links(links) if links else []
    return next((str(one["url"]) for one in found if one.get("rel") == "next"), "")


def _pull_request(found: Mapping[str, Any]) -> PullRequest:
    number = found.get("number")
    if not isinstance(number, int):
        raise GitHubError("GitHub's answer has no number of a pull request")
    labels = found.get("labels")
    return PullRequest(
        number,
        _text(found, "html_url"),
        str(found.get("body") or ""),
        frozenset(str(one.get("name")) for one in labels or () if isinstance(one, dict)),
    )


def _inner(found: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = found.get(key)
    return value if isinstance(value, dict) else {}


def _text(found: object, key: str) -> str:
    value = found.get(key) if isinstance(found, dict) else None
    if not isinstance(value, str):
        raise GitHubError(
            f"GitHub's answer has no {key}",
            hint="check that the setting github-url is the URL of the API",
        )
    return value
