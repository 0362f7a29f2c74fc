"""What a shell offers of servers that are slow, and in a shell."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from typing import TYPE_CHECKING

from tests.support.servers.api import Reply, serve_api

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.command_line import CommandLine


def test_completion_does_not_wait_for_silent_server(commodore: CommandLine) -> None:
    with serve_api() as api:
        api.on("GET /clusters/", Reply(silent=True))
        started = time.monotonic()
        ran = commodore(
            _COMMODORE_COMPLETE="bash_complete",
            COMP_WORDS="commodore catalog compile ",
            COMP_CWORD="3",
            COMMODORE_API_URL=api.url,
            COMMODORE_API_TOKEN="t",
        )

    # The server would keep silent for half a minute.
    assert time.monotonic() - started < 20
    assert (ran.out.strip(), ran.err) == ("", "")


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
