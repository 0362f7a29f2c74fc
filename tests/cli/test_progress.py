"""What long runs show while they run, on terminals and elsewhere; `--timings` and `--trace`."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.authoring import make_component_clone
from tests.support.fleet import CLUSTER, Fleet, make_fleet
from tests.support.programs import run_on_terminal

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.command_line import CommandLine

pytestmark = pytest.mark.sample(2)

# A stage that sleeps, in place of one that works, which makes no difference for the display.
DRIVER = """
import sys, time
from commodore_py import run_log
from commodore_py.cli.output import log, progress, messages

log.set_up(quiet="quiet" in sys.argv, form="json" if "json" in sys.argv else "text")
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


def test_a_terminal_shows_how_far_it_is() -> None:
    shown, result = on_a_terminal("compile")

    text = _CONTROL.sub("", shown)
    assert "Compiling" in text
    assert "1/3" in text
    assert "second" in text.replace("done with second", "")
    assert result.splitlines() == ["result", "True"]


def test_nothing_of_it_stays_there() -> None:
    shown, _ = on_a_terminal("compile")

    assert left_on_screen(shown) == [f" > done with {name}" for name in NAMES]
    assert "\x1b[?25l" not in shown, "the cursor is hidden"


def test_a_line_can_be_taken_back_after_a_narrower_terminal_has_broken_it() -> None:
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
def test_others_get_whole_lines_only(words: tuple[str, ...], variables: dict[str, str]) -> None:
    shown, result = on_a_terminal(*words, **variables)

    assert "Compiling" not in shown
    assert "\x1b" not in shown
    assert result.splitlines() == ["result", "False"]


def test_a_pipe_gets_whole_lines_only() -> None:
    done = subprocess.run(
        [sys.executable, "-c", DRIVER, "compile"], capture_output=True, check=True, text=True
    )

    assert done.stderr == " > done with first\n > done with second\n > done with third\n"
    assert done.stdout == "result\nFalse\n"


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Fleet:
    components: dict[str, dict[str, str]] = {name: {} for name in ("one", "two", "three", "four")}
    return make_fleet(tmp_path_factory.mktemp("fleet"), **components)


def compile_words(fleet: Fleet, work: str = "work") -> tuple[str, ...]:
    """A compile; in a folder of its own there is more to do than nothing."""
    place, facts = str(fleet.root / work), str(fleet.root / "facts")
    return ("-d", place, "catalog", "compile", CLUSTER, "--api-url", facts)


def test_timings_are_shown_at_the_end(commodore: CommandLine, fleet: Fleet) -> None:
    plain = commodore(*compile_words(fleet))

    ran = commodore(*compile_words(fleet, "timed"), "--timings")

    assert ran.code == 0
    assert ran.out == plain.out
    reported = [line.split()[0] for line in ran.err.splitlines() if re.search(r"\d\.\d{3}$", line)]
    stages = ["start", "gather", "facts", "hierarchy", "compile", "filters", "stage", "diff"]
    assert [one for one in reported if one in stages] == stages
    assert reported[-1] == "total"
    assert "look back" in ran.err


def test_timings_are_part_of_the_result(commodore: CommandLine, fleet: Fleet) -> None:
    plain = json.loads(commodore(*compile_words(fleet), "-o", "json").out)

    result = json.loads(commodore(*compile_words(fleet, "json"), "-o", "json", "--timings").out)

    assert list(result["timings"]) == list(plain["timings"]) == ["gather", "render", "publish"]
    assert "stages" not in plain
    stages = {one["stage"]: one for one in result["stages"]}
    assert stages["render/compile"]["wall"] > 0
    assert stages["render/compile"]["cpu"] > 0
    assert {"gather", "render", "publish", "total"} <= stages.keys()


def test_a_start_is_timed_from_the_beginning_of_the_process(fleet: Fleet) -> None:
    """Whether much is done, nothing, or it fails."""
    command = [sys.executable, "-m", "commodore_py", *compile_words(fleet, "added")]
    for last in (CLUSTER, CLUSTER, "c-none"):
        command[command.index("compile") + 1] = last
        before = time.monotonic()
        done = subprocess.run([*command, "--timings"], capture_output=True, check=False, text=True)
        took = time.monotonic() - before
        top = dict(
            re.findall(r"^(\w[\w ]*?) +(\d+\.\d{3}) +\d+\.\d{3}$", done.stderr, re.MULTILINE)
        )
        total = float(top.pop("total"))

        assert top.keys() >= {"start", "look back", "other"}
        assert abs(sum(map(float, top.values())) - total) < 0.01
        # Ten milliseconds is how exactly the system knows when a process began.
        assert float(top["start"]) > 0
        assert total < took + 0.02


