"""The width of the terminal is the one that click would find."""

from __future__ import annotations

import fcntl
import os
import pty
import shutil
import struct
import subprocess
import sys
import termios

import pytest

from commodore_py.tuning import terminal


@pytest.mark.parametrize("value", [None, "", "0", "-3", "7", "100", " 12 ", "1_0", "wide"])
def test_columns_are_those_of_shutil(monkeypatch: pytest.MonkeyPatch, value: str | None) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    if value is not None:
        monkeypatch.setenv("COLUMNS", value)

    assert terminal.columns() == shutil.get_terminal_size().columns


@pytest.mark.parametrize("columns", [0, 30, 71, 160])
def test_help_is_as_wide_as_click_makes_it(columns: int) -> None:
    shown = [help_at(columns, tuning) for tuning in ("", "off")]

    assert shown[0] == shown[1]
    assert max(map(len, shown[0].splitlines())) <= max(50, min(columns or 80, 100))


def help_at(columns: int, tuning: str) -> str:
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("4H", 24, columns, 0, 0))
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    with subprocess.Popen(
        [sys.executable, "-m", "commodore_py", "--help"],
        stdout=theirs,
        env={**environment, "COMMODORE_TUNING": tuning},
    ) as child:
        os.close(theirs)
        shown = b""
        try:
            while part := os.read(ours, 65536):
                shown += part
        except OSError:  # the other end is closed
            pass
        os.close(ours)
    assert child.returncode == 0
    return shown.decode()
