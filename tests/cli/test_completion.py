"""What a shell offers of servers that are slow, and in a shell."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from commodore_py.cli.known_clusters import recall, remember
from tests.support.servers.api import Api, Reply, serve_api

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.support.command_line import CommandLine

    Complete = Callable[..., list[str]]


@pytest.fixture
def complete(commodore: CommandLine) -> Complete:
    """The words offered after some others; the last one is half typed."""

    def offered(*words: str, **variables: str) -> list[str]:
        shell = {
            "_COMMODORE_COMPLETE": "bash_complete",
            "COMP_WORDS": " ".join(("commodore", *words)),
            "COMP_CWORD": str(len(words)),
        }
        ran = commodore(**shell, **variables)
        assert ran.err == ""
        return [line.removeprefix("plain,") for line in ran.out.splitlines() if line]

    return offered


@pytest.fixture
def api() -> Iterator[Api]:
    with serve_api() as server:
        server.serves("/clusters/", [{"id": "c-far", "tenant": "t-away"}])
        yield server


def test_completion_refreshes_old_cluster_list(complete: Complete, api: Api) -> None:
    way = {"COMMODORE_API_URL": api.url, "COMMODORE_API_TOKEN": "t"}
    remember(api.url, [{"id": "c-old"}])
    age(api.url)

    for _ in range(20):  # in time or not, as this machine is fast; then it is cached
        found = complete("catalog", "compile", "", **way)
        if found == ["c-far"]:
            break
        assert found == ["c-old"]

    assert found == ["c-far"]


def age(api_url: str) -> None:
    """Make the cached listing look as if it was of the day before yesterday."""
    from commodore_py.cli.settings import directories  # only here

    cache = directories.cache_folder()
    assert cache is not None
    (cached,) = (cache / "completion").iterdir()
    then = time.time() - 48 * 60 * 60
    os.utime(cached, (then, then))
    known = recall(api_url)
    assert known is not None
    assert not known.fresh


def test_completion_does_not_wait_for_silent_server(complete: Complete, api: Api) -> None:
    api.on("GET /clusters/", Reply(silent=True))
    way = {"COMMODORE_API_URL": api.url, "COMMODORE_API_TOKEN": "t"}
    remember(api.url, [{"id": "c-old"}])
    age(api.url)

    started = time.monotonic()
    offered = complete("catalog", "compile", "", **way)

    # The server would keep silent for half a minute.
    assert time.monotonic() - started < 20
    assert offered == ["c-old"]


def test_bash_completes_cluster_ids(facts: str, tmp_path: Path) -> None:
    (tmp_path / "commodore").write_text(f'#!/bin/sh\nexec {sys.executable} -m commodore_py "$@"\n')
    (tmp_path / "commodore").chmod(0o755)
    script = """
        eval "$(commodore completion bash)"
        COMP_WORDS=(commodore catalog compile c-d); COMP_CWORD=3; COMPREPLY=()
        _commodore_completion commodore
        echo "${COMPREPLY[@]}"
    """

    done = subprocess.run(
        ["bash", "--norc", "-c", script],
        capture_output=True,
        check=True,
        text=True,
        env={
            **os.environ,
            "PATH": f"{tmp_path}:{os.environ['PATH']}",
            "COMMODORE_API_URL": facts,
        },
    )

    assert done.stdout == "c-demo-1 c-demo-2\n"
