"""The program ends at once, and everything that was to happen at the end has happened."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(sys.executable).with_name("commodore")
_AT_EXIT = "import atexit, pathlib; atexit.register(pathlib.Path('said').write_text, 'at the end')"
_THREAD = """
import pathlib, threading, time
def work():
    time.sleep(0.3)
    pathlib.Path('said').write_text('at the end')
threading.Thread(target=work).start()
"""


def ran(folder: Path, *words: str, site: str = "", out: int = subprocess.PIPE) -> tuple[int, str]:
    """Run the program in a folder; `site` is code that Python runs before it."""
    (folder / "site").mkdir(exist_ok=True)
    (folder / "site/sitecustomize.py").write_text(site)
    environment = {**os.environ, "PYTHONPATH": str(folder / "site")}
    done = subprocess.run(
        [PROGRAM, *words],
        cwd=folder,
        env=environment,
        stdout=out,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    return done.returncode, (done.stdout or "") + done.stderr


@pytest.mark.parametrize("site", [_AT_EXIT, _THREAD], ids=["at exit", "a thread"])
def test_exit_handlers_and_threads_complete(tmp_path: Path, site: str) -> None:
    code, output = ran(tmp_path, "--version", site=site)

    assert (code, output.split()[0]) == (0, "commodore,")
    assert (tmp_path / "said").read_text() == "at the end"


def test_exit_code_of_run_is_kept(tmp_path: Path) -> None:
    code, output = ran(tmp_path, "catalog", "compile")

    assert (code, "Missing argument" in output) == (2, True)


def test_unwritable_output_fails(tmp_path: Path) -> None:
    with Path("/dev/full").open("w") as full:
        code, output = ran(tmp_path, "--help", out=full.fileno())

    assert code != 0
    assert "No space left" in output