def test_trace_and_redirected_streams_cause_no_other_run(fleet: Fleet) -> None:
    """A trace and redirected streams, in the working directory itself."""
    command = [sys.executable, "-m", "commodore_py", *compile_words(fleet, "told"), "-v"]
    work = fleet.root / "told"
    work.mkdir()
    output = []
    for _ in range(3):
        with (work / "out").open("wb") as out, (work / "err").open("wb") as err:
            trace = ("--trace", str(work / "trace.json"))
            subprocess.run([*command, *trace], stdout=out, stderr=err, check=True)
        output.append((work / "err").read_text())

    assert "Compiling 4 component instances" in output[0]
    assert "nothing changed since" in output[2]


def test_timings_for_programs_are_records(commodore: CommandLine, fleet: Fleet) -> None:
    ran = commodore("--quiet", "--log-format", "json", *compile_words(fleet, "log"), "--timings")

    reported = [json.loads(line)["message"] for line in ran.err.splitlines()]
    assert any(message.startswith("render/compile: 0.") for message in reported)
    assert not any("None" in message for message in reported)


def test_a_component_by_itself_is_timed_too(commodore: CommandLine, tmp_path: Path) -> None:
    component = make_component_clone(tmp_path, "one")

    ran = commodore("component", "compile", str(component), "--timings")

    assert ran.code == 0
    assert re.search(r"^  compile \(1\) +\d\.\d{3} +\d\.\d{3}$", ran.err, re.MULTILINE)


def spans_of(trace: Path) -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = json.loads(trace.read_text())["traceEvents"]
    return [one for one in events if one["ph"] == "X"]


def test_a_trace_has_everything_down_to_programs(tmp_path: Path) -> None:
    fleet = make_fleet(tmp_path / "fleet", **{name: {} for name in ("one", "two", "three", "four")})
    trace = tmp_path / "trace.json"
    command = [sys.executable, "-m", "commodore_py", *compile_words(fleet)]

    subprocess.run(
        [*command, "--trace", str(trace), "--processes", "2"], capture_output=True, check=True
    )

    spans = spans_of(trace)
    kinds = {kind: {one["name"] for one in spans if one["cat"] == kind} for kind in KINDS}
    assert kinds["act"] >= {"gather", "render", "publish"}
    assert {"facts", "components", "hierarchy", "compile", "filters", "stage"} <= kinds["stage"]
    assert kinds["target"] == {"one", "two", "three", "four"}
    assert kinds["entry"] == {"jsonnet"}
    assert len(kinds["repository"]) == 6
    assert any(name.startswith("git ") for name in kinds["program"])
    homes = {one["pid"] for one in spans if one["cat"] == "act"}
    workers = {one["pid"] for one in spans if one["cat"] in ("target", "entry")}
    assert len(homes) == 1
    assert sys.platform != "linux" or not workers & homes


KINDS = ("act", "stage", "repository", "target", "entry", "program")


def test_a_run_that_fails_leaves_its_trace(
    commodore: CommandLine, fleet: Fleet, tmp_path: Path
) -> None:
    words = ("catalog", "compile", "c-none", "--api-url", str(fleet.root / "facts"))

    ran = commodore(*words, "--trace", str(tmp_path / "trace.json"), "--timings")

    assert ran.code == 1
    assert "cluster c-none is not known" in ran.err
    assert "check settings" in {one["name"] for one in spans_of(tmp_path / "trace.json")}


def test_a_trace_that_cannot_be_written_is_reported_before_the_work(
    commodore: CommandLine, fleet: Fleet, tmp_path: Path
) -> None:
    ran = commodore(*compile_words(fleet), "--trace", str(tmp_path / "none" / "trace.json"))

    assert ran.code == 1
    assert ran.err.startswith("error: cannot write the trace: No such file or directory")
    assert "Gathering" not in ran.err
