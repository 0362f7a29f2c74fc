"""What long runs show while they run, on terminals and elsewhere."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from tests.support.programs import run_on_terminal

pytestmark = pytest.mark.sample(2)

# A stage that sleeps, in place of one that works, which makes no difference for the display.
DRIVER = """
import sys, time
from commodore_py import run_log
from commodore_py.cli.output import log, progress, messages

log.set_up(quiet="quiet" in sys.argv, form="json" if "json" in sys.argv else "text")
if "impatient" in sys.argv:
    progress.Progress.__init__.__kwdefaults__["pause"] = 0.1
with progress.shown(), run_log.stage(sys.argv[1], of="thing", total=3):
    for name in ("first", "second", "third"):
        with run_log.item("thing", name):
            time.sleep(0.7 if name == "first" else 0.3)
        messages.info(f"done with {name}")
print("result")
print("rich" in sys.modules)
"""
NAMES = ("first", "second", "third")
_CONTROL = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")


def on_a_terminal(*words: str, **variables: str) -> tuple[str, str]:
    """What the stage shows on a terminal, and its result."""
    command = [sys.executable, "-c", DRIVER, *words]
    shown, result, code = run_on_terminal(command, variables, separate_stdout=True)
    assert code == 0
    return shown, result


def left_on_screen(shown: str) -> list[str]:
    """The lines that are there at the end: an erased one is not."""
    lines, row = [""], 0
    for part in re.split(r"(\x1b\[[0-9;?]*[a-zA-Z]|\r|\n)", shown):
        match part:
            case "\n":
                row += 1
                lines += [""] * (row == len(lines))
            case "\x1b[1A":
                row -= 1
            case "\x1b[2K":
                lines[row] = ""
            case "\x1b[J":  # from the beginning of a line
                lines[row:] = [""]
            case text if not _CONTROL.match(text) and text != "\r":
                lines[row] += text
    return [line for line in lines if line]


def test_terminal_shows_progress() -> None:
    shown, result = on_a_terminal("compile")

    text = _CONTROL.sub("", shown)
    assert "Compiling" in text
    assert "1/3" in text
    assert "second" in text.replace("done with second", "")
    assert result.splitlines() == ["result", "True"]


def test_progress_is_erased_at_the_end() -> None:
    shown, _ = on_a_terminal("compile")

    assert left_on_screen(shown) == [f" > done with {name}" for name in NAMES]
    assert "\x1b[?25l" not in shown, "the cursor is hidden"


def test_progress_line_is_erased_after_terminal_narrowed() -> None:
    shown, _ = on_a_terminal("compile")

    for drawn in shown.split("Compiling")[1:]:
        # The cursor waits at its beginning; from there, all of it is erased.
        assert re.search(r"m\r(?:\r\x1b\[J|\n\r\x1b\[1A\x1b\[2K)", drawn), drawn


def test_progress_does_not_cover_prompts_of_programs() -> None:
    shown, _ = on_a_terminal("fetch")

    assert "0/3" in on_a_terminal("compile")[0]
    assert "0/3" not in shown, "drawn by the clock, not because something was done"
    assert "2/3" in shown


@pytest.mark.parametrize(
    ("words", "variables"),
    [
        (("compile", "quiet"), {}),
        (("compile", "json"), {}),
        (("compile",), {"TERM": "dumb"}),
        (("refs",), {}),
    ],
)
def test_terminal_without_progress_gets_complete_lines(
    words: tuple[str, ...], variables: dict[str, str]
) -> None:
    shown, result = on_a_terminal(*words, **variables)

    assert "Compiling" not in shown
    assert "\x1b" not in shown
    assert result.splitlines() == ["result", "False"]


def test_pipe_gets_occasional_progress_lines() -> None:
    command = [sys.executable, "-c", DRIVER, "compile", "impatient"]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)

    assert " > Compiling: 0 of 3 (first)\n" in ran.stderr
    assert "third" in ran.stderr.replace("done with third", "")


def test_pipe_gets_complete_lines_without_control_codes() -> None:
    done = subprocess.run(
        [sys.executable, "-c", DRIVER, "compile"], capture_output=True, check=True, text=True
    )

    assert done.stderr == " > done with first\n > done with second\n > done with third\n"
    assert done.stdout == "result\nFalse\n"
