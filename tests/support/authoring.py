"""Components and packages as their authors have them: a clone on a branch, with a remote."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from tests.support.builders import commit_in, component_files, git

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tests.support.command_line import CommandLine

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


def make_new(
    commodore: CommandLine, made: Path, kept: Path, kind: str, template: Path | None
) -> None:
    """A repository as `new` makes it, of this template or of ours.

    Rendering starts a Python with cookiecutter, so the first one is kept.
    """
    version = git(template, "rev-parse", "HEAD") if template else ""
    original = kept / f"{kind}-{made.name}-{version}"
    if not original.exists():
        words = ["--owner", "acme", "--output-dir", str(kept)]
        if template:
            branch = git(template, "rev-parse", "--abbrev-ref", "HEAD")
            words += ["--template-url", str(template), "--template-version", branch, "--trust"]
        kept.mkdir(exist_ok=True)
        ran = commodore(kind, "new", made.name, *words)
        assert ran.code == 0, ran.err
        (kept / made.name).rename(original)
        (original / _MADE_OF).write_text(str(template))
    shutil.copytree(original, made, symlinks=True)
    if template:
        record, before = made / ".cruft.json", (made / _MADE_OF).read_text()
        record.write_text(record.read_text().replace(before, str(template)))
        git(made, "commit", "--quiet", "--all", "--amend", "--no-edit")


_MADE_OF = ".git/template"


def make_installation(commodore: CommandLine, made: Path, kept: Path) -> None:
    """An installation as `init` makes it, of which the first is kept, too."""
    original, place = kept / "installation", kept / made.name
    if not original.exists():
        kept.mkdir(exist_ok=True)
        ran = commodore("init", str(place))
        assert ran.code == 0, ran.err
        place.rename(original)
    shutil.copytree(original, made)
    for file in made.glob("facts/*/*.yaml"):
        file.write_text(file.read_text().replace(str(place), str(made)))


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
