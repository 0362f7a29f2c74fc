"""The program: exit codes, standard input, environment, and tuning that changes no result."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.support.fleet import CLUSTER, Fleet, configmap_component, make_fleet

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.sample(2)

MANY_VALUES = "{ out: { n: std.length([std.toString(i) + 'x' for i in std.range(1, 200000)]) } }"
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


def compiling(program: list[str], fleet: Fleet, *more: str) -> list[str]:
    facts = str(fleet.root / "facts")
    words = ("-d", str(fleet.work), "catalog", "compile", CLUSTER, "--api-url", facts)
    return [*program, *words, "--processes", "1", *more]


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["catalog", "compile", "c-one", "--nonsense"], 2),
        (["catalog", "compile", "c-one", "--api-url", "./nowhere"], 1),
        (["catalog", "compile", "--help"], 0),
    ],
)
def test_program_returns_exit_code(
    program: list[str], tmp_path: Path, words: list[str], code: int
) -> None:
    done = subprocess.run([*program, *words], cwd=tmp_path, capture_output=True, check=False)

    assert done.returncode == code


def test_program_reads_stdin(program: list[str], fleet: Fleet) -> None:
    command = compiling(program, fleet, "--push", "--interactive")

    done = subprocess.run(command, input="y\n", capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
    assert list(fleet.catalog_files()) == ["manifests/one/out.yaml"]


def test_script_on_stdin_can_call_main(fleet: Fleet) -> None:
    # What is read from stdin cannot be read again.
    script = (
        "import sys; from commodore_py.__main__ import main; print('once', flush=True); main()\n"
    )
    command = compiling([sys.executable, "-"], fleet)

    done = subprocess.run(command, input=script, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("once\n")


@pytest.mark.parametrize(("gogc", "goal"), [(None, 16), ("200", 8)])
def test_compile_sets_gogc_unless_the_user_did(
    program: list[str],
    fleet: Fleet,
    monkeypatch: pytest.MonkeyPatch,
    gogc: str | None,
    goal: int,
) -> None:
    monkeypatch.delenv("GOGC", raising=False)
    if gogc is not None:
        monkeypatch.setenv("GOGC", gogc)
    monkeypatch.setenv("GODEBUG", "gctrace=1")

    done = subprocess.run(compiling(program, fleet), capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
    # Go prints how large its heap may grow: 4 MB for every 100 of GOGC.
    first = re.search(r"^gc 1 @.* (\d+) MB goal", done.stderr, re.MULTILINE)
    assert first is not None
    assert int(first[1]) == goal


NULLS = """\
local list = std.native('list_dir');
{ out: { n: std.length([1 for _ in std.range(1, 3000) if std.length(list('/', null)) >= 0]) } }
"""


def test_null_arguments_of_natives_do_not_crash_exit(tmp_path: Path) -> None:
    # Before Python 3.12, gojsonnet releases a reference to None for each.
    fleet = make_fleet(tmp_path / "fleet", one=configmap_component("one", NULLS))

    command = compiling([sys.executable, "-m", "commodore_py"], fleet)
    done = subprocess.run(command, capture_output=True, text=True, check=False)

    assert "none_dealloc" not in done.stderr
    assert done.returncode in {0, 1}
