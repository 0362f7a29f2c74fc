"""Which repositories of this machine a component may download."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from commodore_py.dependencies.downloads.local_sources import LocalSources
from commodore_py.errors import CommodoreError
from tests.support.builders import git, make_dependency, make_repository

if TYPE_CHECKING:
    from pathlib import Path

PRIVATE = "home/.store/r.git"


@pytest.fixture
def sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> LocalSources:
    """Those of a working directory whose component came from `tmp_path/fleet/own.git`."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    make_repository(tmp_path / PRIVATE, {"secret": "CANARY"})
    worktree = tmp_path / "work/dependencies/own"
    worktree.mkdir(parents=True)
    dependency = make_dependency("own", worktree)
    dependency = dependency._replace(url=f"file://{tmp_path}/fleet/own.git")
    return LocalSources(tmp_path / "work", [dependency])


@pytest.mark.parametrize(
    ("place", "near"),
    [
        ("fleet/lib.git", True),
        ("fleet/deeper/lib.git", True),
        ("work/dependencies/own/vendored.git", True),
        ("elsewhere/lib.git", False),
        ("elsewhere/clone", False),
    ],
)
@pytest.mark.parametrize("spelling", ["{}", "file://{}", "file://localhost{}", "/..{}"])
def test_what_is_near_may_be_named(
    sources: LocalSources, tmp_path: Path, place: str, spelling: str, *, near: bool
) -> None:
    repository = make_repository(tmp_path / "made.git", {"a": "1"})
    git(tmp_path, "clone", "--quiet", str(repository), str(tmp_path / place))

    assert sources.is_near(spelling.format(tmp_path / place)) is near


@pytest.mark.parametrize(
    "url", ["https://example.com/a/b.git", "git@example.com:a/b.git", "ssh://git@example.com/a"]
)
def test_servers_are_near(sources: LocalSources, url: str) -> None:
    assert sources.is_near(url)


@pytest.mark.parametrize(
    "url",
    [
        "{root}/home/.store/r.git",
        "{root}/home/.store/r",
        "file://{root}/home/%2Estore/r.git",
        "file://somewhere{root}/home/.store/r.git",
        "../home/.store/r.git",
        "dependencies/own/../../../home/.store/r.git",
        "{root}/home",
        "/proc/self/cwd",
        "/proc/self/root{root}/fleet/lib.git",
    ],
)
def test_some_places_are_never_read(sources: LocalSources, tmp_path: Path, url: str) -> None:
    with pytest.raises(CommodoreError, match="cannot read"):
        sources.is_near(url.format(root=tmp_path))


@pytest.mark.parametrize(
    "files",
    [
        {"commondir": "{private}\n"},
        {"commondir": "../../../../home/.store/r.git\n"},
        {"objects/info/alternates": "# nothing\n{private}/objects\n"},
        {"objects/info/alternates": "{beside}\n", "../b/info/alternates": "{private}/objects"},
        {"../fake.git": "gitdir: {private}\n"},
        {".git": "gitdir: {private}\n"},
        {".git/commondir": "{private}\n"},
    ],
)
def test_no_file_of_a_repository_leads_there(
    sources: LocalSources, tmp_path: Path, files: dict[str, str]
) -> None:
    place = tmp_path / "work/dependencies/own/fake.git"
    for name, content in {"HEAD": "ref: refs/heads/master\n", **files}.items():
        file = place / name
        if name == "../fake.git":
            (place / "HEAD").unlink()
            place.rmdir()
            file = place
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content.format(private=tmp_path / PRIVATE, beside=place.parent / "b"))

    with pytest.raises(CommodoreError, match="cannot read"):
        sources.is_near(str(place))


@pytest.mark.parametrize("link", ["objects", "refs", "refs/heads", "objects/pack", "packed-refs"])
def test_no_link_of_a_repository_leads_there(
    sources: LocalSources, tmp_path: Path, link: str
) -> None:
    place = tmp_path / "work/dependencies/own/fake.git"
    (place / link).parent.mkdir(parents=True)
    (place / "HEAD").write_text("ref: refs/heads/master\n")
    (place / link).symlink_to(tmp_path / PRIVATE / link)

    with pytest.raises(CommodoreError, match="cannot read"):
        sources.is_near("dependencies/own/fake.git")
