"""Requests to GitHub, and how its responses, refusals and limits are treated.

The stand-in follows GitHub's own pages, which it names; Commodore talks to the same stand-in in
`tests/e2e/test_sync_like_peer.py`.
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


def test_pull_request_is_opened_once(server: GitHubServer, hosted: Hosted) -> None:
    repository = existing(server)

    assert propose(repository, PROPOSAL) == (f"https://github.com/{NAME}/pull/1", "created")

    pull = hosted.pulls[0]
    assert (pull.title, pull.base, pull.body) == ("Update", "main", PROPOSAL.body)
    assert pull.labels == ["sync", "bot"]
    assert server.writes() == [f"POST /repos/{NAME}/pulls", f"POST /repos/{NAME}/issues/1/labels"]
    assert propose(repository, PROPOSAL)[1] == ""
    assert server.requests_received() == [f"GET /repos/{NAME}/pulls"]


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


def test_long_rate_limit_ends_run(server: GitHubServer, hosted: Hosted) -> None:
    reset = {"X-RateLimit-Reset": str(int(time.time()) + 86400)}
    server.refusals.append(Refusal(403, "API rate limit exceeded for user", reset))

    with pytest.raises(GitHubUnusable, match="rate limit is exceeded"):
        find(server, hosted.full_name)


@each("status", [403, 429, 503])
def test_long_pause_ends_run(server: GitHubServer, hosted: Hosted, status: int) -> None:
    server.refusals.append(Refusal(status, "Wait", {"Retry-After": "999999999"}))

    with pytest.raises(GitHubUnusable, match="a pause of more than an hour") as caught:
        find(server, hosted.full_name)

    assert caught.value.where == NAME


@each("pause", ["soon", "9" * 5000, "Fri, 99 Nov 99999 99:99:99 GMT"])
def test_pause_of_unknown_length_is_an_error(
    server: GitHubServer, hosted: Hosted, pause: str
) -> None:
    server.refusals.append(Refusal(403, "Wait", {"Retry-After": pause}))

    with pytest.raises(GitHubError, match="Retry-After is neither seconds nor a date") as caught:
        find(server, hosted.full_name)

    assert caught.value.where == NAME


ODD_ANSWERS = [
    (200, b"<html>Sign in</html>"),
    (200, b"null"),
    (200, b"[]"),
    (200, b""),
    (204, b""),
    (200, b"9" * 10_000),
    (200, b"{"),
    (200, b"\xff"),
    (200, b"[" * 100_000),
    (422, b"[1]"),
]


@each(("status", "body"), ODD_ANSWERS)
def test_invalid_repository_response_is_error(
    server: GitHubServer, hosted: Hosted, status: int, body: bytes
) -> None:
    server.odd[f"GET /repos/{NAME}"] = status, body

    with pytest.raises(GitHubError, match=r"no usable answer from GitHub: .") as caught:
        find(server, hosted.full_name)

    assert not isinstance(caught.value, GitHubUnusable)


@each(
    "change",
    [
        {"archived": "yes"},
        {"clone_url": 5},
        {"clone_url": None},
        {"owner": None},
        {"owner": {}},
        {"default_branch": []},
        {"full_name": ""},
    ],
)
def test_invalid_repository_field_is_error(
    server: GitHubServer, hosted: Hosted, change: dict[str, object]
) -> None:
    content = {
        "url": f"{server.url}/repos/{NAME}",
        "full_name": NAME,
        "owner": {"login": "acme"},
        "clone_url": hosted.clone_url,
        "default_branch": "main",
    }
    server.odd[f"GET /repos/{NAME}"] = 200, json.dumps(content).encode()
    assert find(server) is not None
    server.odd[f"GET /repos/{NAME}"] = 200, json.dumps({**content, **change}).encode()

    with pytest.raises(GitHubError, match="its form is not that of GitHub's API"):
        find(server)


@each("body", [b"{}", b"5", b"[5]", b'[{"head": null}]', b'[{"head": 5}]'])
def test_invalid_pull_request_list_is_error(
    server: GitHubServer, hosted: Hosted, body: bytes
) -> None:
    repository = existing(server)
    server.odd[f"GET /repos/{NAME}/pulls"] = 200, body

    with pytest.raises(GitHubError, match=r"no usable answer from GitHub: ."):
        propose(repository, PROPOSAL)

    assert hosted.pulls == []


@each("errors", ["5", '"text"', "null", "{}", "[5]"])
def test_odd_errors_of_refusal_are_no_matter(
    server: GitHubServer, hosted: Hosted, errors: str
) -> None:
    body = f'{{"message": "Validation Failed", "errors": {errors}}}'
    server.odd[f"GET /repos/{NAME}"] = 422, body.encode()

    with pytest.raises(GitHubError, match="refuses the request: Validation Failed"):
        find(server, hosted.full_name)
