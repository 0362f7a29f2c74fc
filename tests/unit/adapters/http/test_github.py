"""Requests to GitHub, and how its responses, refusals and limits are treated.

The stand-in follows GitHub's own pages, which it names; Commodore talks to the same stand-in in
`tests/e2e/test_sync_like_commodore.py`.
"""

from __future__ import annotations

import json
import time
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from commodore_py.adapters.http.github import (
    GitHubError,
    GitHubUnusable,
    HostedRepository,
    Proposal,
    connect,
    find_repository,
    propose,
)
from commodore_py.errors import CommodoreError
from tests.support.builders import commit_to, git, make_repository
from tests.support.servers.github import TOKEN, GitHubServer, Hosted, Refusal, serve
from tests.support.tables import each

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NAME = "acme/component-one"
PROPOSAL = Proposal("template-sync", "Update", "Template version: main (abc1234)", ("sync", "bot"))
SECONDARY = "You have exceeded a secondary rate limit. Please wait a few minutes."


@pytest.fixture
def server() -> Iterator[GitHubServer]:
    # As GitHub Enterprise has it; `component update` and `sync` are tested without a prefix.
    with serve(prefix="/api/v3") as server:
        yield server


@pytest.fixture
def hosted(server: GitHubServer, tmp_path: Path) -> Hosted:
    """A repository with a branch that is ready to be proposed."""
    place = make_repository(tmp_path / "one.git", {"file": "1\n"}, branch="main")
    git(place, "branch", "template-sync")
    commit_to(place, {"file": "2\n"}, branch="template-sync")
    return server.host(NAME, place)


def find(server: GitHubServer, name: str = NAME, token: str = TOKEN) -> HostedRepository | None:
    return find_repository(connect(server.url, token, timeout=5, pause=0), name)


def existing(server: GitHubServer) -> HostedRepository:
    repository = find(server)
    assert repository is not None
    server.requests_received()
    return repository


def test_repositories_are_found_by_old_names(server: GitHubServer, hosted: Hosted) -> None:
    hosted.archived = True
    server.moved["acme/old"] = NAME

    repository = find(server, "acme/old")

    assert repository is not None
    assert (repository.name, repository.archived) == (NAME, True)
    assert (repository.clone_url, repository.branch) == (hosted.clone_url, "main")
    assert find(server, "acme/nothing") is None


def test_open_pull_request_is_updated(server: GitHubServer, hosted: Hosted) -> None:
    hosted.pull("template-sync", body="old", labels=["Sync", "theirs"])

    assert propose(existing(server), PROPOSAL)[1] == "updated"

    pull = hosted.pulls[0]
    assert (pull.body, pull.title) == (PROPOSAL.body, "Mine")
    assert pull.labels == ["Sync", "theirs", "bot"]


def test_pull_requests_of_others_are_not_ours(server: GitHubServer, hosted: Hosted) -> None:
    server.most_per_page = 2
    hosted.pull("template-sync", state="closed")
    for _ in range(4):
        hosted.pull("template-sync", head_repository="acme/fork-of-one")
    hosted.pulls[-1].branch = "template-sync-2"
    mine = hosted.pull("template-sync", body="old")
    for _ in range(3):  # on the pages before it
        hosted.pull("template-sync", head_repository="acme/fork-of-one")

    assert propose(existing(server), PROPOSAL)[1] == "updated"

    assert [pull for pull in hosted.pulls if pull.body == PROPOSAL.body] == [mine]


def test_token_is_sent_to_its_server_only(server: GitHubServer, hosted: Hosted) -> None:
    repository = existing(server)
    with serve() as other:
        server.refusals.append(Refusal(301, "", {"Location": f"{other.url}/repos/{NAME}"}))
        with suppress(GitHubError):  # another port counts as the same server
            find(server)
        server.most_per_page, server.next_at = 1, other.url
        for _ in range(2):
            hosted.pull("template-sync", head_repository="acme/fork-of-one")
        with pytest.raises(GitHubError):
            propose(repository, PROPOSAL)
        assert [one.headers.get("Authorization") for one in other.received] == []

    with pytest.raises(CommodoreError, match="in clear"):
        connect("http://github.example.com/api/v3", TOKEN, timeout=5, pause=0)


def test_refused_token_ends_all(server: GitHubServer, hosted: Hosted) -> None:
    with pytest.raises(GitHubUnusable, match="refuses the token: Bad credentials") as caught:
        find(server, hosted.full_name, "ghp_wrong")

    assert "COMMODORE_GITHUB_TOKEN" in caught.value.hint
    assert "ghp_wrong" not in f"{caught.value}{caught.value.hint}"


@each("token", ["ghp_secret\nx", " ghp_secret", "ghp_secret\u00e9"])
def test_invalid_token_is_not_shown(token: str) -> None:
    with pytest.raises(GitHubUnusable, match="characters of no token") as caught:
        connect("https://api.example.com", token, timeout=5, pause=0)

    assert "secret" not in f"{caught.value}{caught.value.hint}"


def test_unreachable_server_is_an_error() -> None:
    with pytest.raises(GitHubError, match=r"no usable answer from GitHub: .*refused"):
        find_repository(connect("http://127.0.0.1:9", TOKEN, timeout=1, pause=0), NAME)


