"""GitHub's REST API on this machine, as far as offering changes goes: what its pages say it does.

The pages: `rest/repos/repos` (get; moved repositories), `rest/pulls/pulls` (list, create, update),
`rest/issues/issues` (get), `rest/issues/labels` (add), `rest/issues/comments` (create),
`rest/using-the-rest-api/using-pagination-in-the-rest-api`,
`.../rate-limits-for-the-rest-api` and `.../troubleshooting-the-rest-api` (404 for what a token may
not see or do), all below docs.github.com. Branches are those of real bare repositories.
"""

from __future__ import annotations

import json
import re
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import parse_qs, urlsplit

from tests.support.builders import git, git_succeeds

from .serving import serving

if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

TOKEN = "ghp_made-up"

_Answer: TypeAlias = "tuple[int, Any, dict[str, str]]"
"""Status, content, headers."""


@dataclass
class Pull:
    """A pull request."""

    number: int
    title: str
    body: str
    branch: str
    base: str
    head_repository: str
    state: str = "open"
    labels: list[str] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)


@dataclass
class Hosted:
    """A repository."""

    full_name: str
    place: Path
    clone_url: str
    archived: bool = False
    writable: bool = True
    """Whether the token may change anything."""
    pulls: list[Pull] = field(default_factory=list)

    @property
    def default_branch(self) -> str:
        """The one that HEAD names."""
        return git(self.place, "symbolic-ref", "--short", "HEAD")

    def pull(self, branch: str, **more: Any) -> Pull:  # noqa: ANN401 - Pull checks by name
        """Open a pull request, as a person or another program would."""
        about = {"title": "Mine", "body": "Mine", "base": self.default_branch}
        about |= {"head_repository": self.full_name}
        one = Pull(len(self.pulls) + 1, branch=branch, **{**about, **more})
        self.pulls.append(one)
        return one


@dataclass(frozen=True)
class Refusal:
    """What a request gets instead of an answer."""

    status: int
    message: str
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Request:
    """A request that arrived."""

    method: str
    path: str
    headers: Mapping[str, str]
    content: Any


class GitHubServer(ThreadingHTTPServer):
    """Repositories by name, and the requests that arrived."""

    def __init__(self, prefix: str, known_as: str) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.prefix = prefix
        self.known_as = known_as
        """How it is reached, if not plainly by its port."""
        self.repositories: dict[str, Hosted] = {}
        self.moved: dict[str, str] = {}
        """Old names of repositories."""
        self.refusals: list[Refusal] = []
        """Of the next requests, until none is left."""
        self.refuse_writes: list[Refusal] = []
        self.odd: dict[str, tuple[int, bytes]] = {}
        """Status and body by method and path, instead of an answer."""
        self.most_per_page = 100
        self.next_at = ""
        """The base of links to next pages, if not this server."""
        self.received: list[Request] = []
        self.lock = threading.Lock()

    @property
    def url(self) -> str:
        """What to give as the API's URL."""
        return f"{self.known_as or f'http://127.0.0.1:{self.server_port}'}{self.prefix}"

    def host(self, name: str, place: Path, url: str = "", **more: Any) -> Hosted:  # noqa: ANN401 - as above
        """Have a bare repository under `owner/repository`."""
        hosted = Hosted(name, place, url or f"file://{place}", **more)
        self.repositories[name] = hosted
        return hosted

    def requests_received(self) -> list[str]:
        """Requests since the last call: methods and paths without queries."""
        found = [f"{one.method} {urlsplit(one.path).path}" for one in self.received]
        self.received.clear()
        return [line.replace(f" {self.prefix}/", " /", 1) for line in found]

    def writes(self) -> list[str]:
        """The same, of requests that change something."""
        return [line for line in self.requests_received() if not line.startswith("GET ")]


@contextmanager
def serve(
    *, prefix: str = "", known_as: str = "", tls: ssl.SSLContext | None = None
) -> Iterator[GitHubServer]:
    """Be GitHub as long as this lasts; `/api/v3` is the prefix of an enterprise's own."""
    server = GitHubServer(prefix, known_as)
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    with serving(server):
        yield server


class _Refused(Exception):
    def __init__(self, strict: Refusal) -> None:
        super().__init__(strict.message)
        self.strict = strict


