"""`component|package compile`: temporary directories; see also cases/."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.authoring import make_component_clone, make_package_clone
from tests.support.builders import make_repository, url_of
from tests.support.fleet import configmap_component

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.command_line import CommandLine


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where temporary directories are made."""
    folder = tmp_path / "scratch"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    return folder


@pytest.mark.parametrize("verbosity", [2, 3])
def test_component_directory_is_kept_for_debugging(
    commodore: CommandLine, tmp_path: Path, scratch: Path, verbosity: int
) -> None:
    component = make_component_clone(tmp_path / "src", "one")

    assert commodore("component", "compile", str(component), f"-{'v' * verbosity}").code == 0

    kept = [path for path in scratch.glob("component-*") if path.is_dir()]
    assert len(kept) == (1 if verbosity == 3 else 0)


@pytest.mark.parametrize("keep", [False, True])
def test_package_directory_is_kept_on_request(
    commodore: CommandLine, tmp_path: Path, scratch: Path, keep: bool
) -> None:
    url = url_of(make_repository(tmp_path / "one.git", configmap_component("one")))
    listed = f"{{one: {{url: '{url}', version: master}}}}"
    main = f"applications: [one]\nparameters: {{components: {listed}}}\n"
    files = {"main.yml": main, "tests/defaults.yml": "classes: [..main]\n"}
    package = make_package_clone(tmp_path / "src", "it", files)
    options = ["-k"] if keep else []

    ran = commodore("package", "compile", str(package), "tests/defaults.yml", *options)

    assert len(list(scratch.glob("package-*"))) == int(keep)
    assert ("--tmp-dir" in ran.err) == keep
