"""What a shell offers: clusters, tenants, instances, revisions; quickly, silently, unasked."""

from __future__ import annotations

import json
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


def test_completion_uses_cached_cluster_list(
    complete: Complete, commodore: CommandLine, api: Api, empty_home: Path
) -> None:
    way = {"COMMODORE_API_URL": api.url, "COMMODORE_API_TOKEN": "t"}
    assert commodore("catalog", "list", **way).code == 0
    requests = len(api.received)

    assert complete("catalog", "compile", "", **way) == ["c-far"]
    assert complete("catalog", "list", "-t", "", **way) == ["t-away"]

    assert len(api.received) == requests
    (cached,) = (empty_home / ".cache" / "commodore" / "completion").iterdir()
    assert cached.stat().st_mode & 0o777 == 0o600
    assert json.loads(cached.read_text())["schema"] == "known-clusters/v1"


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


@pytest.mark.parametrize("content", ["", "null", "[]", '{"clusters": [1]}', '{"clusters": {}}'])
def test_completion_ignores_damaged_cache(
    complete: Complete, empty_home: Path, content: str
) -> None:
    api_url = "http://127.0.0.1:9"
    remember(api_url, [{"id": "c-one"}])
    (cached,) = (empty_home / ".cache" / "commodore" / "completion").iterdir()
    cached.write_text(content)

    assert complete("catalog", "compile", "", COMMODORE_API_URL=api_url) == []


def test_unsafe_names_are_not_completed(complete: Complete) -> None:
    api_url = "http://127.0.0.1:9"
    remember(api_url, [{"id": "c-one"}, {"id": "c two"}, {"id": "c-\nplain,x"}, {"id": ""}])

    assert complete("catalog", "compile", "", COMMODORE_API_URL=api_url) == ["c-one"]


def test_zsh_and_fish_get_display_names(commodore: CommandLine) -> None:
    api_url = "http://127.0.0.1:9"
    remember(api_url, [{"id": "c-one", "displayName": "The\nfirst"}])

    zsh = commodore(
        _COMMODORE_COMPLETE="zsh_complete",
        COMP_WORDS="commodore catalog compile c",
        COMP_CWORD="3",
        COMMODORE_API_URL=api_url,
    )
    fish = commodore(
        _COMMODORE_COMPLETE="fish_complete",
        COMP_WORDS="commodore catalog compile c",
        COMP_CWORD="c",
        COMMODORE_API_URL=api_url,
    )

    assert (zsh.code, zsh.err, fish.code, fish.err) == (0, "", 0, "")
    assert zsh.out == "plain\nc-one\nThe first\n"
    assert "c-one" in fish.out
    assert "The first" in fish.out


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_script_is_printed_for_every_shell(commodore: CommandLine, shell: str) -> None:
    ran = commodore(_COMMODORE_COMPLETE=f"{shell}_source")

    assert ran.code == 0
    assert f"_COMMODORE_COMPLETE={shell}_complete" in ran.out
    named = commodore("completion", shell)
    assert (named.code, named.err) == (0, "")
    assert named.out.startswith(ran.out.rstrip())
    comments = named.out.removeprefix(ran.out.rstrip()).strip().splitlines()
    assert comments[0].startswith("# To install it, add this line to ~/.")
    assert f"commodore completion {shell}" in comments[1]
    assert all(line.startswith("#") for line in comments)


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
