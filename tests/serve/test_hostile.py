"""Scripts and terminal escapes in every value that can be shown: nothing acts on them."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest
import yaml

from commodore_py.cli import run
from tests.support.builders import commit_to
from tests.support.fleet import make_fleet
from tests.support.servers import kubernetes

from .daemon import TOKENS, serving

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.fleet import Fleet

    from .daemon import Daemon

MARK = "onerror=owned()"
HOSTILE = f'x"><img src=x {MARK}><script>owned()\x1b[31m\x9b2J\x1b]8;;https:evil\x07\u202e'
ACTING = r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]"
MAIN = """
local inv = (import 'lib/kapitan.libjsonnet').inventory();
local web = inv.parameters.web;
{ [web.file]: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: web.name, namespace: 'web' },
                data: web.data } }
"""
ONE = "/v1/clusters/c-one"
NAME = quote(HOSTILE, safe="")
QUOTED = quote(HOSTILE.replace('"', ""), safe="")
PAGES = {
    "/": True,
    f"/?q={NAME}&state={NAME}": True,
    f"/login?token={NAME}": False,
    f"/clusters/{NAME}": True,
    "/clusters/c-one": True,
    "/clusters/c-one/changes": True,
    "/clusters/c-one/values?path=web": True,
    f"/clusters/c-one/values?path={NAME}": True,
    "/clusters/c-one/plan": False,
    "/clusters/c-one/live": True,
    "/jobs": False,
    "/jobs/JOB": True,
    f"/jobs/{NAME}": False,
    "/api": False,
    f"/{NAME}": False,
}
"""Paths for people, and whether the text is shown there."""
DATA = {
    "/v1/clusters": True,
    ONE: True,
    f"{ONE}/values/web": True,
    f"{ONE}/values/{NAME}": True,
    f"{ONE}/values/web?target={NAME}": True,
    f"{ONE}/options/web": True,
    f"{ONE}/options/{NAME}": True,
    f"{ONE}/changes": True,
    f"{ONE}/plan": False,
    f"{ONE}/live/tree": True,
    f"{ONE}/live/status": True,
    f"/v1/clusters/{NAME}": True,
    "/v1/jobs": True,
    "/v1/jobs/JOB": True,
    "/v1/jobs/JOB/events": True,
    f"/v1/jobs/{NAME}": False,
    "/v1/openapi.json": False,
    "/metrics": False,
}
"""Paths for programs, in the same way."""


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Fleet:
    """A cluster whose names and values are hostile, wherever that is accepted."""
    fleet = make_fleet(tmp_path_factory.mktemp("hostile"), web={"component/main.jsonnet": MAIN})
    web = {
        "file": HOSTILE.partition("\x1b")[0],
        "name": HOSTILE,
        "data": {HOSTILE: HOSTILE},
        HOSTILE: HOSTILE,
    }
    web["_metadata"] = {"deprecated": True, "deprecation_notice": HOSTILE}
    classes = {"applications": ["web"], "parameters": {"web": web}}
    commit_to(
        fleet.repository("tenant"),
        {"common.yml": yaml.safe_dump({"classes": [f"t-acme.{HOSTILE}"], **classes})}
        | {f"{HOSTILE}.yml": yaml.safe_dump({"parameters": {"web": {"data": {"b": HOSTILE}}}})},
    )
    file = fleet.root / "facts" / "clusters" / "c-one.yaml"
    facts = {"displayName": HOSTILE, "facts": {HOSTILE: HOSTILE, "cloud": "a", "distribution": "b"}}
    file.write_text(yaml.safe_dump({**yaml.safe_load(file.read_text()), **facts}))
    fleet.work.mkdir()
    return fleet


@pytest.fixture(scope="module")
def daemon(fleet: Fleet, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    """A daemon that has compiled it, and reaches its cluster."""
    home = tmp_path_factory.mktemp("home")
    with kubernetes.serve() as cluster, pytest.MonkeyPatch.context() as patch:
        metadata = {"name": HOSTILE, "namespace": "web", "labels": {"a": HOSTILE}}
        cluster.put({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata})
        (home / "kubeconfig").write_text(kubernetes.kubeconfig_of(cluster.url))
        patch.setenv("KUBECONFIG", str(home / "kubeconfig"))
        with serving(fleet.work, fleet.root / "facts", home=home) as running:
            yield running
            assert not re.search(ACTING, "".join(running.lines))


@pytest.fixture(scope="module")
def job(daemon: Daemon) -> str:
    """The id of a compile."""
    done = daemon.done(daemon.call("POST", f"{ONE}/compile"))
    assert done["state"] == "done", done["error"]
    return str(done["id"])


class _Page(HTMLParser):
    """The tags, the handlers and the texts of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.bad: list[str] = []
        self.texts: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collect what a browser would act on."""
        values = dict(attrs)
        is_ours = tag != "script" or values.get("src") == "/static/page.js"
        if tag in ("img", "iframe", "object") or not is_ours:
            self.bad.append(tag)
        self.bad += [name for name in values if name.startswith("on")]
        self.bad += [
            url
            for name in ("href", "src", "action")
            if (url := values.get(name)) and not url.startswith(("/", "#"))
        ]
        self.texts += [text for text in values.values() if text]

    def handle_data(self, data: str) -> None:
        """Collect text."""
        self.texts.append(data)


def _check_page(text: str, *, shows: bool) -> None:
    page = _Page(text)
    assert page.bad == []
    assert not re.search(ACTING, text)
    assert (MARK in " ".join(page.texts)) == shows


@pytest.mark.parametrize(("path", "shows"), PAGES.items())
def test_page_shows_hostile_text_and_runs_nothing(
    daemon: Daemon, job: str, path: str, *, shows: bool
) -> None:
    answer = daemon.call("GET", path.replace("JOB", job), headers={"Accept": "text/html"})

    assert answer.headers["content-type"].startswith("text/html")
    _check_page(answer.text, shows=shows)


@pytest.mark.parametrize(("path", "shows"), DATA.items())
def test_data_for_programs_has_no_terminal_escapes(
    daemon: Daemon, job: str, path: str, *, shows: bool
) -> None:
    answer = daemon.call("GET", path.replace("JOB", job))

    assert answer.status_code < 500, answer.text
    assert answer.content.isascii()
    assert not re.search(ACTING, answer.text)
    assert (MARK in answer.text) == shows


@pytest.mark.parametrize(
    ("path", "value", "status"),
    [
        ("values/web.data.more?level=tenant&dry_run=true", HOSTILE, 200),
        (f"values/web.data.%22{QUOTED}%22?level=tenant&dry_run=true", HOSTILE, 200),
        (f"values/components.%22{QUOTED}%22.version?level=tenant", HOSTILE, 404),
        (f"lists/{NAME}", HOSTILE, 422),
        (f"lists/web/{NAME}", HOSTILE, 404),
    ],
)
def test_edit_of_hostile_text_is_harmless(
    daemon: Daemon, job: str, path: str, value: str, status: int
) -> None:
    method = "POST" if path.startswith("lists") and path.count("/") == 1 else "PUT"
    assert job
    answer = daemon.call(method, f"{ONE}/{path}", {"value": value})

    assert answer.status_code == status, answer.text
    assert answer.content.isascii()
    assert MARK in answer.text


def test_form_of_hostile_text_is_harmless(daemon: Daemon, job: str) -> None:
    assert job
    form = {"path": f"web.{HOSTILE}", "value": f"'{HOSTILE}'", "do": "check"}
    own = {"Accept": "text/html", "Origin": daemon.url}

    answer = daemon.call("POST", "/clusters/c-one/values", data=form, headers=own)

    _check_page(answer.text, shows=True)


def test_report_and_log_of_hostile_cluster_are_harmless(
    fleet: Fleet, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    words = (
        "catalog",
        "compile",
        "--all",
        "--jobs",
        "1",
        "--report",
        str(tmp_path / "report.html"),
    )

    code = run(("-d", str(tmp_path / "work"), *words, "--api-url", str(fleet.root / "facts")))

    shown = capfd.readouterr()
    assert code == 0, shown.err
    assert MARK in shown.err
    assert not re.search(ACTING, shown.out + shown.err)
    page = (tmp_path / "report.html").read_text("utf-8")
    _check_page(re.sub(r"<style>.*</style>", "", page, flags=re.DOTALL), shows=True)


def test_listing_that_fails_for_a_hostile_name_is_harmless(
    daemon: Daemon, fleet: Fleet, job: str
) -> None:
    file = fleet.root / "facts" / "clusters" / f"{HOSTILE}.yaml"
    file.write_text(yaml.safe_dump({"id": "another", "tenant": HOSTILE}))
    try:
        assert daemon.done(daemon.call("POST", f"{ONE}/compile"))["id"] != job  # forgets the list
        data = daemon.call("GET", "/v1/clusters")
        page = daemon.call("GET", "/", headers={"Accept": "text/html"})
    finally:
        file.unlink()

    assert data.content.isascii()
    assert MARK in data.json()["clusters"][0]["problem"]
    _check_page(page.text, shows=True)


def test_token_is_not_needed_for_harm(daemon: Daemon) -> None:
    session = {"Cookie": f"commodore={NAME}:{TOKENS['ada']}", "X-Hub-Signature-256": NAME}

    for path in ("/", "/v1/clusters", "/login", f"/static/{NAME}"):
        answer = daemon.call("GET", path, by="", headers={"Accept": "text/html", **session})
        assert MARK not in answer.text
        assert not re.search(ACTING, answer.text)
