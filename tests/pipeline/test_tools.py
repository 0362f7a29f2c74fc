"""Tools installed from real releases: archives and checksums from a loopback server."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import time
from datetime import datetime
from typing import TYPE_CHECKING

import pytest

from commodore_py.errors import CommodoreError, notes_of
from commodore_py.workflows.tools.folder import TOOLS, Tool, ToolFolder, query_version
from commodore_py.workflows.tools.releases import install
from tests.support.servers.api import Reply, error_reply, serve_api
from tests.support.tool_releases import Publisher, program_script, tar_archive, write_program

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from commodore_py.workflows.tools.releases import Release

pytestmark = pytest.mark.sample(2)

NOW = datetime(2026, 1, 9, 15, 20, 0, 999)  # noqa: DTZ001 - the record has local times
OLD = program_script("v1.0.0")


@pytest.fixture
def publisher() -> Iterator[Publisher]:
    with serve_api() as api:
        yield Publisher(api)


@pytest.fixture
def folder(tmp_path: Path) -> ToolFolder:
    return ToolFolder(tmp_path / "cache" / "tools")


@pytest.fixture
def used(folder: ToolFolder) -> ToolFolder:
    """A folder in which every tool is already installed."""
    for tool in TOOLS:
        write_program(folder.path, tool, OLD)
        folder.note(tool, NOW)
    return folder


def bring(folder: ToolFolder, publisher: Publisher, release: Release, timeout: float = 2) -> None:
    install(folder, release, publisher.upstream(timeout=timeout), now=NOW)


def strict(
    folder: ToolFolder, publisher: Publisher, release: Release, timeout: float = 2
) -> CommodoreError:
    """How an installation fails; in any case, the folder is as before."""
    before = contents(folder)
    with pytest.raises(CommodoreError) as caught:
        bring(folder, publisher, release, timeout)
    assert contents(folder) == before
    return caught.value


def contents(folder: ToolFolder) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.path.glob("*"))}


@pytest.mark.parametrize("tool", TOOLS)
def test_tool_is_installed_verified_and_recorded(
    tool: str, folder: ToolFolder, publisher: Publisher
) -> None:
    release = publisher.release(tool, "v1.2.3")

    bring(folder, publisher, release)

    program = folder.program(tool)
    assert query_version(tool, str(program)).version == "v1.2.3"
    assert program.stat().st_mode & 0o7777 == 0o755
    assert json.loads(folder.record.read_text()) == {tool: "2026-01-09T15:20:00"}
    assert sorted(path.name for path in folder.path.iterdir()) == sorted([tool, "state.json"])


def test_mode_does_not_depend_on_umask(folder: ToolFolder, publisher: Publisher) -> None:
    release = publisher.release("jb", "v1.2.3")
    before = os.umask(0o077)
    try:
        bring(folder, publisher, release)
    finally:
        os.umask(before)

    assert folder.program("jb").stat().st_mode & 0o7777 == 0o755


def test_running_program_can_be_replaced(used: ToolFolder, publisher: Publisher) -> None:
    waiting = program_script(script="read line; echo $line")
    program = write_program(used.path, "jb", waiting)
    with subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as running:
        bring(used, publisher, publisher.release("jb", "v1.2.3"))
        out, _ = running.communicate(b"still here\n", timeout=10)

    assert out == b"still here\n"
    assert used.version_of("jb") == "v1.2.3"


def test_redirects_to_another_server_are_followed(folder: ToolFolder, publisher: Publisher) -> None:
    release = publisher.release("jb", "v1.2.3")
    with serve_api() as storage:
        content = publisher.api.reply_to(f"GET {publisher.path(release.url)}").body
        storage.on("GET /blob?sig=a%2Fb", Reply(body=content))
        publisher.api.on(
            f"GET {publisher.path(release.url)}",
            Reply(302, headers={"Location": f"{storage.url}/blob?sig=a%2Fb"}),
        )
        bring(folder, publisher, release)

    assert folder.version_of("jb") == "v1.2.3"


def test_download_succeeds_after_server_recovers(folder: ToolFolder, publisher: Publisher) -> None:
    release = publisher.release("jb", "v1.2.3")
    request = f"GET {publisher.path(release.url)}"
    whole = publisher.api.reply_to(request)
    publisher.api.on(request, Reply(body=whole.body, cut=True), error_reply(502, ""), whole)

    bring(folder, publisher, release)

    assert folder.version_of("jb") == "v1.2.3"


def test_truncated_download_is_reported(used: ToolFolder, publisher: Publisher) -> None:
    release = publisher.release("helm", "v1.2.3", file=Reply(body=b"x" * 100_000, cut=True))

    error = strict(used, publisher, release)

    assert "the answer ended too early" in str(error)
    assert notes_of(error) == ("while installing helm v1.2.3; the present version stays in use",)


@pytest.mark.parametrize("body", [b"", b"x" * 100])
def test_stalled_download_is_reported(body: bytes, used: ToolFolder, publisher: Publisher) -> None:
    release = publisher.release("jb", "v1.2.3", file=Reply(body=body, silent=True))

    error = strict(used, publisher, release, timeout=0.3)

    assert str(error) == "no answer within 0.3 seconds"
    assert error.where == release.url
    assert "--request-timeout" in error.hint


def test_new_program_is_tried_without_secrets(
    folder: ToolFolder, publisher: Publisher, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("COMMODORE_API_TOKEN", "s3cret")
    monkeypatch.setenv("COMMODORE_GITHUB_TOKEN", "s3cret")
    seen = tmp_path / "seen"
    script = f"env > {seen}; echo v1.2.3"

    bring(
        folder, publisher, publisher.release("jb", "v1.2.3", program=program_script(script=script))
    )

    assert "PATH=" in seen.read_text()
    assert "s3cret" not in seen.read_text()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"no archive at all", "is not a valid archive"),
        (tar_archive({"../../helm": OLD}), "does not contain "),
        (tar_archive({"kustomize": OLD})[:-30], "is not a valid archive"),
    ],
    ids=["no archive", "leads out", "cut short"],
)
def test_archive_without_program_is_reported(
    content: bytes, message: str, used: ToolFolder, publisher: Publisher
) -> None:
    digest = hashlib.sha256(content).hexdigest()
    release = publisher.release(
        "kustomize", "v1.2.3", checksums=f"{digest}  {{file}}\n", file=Reply(body=content)
    )

    error = strict(used, publisher, release)

    assert f"{release.file} {message}" in str(error)


@pytest.mark.parametrize("signal", ["INT", "KILL"])
@pytest.mark.long
def test_interrupted_upgrade_keeps_present_tool(
    signal: str, used: ToolFolder, publisher: Publisher
) -> None:
    # The new program interrupts whoever tries it out, after everything else has gone well.
    script = f"kill -{signal} $PPID; sleep 1; echo v2.0.0"
    release = publisher.release("helm", "v2.0.0", program=program_script(script=script))
    code = f"""
