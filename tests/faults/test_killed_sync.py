"""A sync that is killed at any moment: the next one offers the same, and nothing is in its way."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from tests.support.builders import commit_in, git, make_repository
from tests.support.servers.github import TOKEN, GitHubServer, serve
from tests.support.templates import change_template, make_template

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.faults

NAMES = ("one", "two", "three")
ROUNDS = 12


def commodore(folder: Path, *words: str, url: str = "") -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "commodore_py", *words],
        cwd=folder,
        env={**os.environ, "COMMODORE_GITHUB_TOKEN": TOKEN, "COMMODORE_GITHUB_URL": url},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )


def sync(folder: Path, github: GitHubServer) -> subprocess.Popen[bytes]:
    how = ("--github-pause", "0", "-l", "bot", "--trust")
    return commodore(folder, "-d", "work", "component", "sync", "list.yaml", *how, url=github.url)


def make_components(folder: Path) -> None:
    """Components whose template has changed."""
    template = make_template(folder / "template", hook="")
    for name in NAMES:
        words = ("--owner", "acme", "--template-url", str(template), "--trust", "--output-dir", ".")
        made = commodore(folder, "component", "new", name, *words)
        output, _ = made.communicate()
        assert made.returncode == 0, output.decode()
        place = make_repository(folder / "git" / f"{name}.git", {})
        git(folder / name, "push", "--quiet", f"file://{place}", "HEAD:master")
    change_template(template, {"new/file": "new\n"})
    commit_in(template, {"README.md": "changed\n"})
    (folder / "list.yaml").write_text("".join(f"- acme/component-{name}\n" for name in NAMES))


def kill(running: subprocess.Popen[bytes], *, after: float) -> bool:
    """Kill a run and all it started; says whether it was still at work."""
    time.sleep(after)
    at_work = running.poll() is None
    if at_work:
        os.killpg(running.pid, signal.SIGKILL)
    running.communicate()
    return at_work


def offered(github: GitHubServer) -> dict[str, object]:
    """All pull requests, and the files of their branches."""
    return {
        name: (
            [(one.title, one.body, one.labels, one.state) for one in hosted.pulls],
            git(hosted.place, "ls-tree", "-r", "template-sync"),
            git(hosted.place, "rev-list", "--count", "template-sync"),
        )
        for name, hosted in github.repositories.items()
    }


def test_killed_sync_resumes(tmp_path: Path) -> None:
    original = tmp_path / "original"
    original.mkdir()
    make_components(original)
    chance = random.Random(20261121)  # noqa: S311 - moments are not secrets
    expected, seconds, killed = None, 0.0, 0
    for number in range(ROUNDS + 1):
        folder = tmp_path / "round"
        shutil.copytree(original, folder, symlinks=True)
        with serve() as github:
            for name in NAMES:
                github.host(f"acme/component-{name}", folder / "git" / f"{name}.git")
            began = time.monotonic()
            if number:
                killed += kill(sync(folder, github), after=chance.uniform(0.2, 1.0) * seconds)
            last = sync(folder, github)
            output, _ = last.communicate()
            assert last.returncode == 0, output.decode()
            seconds = seconds or time.monotonic() - began
            found = offered(github)
            assert found == (expected or found), output.decode()
            expected = found
            for name in NAMES:
                checkout = folder / "work" / "dependencies" / name
                assert git(checkout, "status", "--porcelain") == ""
        shutil.rmtree(folder)

    assert killed > ROUNDS // 2


def test_interrupted_sync_reports_finished_components(tmp_path: Path) -> None:
    make_components(tmp_path)
    with serve() as github:
        for name in NAMES:
            github.host(f"acme/component-{name}", tmp_path / "git" / f"{name}.git")
        running = sync(tmp_path, github)
        assert running.stdout is not None
        output = b""
        while b"Updating acme/component-two..." not in output:
            output += running.stdout.readline()
        running.send_signal(signal.SIGINT)
        rest, _ = running.communicate()

        assert running.returncode == 130
        whole_output = (output + rest).decode()
        assert "acme/component-one: pull request created: https://" in whole_output
        assert "1 of 3 components: pull request created: 1\n" in whole_output
        assert "interrupted" in whole_output
        assert github.repositories["acme/component-three"].pulls == []
