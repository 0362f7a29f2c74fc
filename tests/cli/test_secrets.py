"""Whole runs with credentials everywhere: nothing that leaves the process shows them."""

from __future__ import annotations

import json
import subprocess
import sys
import zlib
from typing import TYPE_CHECKING

import pytest
import yaml

from tests.support.builders import commit_to, git, url_of
from tests.support.command_line import CommandLine
from tests.support.fleet import CLUSTER, TENANT, Fleet, make_fleet
from tests.support.servers import git_http
from tests.support.servers.web import Page, serve

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.servers.git_http import HttpServer

CANARY = "c4naryT0ken7f3a"
USERS = [f"{CANARY}", f"{CANARY}:", f"{CANARY}:x-oauth-basic", f"robot:{CANARY}", f"git:{CANARY}"]


@pytest.fixture
def fleet(tmp_path: Path) -> Fleet:
    return make_fleet(tmp_path, web={}, shop={})


@pytest.fixture
def server(fleet: Fleet) -> Iterator[HttpServer]:
    with git_http.serve(fleet.root / "repos") as running:
        yield running


class Runs:
    """Commands, and all that they and the programs they start leave."""

    def __init__(self, fleet: Fleet, commodore: CommandLine) -> None:
        self.fleet = fleet
        self.shown = ""
        self._commodore = commodore

    def __call__(self, *arguments: str, code: int | None = 0, **variables: str) -> None:
        ran = self._commodore(
            *("-d", str(self.fleet.work), *arguments),
            **{"XDG_CACHE_HOME": str(self.fleet.root / "cache"), **variables},
        )
        assert code is None or ran.code == code, ran.err
        self.shown += ran.out + ran.err

    def files_with(self, secret: str, *, but: tuple[str, ...] = ()) -> list[str]:
        """Files below our folders that hold a secret, packed ones unpacked."""
        found = []
        for top in (self.fleet.work, self.fleet.root / "cache", self.fleet.root / "facts/reports"):
            for path in sorted(top.rglob("*")):
                name = str(path.relative_to(self.fleet.root))
                if path.is_file() and not name.startswith(but) and holds(path, secret):
                    found.append(name)
        return found


def holds(path: Path, secret: str) -> bool:
    content = path.read_bytes()
    try:
        unpacked = zlib.decompress(content[1:])
    except zlib.error:
        unpacked = b""
    return secret.encode() in content or secret.encode() in unpacked


