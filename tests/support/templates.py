"""A template as others write them for cookiecutter, small enough to be read here."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.support.builders import commit_in, git

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

TOP = "{{ cookiecutter.slug }}"
VARIABLES = {
    "name": "{{ cookiecutter.slug }}",
    "slug": "the-component",
    "parameter_key": "{{ cookiecutter.slug | replace('-', '_') }}",
    "test_cases": "defaults",
    "add_lib": "n",
    "add_pp": "n",
    "add_golden": "y",
    "add_matrix": "y",
    "automerge_patch": "y",
    "automerge_patch_v0": "n",
    "automerge_patch_regexp_blocklist": "",
    "copyright_holder": "Nobody",
    "copyright_year": "1950",
    "github_owner": "nobody",
    "__hidden": "{{ cookiecutter.slug }}-hidden",
    "_copy_without_render": ["raw/*"],
}
HOOK = """\
import pathlib, shutil
for case in "{{ cookiecutter.test_cases }}".split():
    pathlib.Path("tests", f"{case}.yml").write_text("")
if "{{ cookiecutter.add_lib }}" == "n":
    shutil.rmtree("lib")
"""
FILES = {
    "README.md": "# {{ cookiecutter.name }}\n\none\ntwo\nthree\nfour\nfive\nsix\n"
    "{{ cookiecutter.__hidden }} {{ cookiecutter.copyright_holder }}\n",
    "class/defaults.yml": "parameters:\n  {{ cookiecutter.parameter_key }}: {}\n",
    "class/{{ cookiecutter.slug }}.yml": "parameters: {}\n",
    "lib/{{ cookiecutter.slug }}.libsonnet": "{}\n",
    "raw/kept": "{{ not rendered }}\n",
    "tests/placeholder": "x\n",
}


def make_template(folder: Path, *, hook: str = HOOK) -> Path:
    """A repository with a template, and a hook unless it is empty."""
    folder.mkdir(parents=True)
    git(folder, "init", "--quiet", "--initial-branch=main")
    change_template(folder, FILES)
    more = {"cookiecutter.json": json.dumps(VARIABLES, indent=2)}
    if hook:
        more["hooks/post_gen_project.py"] = hook
    commit_in(folder, more)
    return folder


def change_template(template: Path, files: Mapping[str, str]) -> str:
    """Commit other contents of a template's files; returns the commit."""
    return commit_in(template, {f"{TOP}/{name}": text for name, text in files.items()})