import signal
from datetime import datetime
from pathlib import Path
from commodore_py.workflows.tools.folder import ToolFolder
from commodore_py.workflows.tools.releases import install
from commodore_py.workflows.tools.releases import Release, Upstream
signal.signal(signal.SIGINT, signal.default_int_handler)  # background jobs ignore it
install(ToolFolder(Path({str(used.path)!r})), {release!r}, Upstream(), now=datetime.now())
"""
    state = used.record.read_bytes()

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)

    assert done.returncode != 0
    assert publisher.request_count("helm-v2.0.0") == 2
    assert used.program("helm").read_bytes() == OLD
    assert used.record.read_bytes() == state
    left = [path.name for path in used.path.iterdir() if path.name.startswith(".")]
    assert (left == []) == (signal == "INT")


def test_leftovers_of_killed_installation_are_removed(
    folder: ToolFolder, publisher: Publisher
) -> None:
    left, at_work = folder.path / ".commodore-old", folder.path / ".commodore-new"
    for scratch in (left, at_work):
        write_program(scratch, "helm", b"half")
    two_hours_ago = time.time() - 7200
    os.utime(left, (two_hours_ago, two_hours_ago))

    bring(folder, publisher, publisher.release("jb", "v1.2.3"))

    assert not left.exists()
    assert at_work.exists()


def test_tools_folder_below_a_file_is_reported(tmp_path: Path, publisher: Publisher) -> None:
    (tmp_path / "file").write_text("in the way")
    folder = ToolFolder(tmp_path / "file" / "tools")

    error = strict(folder, publisher, publisher.release("jb", "v1.2.3"))

    assert str(error) == "cannot install jb v1.2.3: Not a directory"
    assert str(tmp_path / "file") in error.where
    assert notes_of(error) == ("while installing jb v1.2.3",)


def test_linked_tools_folder_is_the_same_folder(used: ToolFolder, tmp_path: Path) -> None:
    alias = tmp_path / "alias"
    alias.symlink_to(used.path)

    assert used.drop_foreign([Tool("helm", str(alias / "helm"))]) == ()