@pytest.fixture
def run(fleet: Fleet, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Runs:
    monkeypatch.chdir(fleet.root)

    def read() -> tuple[str, str]:
        captured = capfd.readouterr()
        return captured.out, captured.err

    return Runs(fleet, CommandLine(monkeypatch, read))


def with_credentials(fleet: Fleet, server: HttpServer, user: str) -> None:
    """Put a user into the URLs of the cluster and its tenant."""
    for file in (f"clusters/{CLUSTER}.yaml", f"tenants/{TENANT}.yaml"):
        path = fleet.root / "facts" / file
        text = path.read_text()
        for name in ("catalog", "global", "tenant"):
            text = text.replace(
                url_of(fleet.repository(name)), server.url(f"{name}.git", user=user)
            )
        path.write_text(text)


@pytest.mark.sample(3)
@pytest.mark.parametrize("user", USERS)
def test_credentials_in_cluster_urls_are_masked(
    fleet: Fleet, server: HttpServer, run: Runs, monkeypatch: pytest.MonkeyPatch, user: str
) -> None:
    with_credentials(fleet, server, user)
    if user.startswith("robot:"):
        server.behaviour.password = CANARY
    facts = str(fleet.root / "facts")
    settings = fleet.root / "gitconfig"  # by default, HTTP remotes are pushed to over SSH
    settings.write_text(f'[url "{server.url("")}"]\n\tinsteadOf = ssh://git@127.0.0.1/git/\n')
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
    compile_ = ("catalog", "compile", CLUSTER, "--api-url", facts)

    run(*compile_, "-vvv", "--push")
    run(*compile_, "-vvv", "--push")
    fleet.change_data()
    run("--log-format", "json", *compile_, "-v", "-o", "json")
    run("--log-format", "github", *compile_, "--push")
    for form in ("json", "yaml", "id", ""):
        run("catalog", "list", "--api-url", facts, *(("--out", form) if form else ()))
    run("cache", "info", "-o", "json")
    run("inventory", "show", str(fleet.work / "inventory/classes/global"), "-o", "json", code=None)

    assert CANARY not in run.shown
    assert CANARY not in git(fleet.catalog, "log", "--format=%B%an%ae")
    assert CANARY not in git(fleet.catalog, "show", "HEAD")
    assert run.files_with(CANARY) == []


@pytest.mark.sample(3)
@pytest.mark.parametrize("user", USERS)
def test_credentials_in_the_urls_of_components(
    fleet: Fleet, server: HttpServer, run: Runs, user: str
) -> None:
    url = server.url("component-web.git", user=user)
    entries = {"components": {"web": {"url": url, "version": "master"}}}
    fleet.configure({"applications": ["web"], "parameters": entries})
    facts = str(fleet.root / "facts")

    run("catalog", "compile", CLUSTER, "--api-url", facts, "-vvv", "--push")

    assert CANARY not in run.shown
    assert CANARY not in git(fleet.catalog, "log", "--format=%B")
    # The configuration itself has it.
    configuration = ("work/inventory/", "work/dependencies/", "cache/commodore/results/")
    assert run.files_with(CANARY, but=configuration) == []
    configs = [*fleet.work.rglob("config"), *fleet.work.rglob("FETCH_HEAD")]
    assert configs
    assert not any(CANARY in file.read_text() for file in configs)


@pytest.mark.sample(3)
@pytest.mark.parametrize("user", USERS)
def test_credentials_in_failing_urls_are_masked(
    fleet: Fleet, server: HttpServer, run: Runs, user: str
) -> None:
    with_credentials(fleet, server, user)
    server.behaviour.forbidden = True
    facts = str(fleet.root / "facts")

    for verbose in ((), ("-vvv",)):
        run("catalog", "compile", CLUSTER, "--api-url", facts, *verbose, code=1)

    assert "127.0.0.1" in run.shown
    assert CANARY not in run.shown
    assert run.files_with(CANARY) == []


@pytest.mark.sample(4)
@pytest.mark.parametrize(
    "query", ["private_token={}", "X-Amz-Signature={}&X-Amz-Date=1", "a=1&Private%5FToken={}"]
)
@pytest.mark.parametrize("status", [200, 404])
def test_credentials_in_the_urls_of_downloads(
    fleet: Fleet, run: Runs, query: str, status: int
) -> None:
    with serve() as web:
        path = f"/file.yaml?{query.format(CANARY)}"
        # Clients write an escape that is not needed as what it stands for.
        web.pages[path.replace("%5F", "_")] = Page(b"a: b\n", status=status)
        download = {
            "type": "https",
            "source": f"{web.url}{path}",
            "output_path": "dependencies/web/file.yaml",
        }
        defaults = {"kapitan": {"dependencies": [download]}}
        fleet.configure({"applications": ["web"], "parameters": defaults})
        facts = str(fleet.root / "facts")

        code = 0 if status == 200 else 1
        for _ in range(2):
            run(
                "catalog",
                "compile",
                CLUSTER,
                "--api-url",
                facts,
                "-vvv",
                code=code,
            )
        run("cache", "info", "-o", "json")
        run("cache", "info")

    assert CANARY not in run.shown
    configuration = ("work/inventory/", "work/dependencies/", "cache/commodore/results/")
    assert run.files_with(CANARY, but=configuration) == []


@pytest.mark.parametrize(
    "spelling", ["Bearer {}", "Authorization: {}", '{{"token": "{}"}}', "?token={}", "<p>{}</p>"]
)
@pytest.mark.parametrize("status", [200, 401, 403, 500])
@pytest.mark.sample(3)
def test_token_echoed_by_server_is_masked(run: Runs, spelling: str, status: int) -> None:
    with serve() as web:
        text = spelling.format(CANARY)
        for content in (text, json.dumps({"reason": text, "error_description": text})):
            web.pages["/clusters/"] = Page(content.encode(), "application/json", status=status)
            run("catalog", "list", "--api-url", web.url, COMMODORE_API_TOKEN=CANARY, code=None)

    assert "error" in run.shown
    assert CANARY not in run.shown


def test_names_of_others_are_escaped_in_every_form(fleet: Fleet, run: Runs) -> None:
    file = fleet.root / "facts/clusters" / f"{CLUSTER}.yaml"
    facts = yaml.safe_load(file.read_text())
    facts["displayName"] = (
        "One\x1b]0;x\x07\x1b[31m\n::error file=x::forged\n##[error]f \u202e\u200b"
    )
    file.write_text(yaml.safe_dump(facts))
    main = fleet.repository("component-web")
    commit_to(main, {"component/main.jsonnet": r'error "a\u001b[2Jb\n::error::forged\r\u202e"'})
    folder = str(fleet.root / "facts")

    for form in ("json", "yaml", "id", "table"):
        run("catalog", "list", "--api-url", folder, "--out", form)
    for log in ("text", "json", "github"):
        run("--log-format", log, "catalog", "compile", CLUSTER, "--api-url", folder, code=1)

    ours = [line for line in run.shown.splitlines() if line.lstrip().startswith("::")]
    assert ours
    assert all(line.startswith(("::error::", "::warning::")) for line in ours)
    assert not any("forged" in line and "%0A" not in line for line in ours)
    for character in "\x1b\x07\r\u202e\u200b":
        assert character not in run.shown
    assert "##[" not in run.shown


@pytest.mark.parametrize("log", ["text", "json", "github"])
@pytest.mark.sample(3)
def test_names_of_outputs_are_escaped(fleet: Fleet, run: Runs, log: str) -> None:
    names = ["a\x1b[2Jb", "a\n::error file=x::forged", "::error::forged", "a\u202eb", "a\u200bb"]
    main = "{" + ", ".join(f"{json.dumps(name)}: {{a: 'b'}}" for name in names) + "}"
    commit_to(fleet.repository("component-web"), {"component/main.jsonnet": main})
    facts = str(fleet.root / "facts")

    for options in (("--push",), ("--push",), ("--local", "--diff", "objects"), ("--diff", "stat")):
        run(
            "--log-format",
            log,
            "catalog",
            "compile",
            CLUSTER,
            "--api-url",
            facts,
            *options,
            code=None,
        )
    run("catalog", "diff", "--catalog", str(fleet.work / "catalog"), "HEAD", code=None)

    for character in "\x1b\x07\r\u202e\u200b":
        assert character not in run.shown
    commands = [line for line in run.shown.splitlines() if line.lstrip().startswith("::")]
    assert not any(
        line.lstrip().startswith(("::error file=x", "::error::forged")) for line in commands
    )


@pytest.mark.parametrize("name", ["DB_PASSWORD", "DB", "lower"])
def test_variables_of_failing_program_are_masked(fleet: Fleet, run: Runs, name: str) -> None:
    entry = {
        "input_paths": ["${_base_directory}/s.sh"],
        "input_type": "external",
        "output_path": ".",
        "env_vars": {name: CANARY},
        "args": [f"; echo it is ${name} >&2; exit 3"],
    }
    commit_to(
        fleet.repository("component-web"),
        {
            "class/web.yml": yaml.safe_dump({"parameters": {"kapitan": {"compile": [entry]}}}),
            "s.sh": "",
        },
    )

    run("catalog", "compile", CLUSTER, "--api-url", str(fleet.root / "facts"), "-vvv", code=1)

    assert f"{name}=***" in run.shown
    assert CANARY not in run.shown


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:9/?token={}", "http://me:{}@127.0.0.1:9", "http://{}@h"]
)
def test_credentials_of_refused_api_url_are_masked(run: Runs, url: str) -> None:
    run("catalog", "list", "--api-url", url.format(CANARY), "-vvv", code=1)
    run("config", "show", COMMODORE_API_URL=url.format(CANARY), code=None)

    assert "API URL" in run.shown
    assert CANARY not in run.shown


