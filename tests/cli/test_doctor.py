"""`commodore doctor` on real folders, repositories, programs and servers."""

from __future__ import annotations

import base64
import json
import os
import shutil
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from commodore_py.workflows.doctor.checks import CHECKS
from tests.support.builders import commit_in, git
from tests.support.servers.api import error_reply, json_reply, serve_api
from tests.support.tool_releases import write_program

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.command_line import CommandLine
    from tests.support.servers.api import Api


@pytest.fixture
def api() -> Iterator[Api]:
    with serve_api() as api:
        yield api


@pytest.fixture
def compiled(work: Path, tmp_path: Path) -> Path:
    """A working directory of one's own in which a cluster was compiled."""
    folder = tmp_path / "compiled"
    shutil.copytree(work, folder, symlinks=True)
    return folder


def checks(commodore: CommandLine, *words: str, **variables: str) -> dict[str, dict[str, Any]]:
    ran = commodore(*words, "doctor", "-o", "json", **variables)
    result = json.loads(ran.out)
    assert result["schema"] == "doctor/v1"
    assert ran.code == (1 if result["verdict"] == "fail" else 0)
    return {check["check"]: check for check in result["checks"]}


def a_token(expiry: float) -> str:
    claims = base64.urlsafe_b64encode(json.dumps({"exp": expiry}).encode()).decode().rstrip("=")
    return f"e30.{claims}.c2ln"


def keep_token(api: Api, **entry: str) -> Path:
    file = Path(os.environ["XDG_CACHE_HOME"]) / "commodore" / "token"
    file.parent.mkdir(parents=True)
    file.touch(0o600)
    file.write_text(json.dumps({api.url: entry}))
    return file


def test_doctor_prints_a_line_for_every_check(commodore: CommandLine) -> None:
    ran = commodore("doctor")

    names = [line[6:].split("  ")[0] for line in ran.out.splitlines() if line[:4].strip()]
    assert names == list(CHECKS)


def test_doctor_changes_no_file(commodore: CommandLine, compiled: Path, facts: str) -> None:
    def everything() -> dict[str, float]:
        return {str(path): path.lstat().st_mtime_ns for path in compiled.rglob("*")}

    before = everything()

    checks(commodore, "-d", str(compiled), COMMODORE_API_URL=facts)

    assert everything() == before


# programs


# cluster facts


def test_facts_folder_without_tenant_fails(
    commodore: CommandLine, facts: str, tmp_path: Path
) -> None:
    copy = tmp_path / "facts"
    shutil.copytree(facts, copy)
    shutil.rmtree(copy / "tenants")

    found = checks(commodore, COMMODORE_API_URL="./facts")["api"]

    assert found["verdict"] == "fail"
    assert "tenant t-demo is not known" in found["found"]


def test_reachable_api_reports_cluster_count(commodore: CommandLine, api: Api) -> None:
    api.serves("/clusters/", [{"id": "c-1", "tenant": "t-1"}])

    found = checks(
        commodore, COMMODORE_API_URL=api.url, COMMODORE_API_TOKEN=a_token(time.time() + 3600)
    )

    assert found["api"]["found"] == f"the API {api.url} has 1 cluster"
    assert found["token"]["found"].startswith("given, valid until ")


@pytest.mark.parametrize("status", [502, 503])
def test_gateway_error_of_api_fails(commodore: CommandLine, api: Api, status: int) -> None:
    api.on("GET /", error_reply(status, "asleep"))

    found = checks(commodore, COMMODORE_API_URL=api.url)["api"]

    assert found["verdict"] == "fail"
    assert "asleep" in found["found"]


def test_refused_token_fails_without_being_printed(commodore: CommandLine, api: Api) -> None:
    api.on("GET /clusters/", json_reply({"reason": "who are you"}, 401))

    ran = commodore("doctor", COMMODORE_API_URL=api.url, COMMODORE_API_TOKEN="s3cret")

    assert ran.code == 1
    assert "who are you" in ran.out
    assert "s3cret" not in ran.out + ran.err


def test_expired_token_fails_without_being_sent(commodore: CommandLine, api: Api) -> None:
    found = checks(commodore, COMMODORE_API_URL=api.url, COMMODORE_API_TOKEN=a_token(60))

    assert found["token"]["verdict"] == "fail"
    assert "1970-01-01" in found["token"]["found"]
    assert {request.token for request in api.received} == {None}


