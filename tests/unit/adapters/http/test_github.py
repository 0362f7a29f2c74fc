"""Requests to GitHub, and how its responses, refusals and limits are treated.

The stand-in follows GitHub's own pages, which it names; the peer's library for GitHub talks to the
same stand-in in `tests/e2e/test_sync_like_peer.py`.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from commodore_py.adapters.http import HttpError
from commodore_py.adapters.http.github import GitHub, PullRequest, Repository, Wanted
from commodore_py.adapters.http.github_refusals import GitHubError, NothingMoreToAsk, limit_of
from commodore_py.errors import CommodoreError
from tests.support.builders import commit_to, git, make_repository
from tests.support.servers.github import TOKEN, GitHubServer, Hosted, Refusal, serve

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NAME = "acme/component-one"
WANTED = Wanted("template-sync", "Update", "Template version: main (abc1234)", ("sync", "bot"))
SECONDARY = "You have exceeded a secondary rate limit. Please wait a few minutes."


@pytest.fixture(params=["", "/api/v3"])
def server(request: pytest.FixtureRequest) -> Iterator[GitHubServer]:
    with serve(prefix=request.param) as server:
        yield server


@pytest.fixture
def hosted(server: GitHubServer, tmp_path: Path) -> Hosted:
    """A repository with a branch that is ready to be offered."""
    place = make_repository(tmp_path / "one.git", {"file": "1\n"}, branch="main")
    git(place, "branch", "template-sync")
    commit_to(place, {"file": "2\n"}, branch="template-sync")
    return server.host(NAME, place)


def client(server: GitHubServer, token: str = TOKEN, pause: float = 0) -> GitHub:
    return GitHub(server.url, token, 5, pause=pause, between_writes=0)


def known(hosted: Hosted, name: str = NAME) -> Repository:
    return Repository(name, hosted.clone_url, "main", archived=False)


def test_what_is_known_of_a_repository(server: GitHubServer, hosted: Hosted) -> None:
    assert client(server).repository(NAME) == known(hosted)

    hosted.archived = True
    server.moved["acme/old"] = NAME
    found = client(server).repository("acme/old")

    assert found is not None
    assert (found.full_name, found.archived) == (NAME, True)
    assert client(server).repository("acme/nothing") is None
    assert {one.headers["Authorization"] for one in server.received} == {f"Bearer {TOKEN}"}
    assert {one.headers["X-GitHub-Api-Version"] for one in server.received} == {"2022-11-28"}


def test_a_pull_request_is_opened_once(server: GitHubServer, hosted: Hosted) -> None:
    github = client(server)

    request, done = github.offer(known(hosted), WANTED)

    assert done == "created"
    assert request == PullRequest(1, f"https://github.com/{NAME}/pull/1", WANTED.body)
    assert (hosted.pulls[0].title, hosted.pulls[0].base) == ("Update", "main")
    assert hosted.pulls[0].labels == ["sync", "bot"]
    assert server.writes() == [
        f"POST /repos/{NAME}/pulls",
        f"POST /repos/{NAME}/issues/1/labels",
    ]

    _, again = github.offer(known(hosted), WANTED)

    assert again == ""
    assert server.requests_received() == [f"GET /repos/{NAME}/pulls"]


def test_what_differs_of_an_open_one_is_updated(server: GitHubServer, hosted: Hosted) -> None:
    hosted.pull("template-sync", body="old", labels=["Sync", "theirs"])

    _, done = client(server).offer(known(hosted), WANTED)

    assert done == "updated"
    assert hosted.pulls[0].body == WANTED.body
    assert hosted.pulls[0].title == "Mine"
    assert hosted.pulls[0].labels == ["Sync", "theirs", "bot"]


def test_closed_ones_and_those_of_forks_and_other_branches_are_others(
    server: GitHubServer, hosted: Hosted
) -> None:
    hosted.pull("template-sync", state="closed")
    hosted.pull("template-sync", head_repository="else/component-one")
    hosted.pull("template-sync", head_repository="acme/fork-of-one")
    hosted.pull("template-sync-2")
    hosted.pulls[2].state = "closed"

    assert client(server).open_pull_request(known(hosted), "template-sync") is None
    mine = hosted.pull("template-sync")
    found = client(server).open_pull_request(known(hosted), "template-sync")

    assert found is not None
    assert found.number == mine.number


def test_a_list_is_read_to_its_end(server: GitHubServer, hosted: Hosted) -> None:
    server.most_per_page = 2
    mine = hosted.pull("template-sync")
    for _ in range(6):  # newer ones of the same name, of a fork of the same owner
        hosted.pull("template-sync", head_repository="acme/fork-of-one")

    found = client(server).open_pull_request(known(hosted), "template-sync")

    assert found is not None
    assert found.number == mine.number
    assert len(server.requests_received()) == 4


def test_the_token_stays_at_its_server(server: GitHubServer, hosted: Hosted) -> None:
    with serve() as other:
        server.refusals.append(Refusal(301, "", {"Location": f"{other.url}/repos/{NAME}"}))
        with pytest.raises(NothingMoreToAsk, match="Bad credentials"):
            client(server).repository(NAME)
        assert [one.headers.get("Authorization") for one in other.received] == [None]

        server.most_per_page, server.next_at = 1, other.url
        for _ in range(2):
            hosted.pull("template-sync", head_repository="acme/fork-of-one")
        with pytest.raises(GitHubError, match="on another server"):
            client(server).open_pull_request(known(hosted), "template-sync")
        assert len(other.received) == 1

    with pytest.raises(CommodoreError, match="in clear"):
        GitHub("http://github.example.com/api/v3", TOKEN, 5)


def test_a_refused_token_ends_all(server: GitHubServer, hosted: Hosted) -> None:
    with pytest.raises(NothingMoreToAsk, match="refuses the token: Bad credentials") as caught:
        client(server, "ghp_wrong").offer(known(hosted), WANTED)

    assert "COMMODORE_GITHUB_TOKEN" in caught.value.hint
    assert "ghp_wrong" not in f"{caught.value}{caught.value.hint}{client(server, 'ghp_wrong')!r}"


def test_a_token_that_may_only_look(server: GitHubServer, hosted: Hosted) -> None:
    hosted.writable = False

    with pytest.raises(GitHubError, match="does not let this token") as caught:
        client(server).offer(known(hosted), WANTED)

    assert "public_repo" in caught.value.hint
    server.refusals.append(Refusal(403, "Resource not accessible by personal access token"))
    with pytest.raises(GitHubError, match="Resource not accessible"):
        client(server).repository(NAME)


def test_what_is_not_accepted_is_reported(server: GitHubServer, hosted: Hosted) -> None:
    wanted = Wanted("nowhere", "Update", "text")

    with pytest.raises(GitHubError, match="Validation Failed; head is invalid"):
        client(server).offer(known(hosted), wanted)


@pytest.mark.parametrize(
    "strict",
    [
        Refusal(403, "API rate limit exceeded", {"Retry-After": "0"}),
        Refusal(429, "Too many", {"Retry-After": "0"}),
        Refusal(403, SECONDARY),
        Refusal(403, "You have triggered an abuse detection mechanism."),
        Refusal(429, "Slow down"),
        Refusal(403, "Used up", {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1"}),
    ],
)
def test_limits_are_waited_for(server: GitHubServer, hosted: Hosted, strict: Refusal) -> None:
    server.refusals += [strict, strict]

    assert client(server).repository(NAME) == known(hosted)

    server.refuse_writes += [strict]
    _, done = client(server).offer(known(hosted), WANTED)
    assert done == "created"
    assert len(hosted.pulls) == 1


def test_the_requested_time_is_waited(server: GitHubServer, hosted: Hosted) -> None:
    server.refusals.append(Refusal(403, SECONDARY, {"Retry-After": "1"}))
    began = time.monotonic()

    assert client(server).repository(NAME) == known(hosted)

    assert time.monotonic() - began >= 1


def test_a_limit_that_lasts_too_long_ends_all(server: GitHubServer, hosted: Hosted) -> None:
    server.refusals.append(Refusal(403, "API rate limit exceeded", {"Retry-After": "86400"}))

    with pytest.raises(NothingMoreToAsk, match=r"until .* UTC: API rate limit exceeded"):
        client(server).repository(NAME)
    server.refusals += [Refusal(403, SECONDARY)] * 6
    with pytest.raises(NothingMoreToAsk, match="after 5 pauses"):
        client(server).offer(known(hosted), WANTED)
    assert hosted.pulls == []


def test_pauses_are_by_the_clock_of_the_server() -> None:
    error = HttpError("refused")
    error.status = 403
    error.headers = {
        "X-RateLimit-Remaining": "0",
        "X-RateLimit-Reset": "1767323105",
        "Date": "Fri, 02 Jan 2026 03:04:05 GMT",
    }

    assert limit_of(error, otherwise=7) == 61
    error.headers = {}
    assert limit_of(error, otherwise=7) is None
    error.answer = {"message": SECONDARY}
    assert limit_of(error, otherwise=7) == 7


def test_a_server_that_is_away_for_a_moment(server: GitHubServer, hosted: Hosted) -> None:
    server.refusals.append(Refusal(502, "Bad gateway"))

    assert client(server).repository(NAME) == known(hosted)

    server.refuse_writes.append(Refusal(502, "Bad gateway"))
    with pytest.raises(GitHubError, match="Bad gateway"):  # it may have been done
        client(server).offer(known(hosted), WANTED)
