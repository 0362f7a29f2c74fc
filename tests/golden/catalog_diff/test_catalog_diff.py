"""A catalog before (`old`) and after (`new`), and what is shown of the difference.

`expected` is the plain diff, `expected.<migration>` the diff under that migration. Commodore 1.35.1
shows the same, except where it shows less (all-hidden, mode-only, types-and-modes), indents after
odd line ends too (line-ends), or fails (binary; line-ends, no-objects and types-and-modes under a
migration).
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from commodore_py.adapters.git.program import git
from commodore_py.adapters.git.staging import leaves_of
from commodore_py.catalog.diff.staged import staged_files
from commodore_py.catalog.diff.text import diff_text
from commodore_py.model.catalog import Change
from tests.support.golden import golden_cases

if TYPE_CHECKING:
    from tests.support.golden import Golden, GoldenCase

CASES = golden_cases(Path(__file__).parent)
EXPECTED = [
    pytest.param(case, key, id=f"{case.name}/{key}")
    for case in CASES
    for key in case.content
    if key.startswith("expected")
]


@pytest.mark.parametrize(("case", "key"), EXPECTED)
def test_diff_is_as_expected(case: GoldenCase, key: str, golden: Golden, tmp_path: Path) -> None:
    migration = key.removeprefix("expected").removeprefix(".")

    lines = diff_text(staged(case, tmp_path / "catalog"), migration=migration)

    golden.check_key(case, key, "".join(f"{line.text}\n" for line in lines))


def test_all_cases_have_expected_content() -> None:
    assert all("expected" in case.content for case in CASES)


def staged(case: GoldenCase, repository: Path) -> Change:
    """The change from a case's old files to its new ones."""
    repository.mkdir()
    git(repository, "init", "--quiet")
    commits = []
    for key in ("old", "new"):
        shutil.rmtree(repository / "manifests", ignore_errors=True)
        # Files made within one second, of one size, look alike to an index: it starts from scratch.
        (repository / ".git/index").unlink(missing_ok=True)
        case.write_files(repository, key)
        git(repository, "add", "--all", "--force")
        who = ("-c", "user.name=x", "-c", "user.email=x")
        git(repository, *who, "commit", "--quiet", "--allow-empty", "-m", key)
        commits.append(git(repository, "rev-parse", "HEAD"))
    old, new = (leaves_of(repository, commit) for commit in commits)
    return Change(staged_files(repository, old, new.leaves, {}, lambda: commits[1]))