@pytest.mark.parametrize(
    ("refresh", "verdict"),
    [("", "warn"), (a_token(time.time() + 3600), "ok")],
    ids=["no way to renew it", "renewable"],
)
def test_expired_cached_token_depends_on_refresh_token(
    commodore: CommandLine, api: Api, refresh: str, verdict: str
) -> None:
    keep_token(api, id_token=a_token(60), refresh_token=refresh)

    found = checks(commodore, COMMODORE_API_URL=api.url)["token"]

    assert found["verdict"] == verdict
    assert found["found"].startswith("cached, expired 1970-01-01 00:01 UTC")


def test_valid_cached_token_is_used(commodore: CommandLine, api: Api) -> None:
    keep_token(api, id_token=a_token(time.time() + 3600), refresh_token="")
    api.serves("/clusters/", [])

    found = checks(commodore, COMMODORE_API_URL=api.url)

    assert found["api"]["found"] == f"the API {api.url} has 0 clusters"
    assert found["token"]["found"].startswith("cached, valid until ")


# the working directory


def test_working_directory_with_earlier_compile_is_ok(
    commodore: CommandLine, compiled: Path
) -> None:
    found = checks(commodore, "-d", str(compiled))

    assert found["working directory"]["found"] == f"{compiled}, with an earlier compile"
    assert found["local work"]["verdict"] == "ok"
    assert found["local work"]["found"] != "none in 0 checkouts"
    assert found["locks"]["found"] == "none"


def test_uncommitted_work_is_found(commodore: CommandLine, compiled: Path) -> None:
    classes = compiled / "inventory" / "classes" / "global"
    (classes / "mine.yml").write_text("parameters: {}\n")
    (compiled / "catalog" / "manifests" / "mine.yaml").write_text("generated: anyway\n")

    found = checks(commodore, "-d", str(compiled))["local work"]

    assert found["verdict"] == "warn"
    assert found["found"] == "not pushed: inventory/classes/global: mine.yml"


def test_unpushed_commits_are_reported(commodore: CommandLine, compiled: Path) -> None:
    classes = compiled / "inventory" / "classes" / "global"
    for checkout in (classes, compiled / "catalog"):
        commit_in(checkout, {"mine.yml": "parameters: {}\n"})
    git(classes, "branch", "elsewhere")
    git(classes, "reset", "--quiet", "--hard", "HEAD~1")

    found = checks(commodore, "-d", str(compiled))["local work"]

    assert found["verdict"] == "warn"
    assert "inventory/classes/global: commit " in found["found"]
    assert "catalog: commit " in found["found"]


def test_damaged_checkout_fails(commodore: CommandLine, compiled: Path) -> None:
    (compiled / "catalog" / ".git" / "HEAD").write_text("nonsense")

    found = checks(commodore, "-d", str(compiled))["local work"]

    assert found["verdict"] == "fail"
    assert found["found"].startswith("catalog: ")


def test_stale_git_locks_are_reported(commodore: CommandLine, compiled: Path) -> None:
    bare = next((compiled / "dependencies" / ".repos").rglob("objects")).parent
    hour_ago = time.time() - 3600
    made = [compiled / "catalog" / ".git" / "index.lock", bare / "packed-refs.lock"]
    for lock in made:
        lock.touch()
        os.utime(lock, (hour_ago, hour_ago))

    found = checks(commodore, "-d", str(compiled))["locks"]

    assert found["verdict"] == "warn"
    assert all(str(lock) in found["remedy"] for lock in made)


def test_links_in_the_working_directory_are_left_alone(
    commodore: CommandLine, compiled: Path, tmp_path: Path
) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    git(mine, "init", "--quiet")
    (mine / "new.yml").touch()
    (compiled / "dependencies" / "mine").symlink_to(mine)

    assert checks(commodore, "-d", str(compiled))["local work"]["verdict"] == "ok"


# caches


def test_caches_are_measured_and_their_modes_looked_at(commodore: CommandLine, api: Api) -> None:
    token = keep_token(api, id_token="t")
    token.chmod(0o644)
    write_program(token.parent / "tools", "helm", b"x" * 4000)
    (token.parent / "gone").symlink_to("nowhere")

    found = checks(commodore)["caches"]

    assert found["verdict"] == "warn"
    assert "tools 4 kB (mode 0755)" in found["found"]
    assert found["remedy"] == f"chmod 600 {token}"
