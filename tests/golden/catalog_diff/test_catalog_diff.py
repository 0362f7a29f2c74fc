"""Golden diffs: each case is a catalog before and after, and what is shown of the difference.

`expected` is the plain diff, `expected.<migration>` the diff under that migration. Commodore 1.35.1
shows the same, except where it shows less (all-hidden, mode-only, types-and-modes), indents after
odd line ends too (line-ends), or fails (binary; line-ends, no-objects and types-and-modes under a
migration).
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from commodore_py.adapters.git.program import git
from commodore_py.catalog.diff.text import diff_text
from commodore_py.catalog.sinks.staged import staged_files
from commodore_py.model.catalog import Change

CASES = Path(__file__).parent
EXPECTED = sorted(CASES.glob("*/expected*"))


@pytest.mark.parametrize("expected", EXPECTED, ids=lambda p: f"{p.parent.name}/{p.name}")
def test_diff_is_as_expected(expected: Path, tmp_path: Path) -> None:
    migration = expected.name.removeprefix("expected").removeprefix(".")

    lines = diff_text(staged(expected.parent, tmp_path / "catalog"), migration=migration)

    assert "".join(f"{line.text}\n" for line in lines) == expected.read_bytes().decode()


def test_every_case_says_what_is_expected() -> None:
    cases = {path for path in CASES.iterdir() if (path / "old").is_dir()}

    assert cases == {path.parent for path in EXPECTED}


def staged(case: Path, repository: Path) -> Change:
    """The change from a case's old files to its new ones."""
    shutil.copytree(case / "old", repository, symlinks=True)
    git(repository, "init", "--quiet")
    git(repository, "add", "--all", "--force")
    git(repository, "-c", "user.name=x", "-c", "user.email=x", "commit", "--quiet", "-m", "old")
    # Files made within one second, of one size, look alike to an index: it starts anew.
    (repository / ".git/index").unlink()
    shutil.rmtree(repository / "manifests")
    shutil.copytree(case / "new", repository, symlinks=True, dirs_exist_ok=True)
    git(repository, "add", "--all", "--force")
    return Change(staged_files(repository))
