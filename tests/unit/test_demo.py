"""Writing the playground of `commodore demo`: where it may go, and that it is the same anywhere."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from commodore_py.errors import CommodoreError
from commodore_py.workflows.demo import Demo, write_demo
from tests.support.builders import git

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Demo:
    return write_demo(tmp_path_factory.mktemp("demo") / "playground")


def test_every_url_in_the_facts_is_a_repository_of_the_playground(demo: Demo) -> None:
    texts = [path.read_text() for path in (demo.directory / "facts").rglob("*.yaml")]
    urls = re.findall(r"file://\S+\.git", "\n".join(texts))
    repositories = {path.as_uri() for path in (demo.directory.resolve() / "repos").iterdir()}

    assert len(urls) == 4
    assert set(urls) <= repositories
    assert "@" not in "".join(texts)


def test_commands_in_the_playground_find_the_facts(demo: Demo) -> None:
    settings = (demo.directory / ".env").read_text().splitlines()

    assert "COMMODORE_API_URL=./facts" in settings


def test_every_cluster_has_an_empty_catalog(demo: Demo) -> None:
    for cluster in demo.clusters:
        catalog = demo.directory / "repos" / f"catalog-{cluster}.git"
        assert git(catalog, "rev-parse", "--is-bare-repository") == "true"
        assert git(catalog, "symbolic-ref", "HEAD") == "refs/heads/master"
        assert not git(catalog, "for-each-ref")


def test_commits_are_the_same_everywhere(
    demo: Demo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = tmp_path / "gitconfig"
    settings.write_text("[commit]\n\tgpgSign = true\n[init]\n\tdefaultBranch = trunk\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
    monkeypatch.setenv("GIT_DEFAULT_HASH", "sha256")
    monkeypatch.setenv("GIT_AUTHOR_DATE", "2001-01-01T00:00:00Z")

    other = write_demo(tmp_path / "Spielplatz für alle")

    assert _refs(other) == _refs(demo)
    assert _refs(demo)


def test_repositories_can_be_cloned_from_a_place_with_a_difficult_name(tmp_path: Path) -> None:
    demo = write_demo(tmp_path / "50% @home, grün")

    facts = (demo.directory / "facts" / "tenants" / "t-demo.yaml").read_text()
    (url,) = re.findall(r"file://\S+/global\.git", facts)

    git(tmp_path, "clone", "--quiet", url, "clone")

    assert (tmp_path / "clone" / "commodore.yml").is_file()


def test_next_steps_are_those_of_the_readme(demo: Demo) -> None:
    readme = (demo.directory / "README.md").read_text()

    assert re.findall("^    (.*)$", readme, re.MULTILINE) == list(demo.next_steps[1:])


def test_an_empty_folder_is_welcome(tmp_path: Path) -> None:
    assert write_demo(tmp_path).directory == tmp_path


def test_a_folder_with_content_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "diary.txt").write_text("mine")

    with pytest.raises(CommodoreError, match="not empty") as caught:
        write_demo(tmp_path)

    assert caught.value.where == str(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["diary.txt"]


def test_a_playground_is_not_created_on_a_file(tmp_path: Path) -> None:
    (tmp_path / "demo").write_text("mine")

    with pytest.raises(CommodoreError, match="is not a folder"):
        write_demo(tmp_path / "demo")


def _refs(demo: Demo) -> dict[str, str]:
    """What every branch and tag of every repository points to."""
    repositories = sorted((demo.directory / "repos").iterdir())
    return {path.name: git(path, "for-each-ref") for path in repositories}