def test_credentials_of_downloaded_repository_are_masked(
    fleet: Fleet, server: HttpServer, run: Runs
) -> None:
    download = {
        "type": "git",
        "source": server.url("component-shop.git", user=CANARY),
        "output_path": "dependencies/web/shop",
    }
    missing = {**download, "source": server.url("nope.git", user=CANARY)}
    compile_ = ("catalog", "compile", CLUSTER, "--api-url", str(fleet.root / "facts"), "-vvv")
    for one, code in ((download, 0), (missing, 1)):
        defaults = {"kapitan": {"dependencies": [one]}}
        fleet.configure({"applications": ["web"], "parameters": defaults})

        run(*compile_, code=code)

        assert CANARY not in run.shown
    configuration = ("work/inventory/", "work/dependencies/", "cache/commodore/results/")
    assert run.files_with(CANARY, but=configuration) == []


@pytest.mark.parametrize("closed", ["0<&-", "1>&-", "2>&-", "0<&- 1>&- 2>&-", "1>&- 2>&-"])
@pytest.mark.parametrize("known", [True, False])
@pytest.mark.sample(3)
def test_closed_streams(fleet: Fleet, closed: str, *, known: bool) -> None:
    cluster = CLUSTER if known else "c-none"
    command = f"{sys.executable} -m commodore_py -d {fleet.work} catalog compile {cluster}"

    done = subprocess.run(
        ["/bin/sh", "-c", f"{command} --api-url {fleet.root}/facts --push {closed}"],
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == (0 if known else 1)
    assert "internal error" not in done.stdout + done.stderr
    assert bool(git(fleet.catalog, "for-each-ref")) == known
