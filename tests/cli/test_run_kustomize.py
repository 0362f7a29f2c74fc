"""The wrapper that components use as input of type external."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from commodore_py.lib import KUSTOMIZE_WRAPPER

if TYPE_CHECKING:
    from pathlib import Path

# Says what it was called with, and whether the output folder is there; fails in its own way.
KUSTOMIZE = """#!/bin/sh
printf '<%s>' "$@"
test -d "$4" && printf ' %s' there
exit 3
"""


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    """A PATH of its own: the few programs that the wrapper needs, but no kustomize yet."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("bash", "mkdir"):
        found = shutil.which(name)
        assert found is not None
        (folder / name).symlink_to(found)
    return folder


def _add_kustomize(programs: Path, name: str = "kustomize") -> None:
    program = programs / name
    program.write_text(KUSTOMIZE)
    program.chmod(0o755)


def _run(
    programs: Path, cwd: Path, *arguments: str, **variables: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [KUSTOMIZE_WRAPPER, *arguments],
        cwd=cwd,
        env={"PATH": str(programs), **variables},
        capture_output=True,
        text=True,
        check=False,
    )


def test_run_kustomize_replaces_itself_by_kustomize(programs: Path, tmp_path: Path) -> None:
    _add_kustomize(programs)

    run = _run(programs, tmp_path, "out dir/app", "--enable-helm", "a b", INPUT_DIR="my input")

    assert run.stdout == "<build><my input><-o><out dir/app><--enable-helm><a b> there"
    assert run.returncode == 3


def test_run_kustomize_falls_back_to_kubectl(programs: Path, tmp_path: Path) -> None:
    _add_kustomize(programs, "kubectl")

    run = _run(programs, tmp_path, "out", "--enable-helm", INPUT_DIR="in")

    assert run.stdout == "<kustomize><in><-o><out><--enable-helm> there"


def test_missing_kustomize_is_seven_and_names_the_path(programs: Path, tmp_path: Path) -> None:
    run = _run(programs, tmp_path, "out", INPUT_DIR="in")

    assert run.returncode == 7
    assert f"{programs}:/opt/homebrew/bin" in run.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("arguments", "variables", "message"),
    [
        (("out",), {}, "INPUT_DIR"),
        (("out",), {"INPUT_DIR": ""}, "INPUT_DIR"),
        ((), {"INPUT_DIR": "in"}, "first argument"),
        (("",), {"INPUT_DIR": "in"}, "first argument"),
    ],
)
def test_wrong_use_is_two(
    arguments: tuple[str, ...],
    variables: dict[str, str],
    message: str,
    programs: Path,
    tmp_path: Path,
) -> None:
    _add_kustomize(programs)

    run = _run(programs, tmp_path, *arguments, **variables)

    assert run.returncode == 2
    assert message in run.stderr
    assert run.stdout == ""
