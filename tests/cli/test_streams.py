"""What goes to stdout and what to stderr, in every form; how a run ends."""

from __future__ import annotations

import json
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


def test_results_are_alone_on_stdout(commodore: CommandLine, tmp_path: Path) -> None:
    fleet = make_fleet(tmp_path / "fleet", one={})
    words = ("catalog", "compile", CLUSTER, "--api-url", str(fleet.root / "facts"))

    ran = commodore("-d", str(fleet.work), *words)

    assert ran.code == 0
    assert ran.out == (
        " > Changes:\n     Added file manifests/one/out.yaml\nCatalog of cluster c-one compiled\n"
    )
    assert ran.err == (
        "Gathering what cluster c-one is made of\n"
        "warning: the catalog has no commit yet: it begins with branch master\n"
        "Resolving the hierarchy for 1 component instances\n"
        "Compiling 1 component instances\n"
        "Updating the catalog\n"
        " > Not pushed: the changes are staged in catalog/\n"
        " > Use --push to commit and push them, and --interactive to confirm first\n"
    )


def test_notices_come_last(commodore: CommandLine, recompile: tuple[str, ...]) -> None:
    ran = commodore(*recompile)

    assert "notices" not in ran.out
    heading, _, notices = ran.err.partition("\nCommodore notices:\n")
    assert "node-clock" not in heading
    assert notices.startswith(" > Component node-clock is deprecated.")
    assert max(len(line) for line in notices.splitlines()) <= 100


def test_quiet_leaves_out_progress_only(commodore: CommandLine, recompile: tuple[str, ...]) -> None:
    ran = commodore("--quiet", *recompile, "-i")

    assert ran.code == 0
    assert ran.out.startswith(" > Changes:\n")
    lines = ran.err.splitlines()
    assert lines[:2] == [
        "warning: --interactive has no effect without --push",
        "warning: the catalog has no commit yet: it begins with branch master",
    ]
    assert lines[2].startswith(" > Component node-clock is deprecated.")


def test_verbosity_of_all_levels_adds_up(
    commodore: CommandLine, recompile: tuple[str, ...]
) -> None:
    words = ("-v", *recompile[:3], "-v", *recompile[3:], "-v")

    ran = commodore(*words, COMMODORE_VERBOSE="7")

    shown = commodore("-v", "config", "-v", "show", "-v")
    assert ran.code == shown.code == 0
    # Details of every room, and what would be the commit's message.
    assert "   Automated catalog update from Commodore" in ran.err
    assert len(ran.err.splitlines()) > len(commodore(*recompile).err.splitlines()) + 5


def test_compile_prints_result_as_json(commodore: CommandLine, recompile: tuple[str, ...]) -> None:
    ran = commodore(*recompile, "-o", "json", "-d", "nope")

    result = json.loads(ran.out)
    assert result["schema"] == "catalog-compile/v1"
    assert (result["cluster"], result["changed"]) == ("c-demo-1", result["changes"] != [])
    assert (result["commit"], result["reported"]) == (None, False)
    assert result["warnings"][0].startswith("dynamic fact 'nope' is ignored")
    assert result["notices"][0].startswith("Component node-clock is deprecated.")
    archive = next(one for one in result["instances"] if one["name"] == "backup-archive")
    assert (archive["component"], archive["version"]) == ("backup", "v1.0.0")
    assert re.fullmatch("[0-9a-f]{40}", archive["commit"])
    assert ("No changes." in ran.err) != result["changed"]


def test_push_prints_result_as_json(commodore: CommandLine, tmp_path: Path) -> None:
    fleet = make_fleet(tmp_path / "fleet", one={})
    words = ("catalog", "compile", CLUSTER, "--api-url", str(fleet.root / "facts"))

    ran = commodore("-d", str(fleet.work), *words, "--push", "-o", "json")

    result = json.loads(ran.out)
    assert result["changes"] == [{"kind": "added", "path": "manifests/one/out.yaml"}]
    assert result["reported"]
    assert f"Pushed commit {result['commit']}" in ran.err


def test_json_log_has_a_record_per_line(commodore: CommandLine, recompile: tuple[str, ...]) -> None:
    ran = commodore("--log-format", "json", *recompile, "-o", "json", "-i")

    output = [json.loads(line) for line in ran.err.splitlines()]
    assert {record["schema"] for record in output} == {"log/v1"}
    assert {"info", "notice", "warning"} == {record["level"] for record in output}
    warning = next(record for record in output if record["level"] == "warning")
    assert warning == {
        "schema": "log/v1",
        "level": "warning",
        "message": "--interactive has no effect without --push",
    }


def test_github_log_prints_annotations(commodore: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "facts" / "clusters").mkdir(parents=True)
    (tmp_path / "facts" / "clusters" / "c-1.yaml").write_text("id: c-1\nfacts: [\n")

    ran = commodore("--log-format", "github", "catalog", "list", "--api-url", "./facts", "-o", "x")

    assert ran.code == 1
    warning, error = ran.err.splitlines()
    assert warning.startswith("::warning::unknown form 'x': printing a table%0A")
    assert error.startswith("::error file=facts/clusters/c-1.yaml,line=")
    assert "::" in error[len("::error ") :]


def test_misuse_is_reported_in_the_requested_format(commodore: CommandLine) -> None:
    ran = commodore("--log-format", "json", "catalog", "compile")

    assert ran.code == 2
    output = json.loads(ran.err)
    assert output["message"].startswith("Missing argument 'CLUSTER'.")
    assert output["hint"] == "see commodore catalog compile --help"


def test_broken_settings_are_reported_in_the_requested_format(
    commodore: CommandLine, empty_home: Path
) -> None:
    file = empty_home / ".config" / "commodore" / "config.toml"
    file.parent.mkdir(parents=True)
    file.write_text("\nworking = 1\n")

    ran = commodore("--log-format", "github", "catalog", "clean")

    assert ran.code == 1
    assert ran.err.startswith("::error::unknown setting working in the top level")
    assert str(file) in ran.err


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
            output += os.read(process.stderr.fileno(), 4096)
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
def test_full_disk_is_a_plain_error(recompile: tuple[str, ...]) -> None:
    with open("/dev/full", "w") as full:  # noqa: PTH123 - no file of ours
        for words in (("catalog", "list", *recompile[-2:]), recompile, ("--help",)):
            done = subprocess.run(
                [*COMMAND, *words], stdout=full, stderr=subprocess.PIPE, check=False, text=True
            )

            assert done.returncode == 1
            assert "error: cannot write: No space left on device\n" in done.stderr
            assert "bug" not in done.stderr
