"""What older versions of the public templates made is updated to what Commodore makes of it.

`COMMODORE_TEMPLATE_MIRRORS` names a folder with mirrors of the templates: bare repositories, or
folders that hold one as `repo`, called `projectsyn+commodore-component-template` and
`projectsyn+commodore-config-package-template`. Without it, nothing is compared.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

from tests.support.authoring import files_below
from tests.support.builders import commit_in, git
from tests.support.commodore import find_commodore

from .test_scaffold_like_commodore import run

pytestmark = pytest.mark.e2e

MIRRORS = "COMMODORE_TEMPLATE_MIRRORS"
TEMPLATES = {
    "component": "projectsyn+commodore-component-template",
    "package": "projectsyn+commodore-config-package-template",
}
# Dates that are long ago, and those at which the templates changed more than versions of actions.
BEFORE = {
    "component": ("2022-09-01", "2023-06-01", "2024-06-06", "2024-08-01", "2025-09-01"),
    "package": ("2023-06-01", "2024-06-01", "2024-10-22"),
}
CASES = [(kind, date) for kind, dates in BEFORE.items() for date in dates]
_BOTH = ("ours", "commodore")
OURS = Path(sys.executable).with_name("commodore")


@pytest.fixture(scope="session")
def commodore() -> Path:
    return find_commodore()


@pytest.fixture(scope="session")
def mirrors() -> Path:
    """The folder that was named, before a test's environment is cleared of such variables."""
    mirrors_folder = os.environ.get(MIRRORS)
    if not mirrors_folder:
        pytest.skip(f"{MIRRORS} names no folder with mirrors of the public templates")
    return Path(mirrors_folder).resolve()


def mirror_of(mirrors: Path, kind: str) -> Path:
    folder = mirrors / TEMPLATES[kind]
    places = [folder, folder / "repo", folder / ".git", folder / "repo" / ".git"]
    for place in places:
        if (place / "HEAD").is_file():
            return place
    pytest.skip(f"there is no mirror {folder}")


@pytest.mark.parametrize(("kind", "date"), CASES)
def test_template_update_matches_commodore(
    commodore: Path, mirrors: Path, tmp_path: Path, kind: str, date: str
) -> None:
    template = tmp_path / "template"
    git(tmp_path, "clone", "--quiet", "--bare", str(mirror_of(mirrors, kind)), str(template))
    old = git(template, "rev-list", "-1", f"--before={date}", "HEAD")
    git(template, "branch", "used", old)
    url = ("--template-url", f"file://{template}", "--template-version", "used")
    features = ("--lib", "--pp") if kind == "component" else ()
    who = ("--owner", "acme", "--copyright", "Me <me@example.com>", "--output-dir", ".")
    code, output = run(
        commodore, tmp_path / "made", kind, "new", "my-thing", *who, *url, "-t", "extra", *features
    )
    assert code == 0, output[-2000:]
    made = tmp_path / "made" / "my-thing"
    readme = (made / "README.md").read_text()
    commit_in(made, {"README.md": f"{readme}\nMine.\n", "own": "x\n"})
    git(template, "branch", "--force", "used", "HEAD")

    for name, program, more in (("ours", OURS, ("--trust",)), ("commodore", commodore, ())):
        shutil.copytree(made, tmp_path / name / "my-thing", symlinks=True)
        code, output = run(program, tmp_path / name, kind, "update", "my-thing", *more)
        assert code == 0, output[-2000:]

    trees = {name: git(tmp_path / name / "my-thing", "ls-tree", "-r", "HEAD") for name in _BOTH}
    assert trees["ours"] == trees["commodore"]
    assert made_by(tmp_path, "ours") == made_by(tmp_path, "commodore")
    assert trees["ours"] != git(made, "ls-tree", "-r", "HEAD")
    messages = {
        name: git(tmp_path / name / "my-thing", "log", "-1", "--format=%B") for name in _BOTH
    }
    assert messages["ours"] == messages["commodore"]


def made_by(tmp_path: Path, name: str) -> dict[str, bytes]:
    found = files_below(tmp_path / name / "my-thing")
    return {path: content for path, content in found.items() if not path.startswith(".git/")}