def _refuse(status: int, message: str, **headers: str) -> _Refused:
    return _Refused(Refusal(status, message, headers))


class _Handler(BaseHTTPRequestHandler):
    server: GitHubServer
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # a body would wait for the ACK of its headers

    def do_GET(self) -> None:
        self._serve()

    def do_POST(self) -> None:
        self._serve()

    def do_PATCH(self) -> None:
        self._serve()

    def log_message(self, *_: object) -> None:
        pass

    def _serve(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        content = json.loads(body) if body else None
        with self.server.lock:
            self.server.received.append(
                Request(self.command, self.path, dict(self.headers.items()), content)
            )
            try:
                status, answer, headers = self._answer(content)
            except _Refused as error:
                strict = error.strict
                status, headers = strict.status, dict(strict.headers)
                answer = {
                    "message": strict.message,
                    "documentation_url": "https://docs.github.com/",
                }
        data = json.dumps(answer).encode()
        path = urlsplit(self.path).path.removeprefix(self.server.prefix)
        status, data = self.server.odd.get(f"{self.command} {path}", (status, data))
        self._send(status, data, headers)

    def _send(self, status: int, data: bytes, headers: Mapping[str, str]) -> None:
        limit = {"X-RateLimit-Limit": "5000", "X-RateLimit-Remaining": "4999"}
        limit["X-RateLimit-Reset"] = str(int(time.time()) + 3600)
        self.send_response(status)
        for name, value in {**limit, **headers, "Content-Length": str(len(data))}.items():
            self.send_header(name, value)
        self.send_header("Content-Type", "application/json; charset=utf-8")
        self.end_headers()
        self.wfile.write(data)

    def _answer(self, content: Any) -> _Answer:  # noqa: ANN401 - JSON
        server, parts = self.server, urlsplit(self.path)
        waiting = server.refusals or (server.refuse_writes if self.command != "GET" else [])
        if waiting:
            raise _Refused(waiting.pop(0))
        if self.headers.get("Authorization") not in (f"Bearer {TOKEN}", f"token {TOKEN}"):
            raise _refuse(401, "Bad credentials")
        found = re.fullmatch(r"/repos/([^/]+/[^/]+)(/.*)?", parts.path.removeprefix(server.prefix))
        if not found or not parts.path.startswith(server.prefix):
            raise _refuse(404, "Not Found")
        name, rest = found[1], found[2] or ""
        if name in server.moved:
            to = f"{server.url}/repos/{server.moved[name]}{rest}"
            status = 301 if self.command == "GET" else 307
            raise _refuse(status, "Moved Permanently", Location=to)
        if name not in server.repositories:
            raise _refuse(404, "Not Found")
        hosted = server.repositories[name]
        if self.command != "GET" and not hosted.writable:
            raise _refuse(404, "Not Found")
        for pattern, act in _ROUTES.items():
            match = re.fullmatch(pattern, f"{self.command} {rest}")
            if match:
                return act(self, hosted, content, *match.groups())
        raise _refuse(404, "Not Found")

    def _repository(self, hosted: Hosted, _: Any) -> _Answer:  # noqa: ANN401 - JSON
        return 200, self._shown_repository(hosted), {}

    def _list_pulls(self, hosted: Hosted, _: Any) -> _Answer:  # noqa: ANN401 - JSON
        parameters = {
            key: values[-1] for key, values in parse_qs(urlsplit(self.path).query).items()
        }
        state, head = parameters.get("state", "open"), parameters.get("head", "")
        found = [
            one
            for one in reversed(hosted.pulls)
            if state in ("all", one.state)
            and (not head or head == f"{one.head_repository.partition('/')[0]}:{one.branch}")
            and (not parameters.get("base") or parameters["base"] == one.base)
        ]
        size = min(int(parameters.get("per_page", "30")), self.server.most_per_page)
        page = int(parameters.get("page", "1"))
        shown = found[(page - 1) * size : page * size]
        headers = {}
        if page * size < len(found):
            query = "&".join(f"{key}={value}" for key, value in parameters.items() if key != "page")
            path = urlsplit(self.path).path.removeprefix(self.server.prefix)
            url = f"{self.server.next_at or self.server.url}{path}?{query}&page="
            headers["Link"] = f'<{url}{page + 1}>; rel="next", <{url}9>; rel="last"'
        return 200, [self._shown(hosted, one) for one in shown], headers

    def _create(self, hosted: Hosted, content: Any) -> _Answer:  # noqa: ANN401 - JSON
        branch = content["head"].rpartition(":")[2]
        problem = ""
        if any(one.branch == branch and one.state == "open" for one in hosted.pulls):
            problem = (
                f"A pull request already exists for {hosted.full_name.split('/')[0]}:{branch}."
            )
        elif not git_succeeds(hosted.place, "rev-parse", "--verify", f"refs/heads/{branch}"):
            problem = "head is invalid"
        elif not git(hosted.place, "rev-list", branch, f"^{content['base']}"):
            problem = f"No commits between {content['base']} and {branch}"
        if problem:
            answer = {"message": "Validation Failed", "errors": [{"message": problem}]}
            return 422, answer, {}
        one = hosted.pull(
            branch, title=content["title"], body=content["body"], base=content["base"]
        )
        return 201, self._shown(hosted, one), {}

    def _update(self, hosted: Hosted, content: Any, number: str) -> _Answer:  # noqa: ANN401 - JSON
        one = self._find(hosted, number)
        one.body = content.get("body", one.body)
        one.title = content.get("title", one.title)
        return 200, self._shown(hosted, one), {}

    def _issue(self, hosted: Hosted, _: Any, number: str) -> _Answer:  # noqa: ANN401 - JSON
        return 200, self._shown(hosted, self._find(hosted, number)), {}

    def _label(self, hosted: Hosted, content: Any, number: str) -> _Answer:  # noqa: ANN401 - JSON
        one = self._find(hosted, number)
        labels = content["labels"] if isinstance(content, dict) else content
        one.labels += [label for label in labels if label not in one.labels]
        return 200, [{"name": label} for label in one.labels], {}

    def _comment(self, hosted: Hosted, content: Any, number: str) -> _Answer:  # noqa: ANN401 - JSON
        self._find(hosted, number).comments.append(content["body"])
        return 201, {"id": 1, "body": content["body"]}, {}

    def _find(self, hosted: Hosted, number: str) -> Pull:
        for one in hosted.pulls:
            if one.number == int(number):
                return one
        raise _refuse(404, "Not Found")

    def _shown(self, hosted: Hosted, one: Pull) -> dict[str, Any]:
        root = f"{self.server.url}/repos/{hosted.full_name}"
        return {
            "url": f"{root}/pulls/{one.number}",
            "issue_url": f"{root}/issues/{one.number}",
            "html_url": f"https://github.com/{hosted.full_name}/pull/{one.number}",
            "number": one.number,
            "state": one.state,
            "title": one.title,
            "body": one.body,
            "labels": [{"name": label} for label in one.labels],
            "head": {
                "ref": one.branch,
                "label": f"{one.head_repository.partition('/')[0]}:{one.branch}",
                "repo": {"full_name": one.head_repository},
            },
            "base": {"ref": one.base, "repo": {"full_name": hosted.full_name}},
        }

    def _shown_repository(self, hosted: Hosted) -> dict[str, Any]:
        owner, _, name = hosted.full_name.partition("/")
        return {
            "url": f"{self.server.url}/repos/{hosted.full_name}",
            "name": name,
            "full_name": hosted.full_name,
            "owner": {"login": owner},
            "clone_url": hosted.clone_url,
            "ssh_url": f"git@github.com:{hosted.full_name}.git",
            "default_branch": hosted.default_branch,
            "archived": hosted.archived,
        }


_ROUTES: dict[str, Callable[..., _Answer]] = {
    r"GET ": _Handler._repository,  # noqa: SLF001 - its own table
    r"GET /pulls": _Handler._list_pulls,  # noqa: SLF001
    r"POST /pulls": _Handler._create,  # noqa: SLF001
    r"PATCH /pulls/(\d+)": _Handler._update,  # noqa: SLF001
    r"GET /issues/(\d+)": _Handler._issue,  # noqa: SLF001
    r"POST /issues/(\d+)/labels": _Handler._label,  # noqa: SLF001
    r"POST /issues/(\d+)/comments": _Handler._comment,  # noqa: SLF001
}
