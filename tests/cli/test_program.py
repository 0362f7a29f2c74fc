"""The program: exit codes, standard input, environment, and tuning that changes no result."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from commodore_py.cache.up_to_date import last_run
from commodore_py.cli.settings.directories import result_cache
from commodore_py.tuning.go_collector import is_long
from tests.support.fleet import CLUSTER, Fleet, configmap_component, make_fleet

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.sample(2)

MANY_VALUES = "{ out: { n: std.length([std.toString(i) + 'x' for i in std.range(1, 200000)]) } }"
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
    return make_fleet(tmp_path / "fleet", one=configmap_component("one", MANY_VALUES))


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


def test_programs_see_no_variables_of_ours(
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


def test_a_script_on_stdin_can_run_it(fleet: Fleet) -> None:
    # What is read from stdin cannot be read again.
    script = (
        "import sys; from commodore_py.__main__ import main; print('once', flush=True); main()\n"
    )
    command = compiling([sys.executable, "-"], fleet)

    done = subprocess.run(command, input=script, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("once\n")


@pytest.mark.parametrize(("tuning", "expected"), [("", "True"), ("off", "False")])
def test_python_looks_for_garbage_rarely(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tuning: str, expected: str
) -> None:
    monkeypatch.setenv("COMMODORE_TUNING", tuning)
    script = tmp_path / "commodore"
    script.write_text(
        "import atexit, gc, commodore_py.__main__ as program\n"
        "atexit.register(lambda: print(gc.get_threshold()[0] > 10_000))\n"
        "program.main()\n"
    )

    output = subprocess.check_output([sys.executable, script, "--version"], text=True)

    assert output.splitlines()[-1] == expected


def test_a_compile_without_tuning_writes_the_same_bytes(
    program: list[str], fleet: Fleet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = []
    for tuning in ("", "off"):
        monkeypatch.setenv("COMMODORE_TUNING", tuning)
        output = tmp_path / f"catalog-{tuning}"
        command = compiling(program, fleet, "--no-cache", "--output-dir", str(output))

        done = subprocess.run(command, capture_output=True, text=True, check=False)

        assert done.returncode == 0, done.stderr
        files = (path for path in sorted(output.rglob("*")) if path.is_file())
        written.append({path.relative_to(output): path.read_bytes() for path in files})
    assert written[0]
    assert written[0] == written[1]


@pytest.mark.parametrize(("gogc", "goal"), [(None, 16), ("200", 8)])
def test_go_collects_less_and_programs_see_what_the_user_set(  # noqa: PLR0917 - fixtures
    program: list[str],
    fleet: Fleet,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    gogc: str | None,
    goal: int,
) -> None:
    monkeypatch.delenv("GOGC", raising=False)
    if gogc is not None:
        monkeypatch.setenv("GOGC", gogc)
    monkeypatch.setenv("GODEBUG", "gctrace=1")
    seen = seen_by_git(tmp_path, monkeypatch)

    done = subprocess.run(compiling(program, fleet), capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
    # Go prints how large its heap may grow: 4 MB for every 100 of GOGC.
    first = re.search(r"^gc 1 @.* (\d+) MB goal", done.stderr, re.MULTILINE)
    assert first is not None
    assert int(first[1]) == goal
    variables = set(seen.read_text().splitlines())
    assert {one for one in variables if one.startswith("GO")} == {
        "GODEBUG=gctrace=1",
        *([f"GOGC={gogc}"] if gogc else []),
    }
    assert not [one for one in variables if one.startswith("_COMMODORE")]


def test_without_tuning_go_has_its_own_settings(
    program: list[str], fleet: Fleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GOGC", raising=False)
    monkeypatch.setenv("GODEBUG", "gctrace=1")
    monkeypatch.setenv("COMMODORE_TUNING", "off")

    done = subprocess.run(compiling(program, fleet), capture_output=True, text=True, check=False)

    first = re.search(r"^gc 1 @.* (\d+) MB goal", done.stderr, re.MULTILINE)
    assert first is not None
    assert int(first[1]) == 4


@pytest.mark.parametrize(
    ("words", "long"),
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
def test_compiles_are_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: str, *, long: bool
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COMMODORE_WORKING_DIR", raising=False)

    assert is_long(words.split()) is long


@pytest.mark.parametrize(
    ("words", "variable", "expected"),
    [
        ("-d work catalog compile c-one", "", False),
        ("--working-dir work catalog compile c-one", "", False),
        ("--working-dir=work catalog compile c-one", "", False),
        ("catalog compile c-one", "work", False),
        ("catalog compile c-one", "", True),
        ("-d other catalog compile c-one", "work", True),
        ("-d work component compile .", "", True),
    ],
)
def test_a_catalog_with_a_note_of_an_earlier_run_is_not_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: str, variable: str, *, expected: bool
) -> None:
    (tmp_path / "work/.commodore").mkdir(parents=True)
    (tmp_path / "work/.commodore" / last_run.NAME).touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COMMODORE_WORKING_DIR", variable)

    assert is_long(words.split()) is expected


@pytest.mark.parametrize(
    ("words", "ci", "expected"),
    [
        ("catalog compile c-one", "true", False),
        ("catalog compile c-one", "", True),
        ("catalog compile c-one", "false", True),
        ("catalog compile c-one --no-cache", "true", True),
        ("component compile .", "true", True),
    ],
)
def test_a_job_with_cached_results_is_not_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: str, ci: str, *, expected: bool
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COMMODORE_WORKING_DIR", raising=False)
    monkeypatch.setenv("CI", ci)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert is_long(words.split())

    result_cache(tmp_path / "commodore").mkdir(parents=True)

    assert is_long(words.split()) is expected


NULLS = """\
local list = std.native('list_dir');
{ out: { n: std.length([1 for _ in std.range(1, 3000) if std.length(list('/', null)) >= 0]) } }
"""


@pytest.mark.parametrize("tuning", ["", "off"])
def test_nulls_for_natives_do_not_break_the_exit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tuning: str
) -> None:
    # Before Python 3.12, gojsonnet releases a reference to None for each.
    fleet = make_fleet(tmp_path / "fleet", one=configmap_component("one", NULLS))
    monkeypatch.setenv("COMMODORE_TUNING", tuning)

    command = compiling([sys.executable, "-m", "commodore_py"], fleet)
    done = subprocess.run(command, capture_output=True, text=True, check=False)

    assert "none_dealloc" not in done.stderr
    assert done.returncode in {0, 1}