def test_token_without_rights_is_reported(server: GitHubServer, hosted: Hosted) -> None:
    repository = existing(server)
    hosted.writable = False

    with pytest.raises(GitHubError, match="refuses the request: Not Found") as caught:
        propose(repository, PROPOSAL)

    assert "public_repo" in caught.value.hint
    server.refusals.append(Refusal(403, "Resource not accessible by personal access token"))
    with pytest.raises(GitHubError, match="Resource not accessible"):
        find(server)


def test_rejected_request_is_reported(server: GitHubServer, hosted: Hosted) -> None:
    assert hosted.pulls == []

    with pytest.raises(GitHubError, match="Validation Failed; head is invalid"):
        propose(existing(server), Proposal("nowhere", "Update", "text"))


@pytest.mark.parametrize(
    "refusal",
    [
        Refusal(403, "API rate limit exceeded", {"Retry-After": "1"}),
        Refusal(429, "Too many", {"Retry-After": "1"}),
        Refusal(403, SECONDARY),
        Refusal(502, "Bad gateway"),
    ],
)
def test_limits_and_outages_are_waited_for(
    server: GitHubServer, hosted: Hosted, refusal: Refusal
) -> None:
    began = time.monotonic()
    server.refusals.append(refusal)
    repository = existing(server)
    server.refuse_writes.append(refusal)

    assert propose(repository, PROPOSAL)[1] == "created"

    assert len(hosted.pulls) == 1
    assert "Retry-After" not in refusal.headers or time.monotonic() - began >= 2


UNUSABLE, UNKNOWN = "a pause of more than an hour", "Retry-After is neither seconds nor a date"
DAY_AHEAD = {"X-RateLimit-Reset": str(int(time.time()) + 86400)}


@each(
    ("refusal", "message"),
    [
        (Refusal(403, "API rate limit exceeded for user", DAY_AHEAD), "rate limit is exceeded"),
        *((Refusal(code, "Wait", {"Retry-After": "9" * 9}), UNUSABLE) for code in (403, 429, 503)),
        *(
            (Refusal(403, "Wait", {"Retry-After": pause}), UNKNOWN)
            for pause in ("soon", "9" * 5000, "Fri, 99 Nov 99999 99:99:99 GMT")
        ),
    ],
)
def test_long_or_unknown_pause_is_an_error(
    server: GitHubServer, hosted: Hosted, refusal: Refusal, message: str
) -> None:
    server.refusals.append(refusal)

    with pytest.raises(GitHubError, match=message) as caught:
        find(server, hosted.full_name)

    assert caught.value.where == NAME
    assert isinstance(caught.value, GitHubUnusable) == (message != UNKNOWN)


REPOSITORY, PULLS = f"GET /repos/{NAME}", f"GET /repos/{NAME}/pulls"
NO_ANSWER, NO_FORM = r"no usable answer from GitHub: .", "its form is not that of GitHub's API"
FIELDS = {
    "url": f"SERVER/repos/{NAME}",
    "full_name": NAME,
    "owner": {"login": "acme"},
    "clone_url": "https://github.com/acme/component-one.git",
    "default_branch": "main",
}


@each(
    ("asked", "answer", "message"),
    [
        (REPOSITORY, (200, b"<html>Sign in</html>"), NO_ANSWER),
        (REPOSITORY, (200, b"null"), NO_ANSWER),
        (REPOSITORY, (200, b"[]"), NO_ANSWER),
        (REPOSITORY, (200, b""), NO_ANSWER),
        (REPOSITORY, (204, b""), NO_ANSWER),
        (REPOSITORY, (200, b"9" * 10_000), NO_ANSWER),
        (REPOSITORY, (200, b"{"), NO_ANSWER),
        (REPOSITORY, (200, b"\xff"), NO_ANSWER),
        (REPOSITORY, (200, b"[" * 100_000), NO_ANSWER),
        (REPOSITORY, (422, b"[1]"), NO_ANSWER),
        *(
            (REPOSITORY, (200, json.dumps({**FIELDS, name: value}).encode()), NO_FORM)
            for name, value in (
                ("archived", "yes"),
                ("clone_url", 5),
                ("clone_url", None),
                ("owner", None),
                ("owner", {}),
                ("default_branch", []),
                ("full_name", ""),
            )
        ),
        *(
            (PULLS, (200, body), NO_ANSWER)
            for body in (b"{}", b"5", b"[5]", b'[{"head": null}]', b'[{"head": 5}]')
        ),
        *(
            (
                REPOSITORY,
                (422, f'{{"message": "Validation Failed", "errors": {errors}}}'.encode()),
                "refuses the request: Validation Failed",
            )
            for errors in ("5", '"text"', "null", "{}", "[5]")
        ),
    ],
)
def test_unusable_answer_is_an_error(
    server: GitHubServer, hosted: Hosted, asked: str, answer: tuple[int, bytes], message: str
) -> None:
    server.odd = {REPOSITORY: (200, json.dumps(FIELDS).replace("SERVER", server.url).encode())}
    repository = existing(server)
    server.odd[asked] = answer[0], answer[1].replace(b"SERVER", server.url.encode())

    with pytest.raises(GitHubError, match=message) as caught:
        propose(find(server) or repository, PROPOSAL)

    assert not isinstance(caught.value, GitHubUnusable)
    assert hosted.pulls == []
