"""What goes to stdout and what to stderr, in every form; how a run ends."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import click
import pytest

from commodore_py.cli import run
from commodore_py.cli.root import commodore as root
from tests.support.fleet import CLUSTER, make_fleet
from tests.support.programs import accept_interruptions, run_on_terminal

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.command_line import CommandLine

COMMAND = (sys.executable, "-m", "commodore_py")


@pytest.fixture
def recompile(work: Path, facts: str) -> tuple[str, ...]:
    """Compile the playground's cluster once more: nothing changes, one thing is to be noticed."""
    return ("-d", str(work), "catalog", "compile", "c-demo-1", "--api-url", facts)


def test_internal_error_writes_log_file(
    commodore: CommandLine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    # No command is known to crash, so here is one more.
    monkeypatch.setitem(root.commands, "crash", click.Command("crash", callback=lambda: 1 // 0))

    ran = commodore("crash")

    (log,) = tmp_path.glob("commodore-*.log")
    assert ran.code == 3
    assert "error: internal error: ZeroDivisionError" in ran.err
    assert f"  {log.name}\n" in ran.err
    assert "Traceback" not in ran.err
    assert "Traceback" in log.read_text()


@pytest.mark.parametrize("variables", [{}, {"NO_COLOR": "1"}, {"COMMODORE_NO_COLOR": "true"}])
def test_colours_are_for_terminals(facts: str, variables: dict[str, str]) -> None:
    shown = on_a_terminal("catalog", "compile", "c-none", "--api-url", facts, **variables)

    assert "error: cluster c-none is not known" in re.sub(r"\x1b\[[0-9;]*m", "", shown)
    assert ("\x1b[" in shown) == (not variables)


def test_no_color_flag_disables_colour(facts: str) -> None:
    shown = on_a_terminal("--no-color", "catalog", "compile", "c-none", "--api-url", facts)

    assert "error: cluster c-none is not known" in shown
    assert "\x1b[" not in shown


def on_a_terminal(*words: str, **variables: str) -> str:
    """What a command shows on a terminal."""
    shown, _, _ = run_on_terminal([*COMMAND, *words], variables)
    return shown


def test_ctrl_c_exits_with_130(tmp_path: Path) -> None:
    fleet = make_fleet(tmp_path / "fleet", one={})
    words = ("catalog", "compile", CLUSTER, "--api-url", str(fleet.root / "facts"))
    with subprocess.Popen(
        [*COMMAND, "-d", str(fleet.work), *words, "--push", "-i"],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        preexec_fn=accept_interruptions,  # noqa: PLW1509 - no thread of ours starts programs
    ) as process:
        assert process.stderr is not None
        output = b""
        while b"[y/N]" not in output:
            chunk = os.read(process.stderr.fileno(), 4096)
            assert chunk, output  # it has ended
            output += chunk
        time.sleep(0.05)  # until it reads
        process.send_signal(signal.SIGINT)
        output += process.stderr.read()

    assert process.returncode == 130
    assert output.endswith(b"\ninterrupted\n")
    assert b"Traceback" not in output


def test_closed_pipe_ends_quietly(facts: str) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [*COMMAND, "catalog", "list", "--api-url", facts],
        stdout=writer,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(writer)

    assert done.returncode == 1
    assert done.stderr == b""


def test_second_run_in_process_prints_the_same(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["catalog", "list", "--api-url", "./none", "-o", "x"]) == 1
    first = capsys.readouterr().err

    assert run(["catalog", "list", "--api-url", "./none", "-o", "x"]) == 1

    assert capsys.readouterr().err == first


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="only Linux has a full disk at hand")  # noqa: PTH110 - before any test
@pytest.mark.long
def test_full_disk_is_a_plain_error(recompile: tuple[str, ...]) -> None:
    with open("/dev/full", "w") as full:  # noqa: PTH123 - no file of ours
        for words in (("catalog", "list", *recompile[-2:]), recompile, ("--help",)):
            done = subprocess.run(
                [*COMMAND, *words], stdout=full, stderr=subprocess.PIPE, check=False, text=True
            )

            assert done.returncode == 1
            assert "error: cannot write: No space left on device\n" in done.stderr
            assert "bug" not in done.stderr
