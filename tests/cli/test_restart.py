"""The command starts itself once more with a setting for Go, and nobody else gets to see that."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from commodore_py.__main__ import evaluates_jsonnet, may_rest
from tests.support.fleet import CLUSTER, Fleet, configmap_component, make_fleet

if TYPE_CHECKING:
    from pathlib import Path

# Enough garbage for Go to tell how large it lets its heap grow: 4 MB for every 100 of GOGC.
WASTEFUL = "{ out: { n: std.length([std.toString(i) + 'x' for i in std.range(1, 200000)]) } }"
GIT = """\
#!{python}
import os, sys
with open({seen!r}, "a") as file:
    file.write("".join(f"{{name}}={{value}}\\n" for name, value in os.environ.items()))
os.execv({git!r}, ["git", *sys.argv[1:]])
"""
SCRIPT = """\
#!{python}
import sys
from commodore_py.__main__ import main
if __name__ == "__main__":
    sys.exit(main())
"""


@pytest.fixture
def fleet(tmp_path: Path) -> Fleet:
    return make_fleet(tmp_path / "fleet", one=configmap_component("one", WASTEFUL))


@pytest.fixture(params=["module", "script"])
def program(request: pytest.FixtureRequest, tmp_path: Path) -> list[str]:
    """The command, in both ways to start it."""
    if request.param == "module":
        return [sys.executable, "-m", "commodore_py"]
    script = tmp_path / "bin" / "commodore"
    script.parent.mkdir()
    script.write_text(SCRIPT.format(python=sys.executable))
    script.chmod(0o755)
    return [str(script)]


def seen_by_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Have the environment of every git written down."""
    seen = tmp_path / "seen"
    real = next(
        path
        for folder in os.environ["PATH"].split(os.pathsep)
        if os.access(path := f"{folder}/git", os.X_OK)
    )
    wrapper = tmp_path / "wrapped" / "git"
    wrapper.parent.mkdir()
    wrapper.write_text(GIT.format(python=sys.executable, seen=str(seen), git=real))
    wrapper.chmod(0o755)
    monkeypatch.setenv("PATH", str(wrapper.parent), prepend=os.pathsep)
    return seen


def compiling(program: list[str], fleet: Fleet, *more: str) -> list[str]:
    facts = str(fleet.root / "facts")
    words = ("-d", str(fleet.work), "catalog", "compile", CLUSTER, "--api-url", facts)
    return [*program, *words, "--processes", "1", *more]


@pytest.mark.parametrize(("told", "goal"), [(None, 16), ("200", 8)])
def test_go_collects_less_and_programs_see_what_the_user_set(  # noqa: PLR0917 - fixtures
    program: list[str],
    fleet: Fleet,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    told: str | None,
    goal: int,
) -> None:
    monkeypatch.delenv("GOGC", raising=False)
    if told is not None:
        monkeypatch.setenv("GOGC", told)
    monkeypatch.setenv("GODEBUG", "gctrace=1")
    seen = seen_by_git(tmp_path, monkeypatch)

    done = subprocess.run(compiling(program, fleet), capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
    first = re.search(r"^gc 1 @.* (\d+) MB goal", done.stderr, re.MULTILINE)
    assert first is not None
    assert int(first[1]) == goal
    variables = set(seen.read_text().splitlines())
    assert {one for one in variables if one.startswith("GO")} == {
        "GODEBUG=gctrace=1",
        *([f"GOGC={told}"] if told else []),
    }
    assert not [one for one in variables if one.startswith("_COMMODORE")]


def test_programs_see_nothing_where_nothing_was_set(
    program: list[str], fleet: Fleet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("GOGC", "GODEBUG", "GOMAXPROCS"):
        monkeypatch.delenv(name, raising=False)
    seen = seen_by_git(tmp_path, monkeypatch)

    done = subprocess.run(compiling(program, fleet), capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
    names = {line.partition("=")[0] for line in seen.read_text().splitlines()}
    assert "PATH" in names
    assert not {name for name in names if name.startswith(("GO", "_COMMODORE"))}


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["catalog", "compile", "c-one", "--nonsense"], 2),
        (["catalog", "compile", "c-one", "--api-url", "./nowhere"], 1),
        (["catalog", "compile", "--help"], 0),
    ],
)
def test_exit_codes_come_through(
    program: list[str], tmp_path: Path, words: list[str], code: int
) -> None:
    done = subprocess.run([*program, *words], cwd=tmp_path, capture_output=True, check=False)

    assert done.returncode == code


def test_stdin_comes_through(program: list[str], fleet: Fleet) -> None:
    command = compiling(program, fleet, "--push", "--interactive")

    done = subprocess.run(command, input="y\n", capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
    assert list(fleet.catalog_files()) == ["manifests/one/out.yaml"]


def test_python_that_was_given_other_work_is_not_started_again(fleet: Fleet) -> None:
    # What is read from stdin is gone afterwards.
    script = (
        "import sys; from commodore_py.__main__ import main; print('once', flush=True); main()\n"
    )
    command = compiling([sys.executable, "-"], fleet)

    done = subprocess.run(command, input=script, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("once\n")


@pytest.mark.parametrize(
    ("words", "evaluates"),
    [
        ("catalog compile c-one", True),
        ("-v -d work catalog compile c-one --push", True),
        ("component compile .", True),
        ("package test .", True),
        ("catalog compile --help", False),
        ("catalog list", False),
        ("inventory show compile", False),
        ("", False),
    ],
)
def test_which_commands_evaluate_jsonnet(words: str, *, evaluates: bool) -> None:
    assert evaluates_jsonnet(words.split()) is evaluates


def test_python_collects_less_too(tmp_path: Path) -> None:
    script = tmp_path / "commodore"
    script.write_text(
        "import atexit, gc, commodore_py.__main__ as program\n"
        "atexit.register(lambda: print(gc.get_threshold()[0] > 10_000))\n"
        "program.main()\n"
    )

    said = subprocess.check_output([sys.executable, script, "--version"], text=True)

    assert said.splitlines()[-1] == "True"


@pytest.mark.parametrize(
    ("words", "variable", "expected"),
    [
        ("-d work catalog compile c-one", "", True),
        ("--working-dir work catalog compile c-one", "", True),
        ("--working-dir=work catalog compile c-one", "", True),
        ("catalog compile c-one", "work", True),
        ("catalog compile c-one", "", False),
        ("-d other catalog compile c-one", "work", False),
        ("-d work component compile .", "", False),
    ],
)
def test_where_a_run_has_left_a_note_nothing_is_started_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: str, variable: str, *, expected: bool
) -> None:
    (tmp_path / "work/.commodore").mkdir(parents=True)
    (tmp_path / "work/.commodore/unchanged").touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COMMODORE_WORKING_DIR", variable)

    assert may_rest(words.split()) is expected
