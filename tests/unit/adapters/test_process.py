"""Programs: what they print, and how their failures are reported."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import time
from pathlib import Path
from typing import cast

import pytest

from commodore_py.adapters import time_limits
from commodore_py.adapters.process import (
    Patience,
    ProgramFailed,
    TookTooLong,
    communicate,
    run,
)
from tests.support.tables import each

_LONG = 20
"""Seconds that nobody may wait for here: generous, as machines may be busy."""
linux = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


def failure(command: list[str], cwd: Path | None = None) -> ProgramFailed:
    with pytest.raises(ProgramFailed) as caught:
        run(command, cwd=cwd)
    return caught.value


@pytest.mark.long
def test_standard_input_defaults_to_empty() -> None:
    echo = python("import sys; print(sys.stdin.read().upper(), end='')")

    assert run(echo, stdin=b"one") == b"ONE"
    assert run(echo) == b""


def test_large_input_may_be_read_late() -> None:
    count = python("import sys, time; time.sleep(0.6); print(len(sys.stdin.buffer.read()))")

    assert run(count, stdin=b"x" * 3_000_000) == b"3000000\n"


def test_variables_are_added_and_taken_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ONE", "1")
    monkeypatch.setenv("TWO", "2")
    show = python("import os; print([os.environ.get(n) for n in ('ONE', 'TWO', 'THREE')])")

    output = run(show, env={"TWO": None, "THREE": "3"})

    assert output == b"['1', None, '3']\n"


def test_failed_program_names_command_folder_and_reason(tmp_path: Path) -> None:
    error = failure(python("import sys; print('why', file=sys.stderr); sys.exit(3)"), tmp_path)

    assert str(error) == f"{sys.executable} failed with status 3: why"
    assert error.where.startswith(f"{tmp_path}: {sys.executable} -c ")
    assert (error.code, error.stderr) == (3, "why\n")


def test_failed_program_shows_no_password() -> None:
    url = "https://me:s3cret@host/x"
    error = failure(python(f"import sys; sys.exit('cannot reach {url}')"))

    assert "https://***@host/x" in str(error)
    assert "s3cret" not in f"{error} {error.where} {error.stderr}"


def test_missing_program_is_reported_with_hint(tmp_path: Path) -> None:
    error = failure(["no-such-program"], tmp_path)

    assert str(error) == "cannot run no-such-program: no-such-program not found"
    assert error.hint == "install no-such-program, or correct PATH"


def test_missing_folder_is_not_a_missing_program() -> None:
    error = failure([sys.executable], Path("/no/such/folder"))

    assert "/no/such/folder not found" in str(error)
    assert error.hint == ""


def test_file_that_is_no_program_is_reported(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("words")

    assert "Permission denied" in str(failure([str(tmp_path / "text")]))


def test_program_failure_can_be_pickled() -> None:
    error = failure(python("raise SystemExit('why')"))

    copy = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own bytes

    assert (str(copy), copy.where, copy.hint) == (str(error), error.where, error.hint)


def ended_in_time(code: str, patience: Patience) -> TookTooLong:
    began = time.monotonic()
    with pytest.raises(TookTooLong) as caught:
        run(python(code), patience=patience)
    assert time.monotonic() - began < _LONG
    return caught.value


SLEEPS = "import time; time.sleep(100)"
CLOSES_ITS_OUTPUT = f"import os; os.close(1); os.close(2); {SLEEPS}"
PRINTS_ALL_THE_TIME = "while True: print('x' * 100, flush=True)"
COMPUTES = "while True: pass"
IGNORES_SIGNALS = f"""
import signal
for one in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP): signal.signal(one, signal.SIG_IGN)
{SLEEPS}
"""


@each("code", [SLEEPS, CLOSES_ITS_OUTPUT, PRINTS_ALL_THE_TIME, COMPUTES, IGNORES_SIGNALS])
@pytest.mark.long
def test_program_exceeding_time_limit_is_ended(code: str) -> None:
    error = ended_in_time(code, Patience(0.5, setting="program"))

    assert "was ended after 0.5 seconds without a result" in str(error)
    assert error.hint == "to wait longer, set time-limits.program = 1 in the settings file"


# In a process of its own: nobody here would take leave of orphans that end.
ENDS_ALL = """
import os, sys
from commodore_py.adapters.process import Patience, TookTooLong, run
from commodore_py.adapters.ending import adopt_orphans, end_all
adopt_orphans()
try:
    run(["sh", "-c", sys.argv[1]], patience=Patience(0.5))
except TookTooLong:
    end_all(os.getpid(), itself=False)
    print("ended")
"""


@linux
def test_child_processes_end_with_program() -> None:
    mark = f"86400.{os.getpid()}"
    script = f"(sleep {mark} &); sleep {mark} & sh -c 'sleep {mark}; true' & sleep {mark}"

    output = run([*python(ENDS_ALL), script])

    assert output == b"ended\n"
    assert [one for one in Path("/proc").glob("[0-9]*/cmdline") if mark in text_of(one)] == []


def text_of(file: Path) -> str:
    try:
        return file.read_text()
    except OSError:
        return ""


@each("how", ["sleep 30 & echo done", "exec 3>&1; sleep 30 >&3 & echo done"])
def test_background_process_holding_output_is_not_awaited(how: str) -> None:
    began = time.monotonic()

    assert run(["sh", "-c", how], patience=Patience(after_exit=0.5)) == b"done\n"

    assert time.monotonic() - began < _LONG


def test_output_printed_just_before_the_end_is_read() -> None:
    class Ended:
        """It has printed and ended after the last look at its pipes."""

        pid, looks = 1, 0

        def poll(self) -> int:
            return 0

        def communicate(self, timeout: float) -> tuple[bytes, bytes]:
            self.looks += 1
            if self.looks == 1:
                raise subprocess.TimeoutExpired("git", timeout)
            return b"done\n", b""

    ended = cast("subprocess.Popen[bytes]", Ended())

    assert communicate(ended, lambda: "git", Patience(after_exit=0)) == (b"done\n", b"")


def test_large_input_and_output_do_not_block() -> None:
    much = bytes(range(256)) * 20_000

    assert run(["cat"], stdin=much) == much
    assert run(["head", "-c", "5"], stdin=much) == much[:5]
    assert run(["sh", "-c", "cat >&2; printf x"], stdin=much) == b"x"


@each("word", ["a\0b", "x" * 5_000_000])
def test_invalid_argument_is_error(word: str) -> None:
    assert "cannot run echo" in str(failure(["echo", word]))


@pytest.mark.long
def test_long_wait_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    seconds = time_limits.FIRST_WORD + 1

    run(["sh", "-c", f"sleep {seconds} # https://me:secret@example.com"])

    (told,) = caplog.messages
    assert told.startswith("still waiting for sh -c ")
    assert "https://***@example.com" in told
    assert told.endswith(" after 10 seconds")


def test_reasons_of_git_have_no_advice_and_no_carriage_returns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "git").write_text("#!/bin/sh\nprintf 'fatal: no\\r\\nhint: try this' >&2; exit 1\n")
    (tmp_path / "git").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")

    assert failure(["git", "fetch"]).stderr == "fatal: no"
