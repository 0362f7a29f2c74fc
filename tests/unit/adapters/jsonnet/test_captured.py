"""What libraries print on stderr is printed again, and Jsonnet's traces are collected."""

from __future__ import annotations

import os

import pytest

from commodore_py.adapters.jsonnet.captured import captured, repeat


def test_traces_are_collected_and_everything_is_printed(capfd: pytest.CaptureFixture[str]) -> None:
    traces: list[bytes] = []

    with captured(traces):
        os.write(2, b"TRACE: a.jsonnet:1 one\nmore of it\n")

    assert b"".join(traces) == b"TRACE: a.jsonnet:1 one\nmore of it\n"
    assert capfd.readouterr().err == "TRACE: a.jsonnet:1 one\nmore of it\n"


def test_other_output_on_a_terminal_is_not_collected(capfd: pytest.CaptureFixture[str]) -> None:
    traces: list[bytes] = []

    with captured(traces):
        os.write(2, b"\x1b[2K50 %\nTRACE: a.jsonnet:1 one\n\x1b[2K51 %\n")

    assert b"".join(traces) == b"TRACE: a.jsonnet:1 one\n"
    assert "51 %" in capfd.readouterr().err


def test_an_error_takes_nothing_away(capfd: pytest.CaptureFixture[str]) -> None:
    def breaks() -> None:
        with captured([]):
            os.write(2, b"said before\n")
            raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        breaks()

    repeat(b"said after\n")
    assert capfd.readouterr().err == "said before\nsaid after\n"


def test_without_stderr_nothing_is_captured() -> None:
    traces: list[bytes] = []
    stderr = os.dup(2)
    os.close(2)
    try:
        with captured(traces):
            repeat(b"nobody hears this")
    finally:
        os.dup2(stderr, 2)
        os.close(stderr)

    assert traces == []
