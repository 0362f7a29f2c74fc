"""`commodore catalogue`, in a working directory that was compiled."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from commodore_py.adapters.git.program import git
from commodore_py.workflows.demo import write_demo

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.command_line import CommandLine

DESCRIBED = """\
  certificates:
    =_metadata:
      catalogue: {license: MIT, documentation: 'https://docs.example.com', tags: [tls]}
"""
WHO = ("-c", "user.name=t", "-c", "user.email=t@example.org")


@pytest.fixture
def own(tmp_path: Path, commodore: CommandLine, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory whose component certificates describes itself, with newer tags."""
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    folder = tmp_path / "demo"
    write_demo(folder)
    facts = str(folder / "facts")
    assert (
        commodore("-d", str(folder), "catalog", "compile", "c-demo-1", "--api-url", facts).code == 0
    )
    checkout = folder / "dependencies" / "certificates"
    file = checkout / "class" / "defaults.yml"
    text = file.read_text()
    git(checkout, "tag", "v0.9.0")
    file.write_text(text.replace("  certificates:\n", DESCRIBED, 1))
    git(checkout, *WHO, "commit", "--quiet", "--all", "-m", "described")
    for name in ("v10.0.0", "v9.0.0", "nightly"):
        git(checkout, "tag", name)
    git(checkout, "reset", "--quiet", "--soft", "HEAD~")
    return folder


def test_components_are_listed_with_newer_versions(commodore: CommandLine, own: Path) -> None:
    ran = commodore("-d", str(own), "catalogue", "list")
    found = json.loads(commodore("-d", str(own), "catalogue", "list", "-o", "json").out)

    assert ran.code == 0
    lines = {line.split()[0]: line.split() for line in ran.out.splitlines()}
    assert lines["certificates"] == ["certificates", "v1.4.0", "newest", "v10.0.0", "certificates"]
    assert lines["backup"][-1] == "backup"
    assert lines["backup-archive"][-1] == "backup-archive"
    assert len(lines["web-shop"][1]) == 12  # no tag: a commit
    (one,) = [one for one in found["components"] if one["name"] == "certificates"]
    assert one["versions"] == ["v10.0.0", "v9.0.0", "v1.4.0", "v0.9.0"]
    assert one["newer"] == ["v10.0.0", "v9.0.0"]
    assert (one["license"], one["tags"]) == ("MIT", ["tls"])


def test_a_component_is_shown_with_the_parameters_of_a_version(
    commodore: CommandLine, own: Path
) -> None:
    words = ("-d", str(own), "catalogue", "show")
    now = commodore(*words, "certificates")
    old = commodore(*words, "certificates", "--version", "v0.9.0")
    unknown = commodore(*words, "certificates", "--version", "v9.0.1")
    typo = commodore(*words, "certificate")

    assert "license: MIT" in now.out
    assert "certificates.=_metadata.catalogue.license: MIT" in now.out
    assert "parameters of v0.9.0:" in old.out
    assert "catalogue.license" not in old.out
    assert (unknown.code, "v9.0.0" in unknown.err) == (1, True)
    assert (typo.code, "did you mean certificates?" in typo.err) == (1, True)


def test_a_catalogue_needs_a_compiled_working_directory(
    commodore: CommandLine, tmp_path: Path
) -> None:
    ran = commodore("-d", str(tmp_path / "empty"), "catalogue", "list")

    assert (ran.code, "catalog compile" in ran.err) == (1, True)
