"""Components and packages as their authors have them: a clone on a branch, with a remote."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.builders import commit_in, component_files, git

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

# An instance's output: the inputs of its component's code, the code's path, its value.
CLASS = """\
parameters:
  kapitan:
    compile:
      - input_paths: ['${_base_directory}/component/main.jsonnet']
        input_type: jsonnet
        output_path: out/
"""


def make_component_clone(
    parent: Path,
    name: str,
    files: Mapping[str, str] | None = None,
    *,
    code: str = "{ hello: 'world' }",
    remote: str | None = "origin",
) -> Path:
    """A clone of `component-<name>` whose code is compiled to `out/`."""
    content = {
        **component_files(name),
        f"class/{name}.yml": CLASS,
        "component/main.jsonnet": code,
        **(files or {}),
    }
    return _clone(parent / f"component-{name}", content, remote)


def make_package_clone(parent: Path, name: str, files: Mapping[str, str]) -> Path:
    """A clone of `package-<name>`."""
    return _clone(parent / f"package-{name}", files, "origin")


def files_below(folder: Path) -> dict[str, bytes]:
    """The content of all files, by their paths."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def _clone(folder: Path, files: Mapping[str, str], remote: str | None) -> Path:
    folder.mkdir(parents=True)
    git(folder, "init", "--quiet", "--initial-branch=master")
    commit_in(folder, files)
    if remote:
        git(folder, "remote", "add", remote, f"https://git.example.com/{folder.name}.git")
    return folder
