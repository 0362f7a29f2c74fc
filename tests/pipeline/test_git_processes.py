"""How often Git is started when nothing changed: counted, as each start costs."""

from __future__ import annotations

import json
import os
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from commodore_py.adapters.git import user_settings
from commodore_py.config import WorkPaths
from commodore_py.dependencies.catalog.checkout import fetch_catalog
from commodore_py.model.dependency import DependencySpec, Kind
from tests.support.builders import commit_to, git, make_cluster
from tests.support.scenarios.dependencies import Workspace, component, configuration, instance, tag
from tests.support.servers import git_http

if TYPE_CHECKING:
    from collections.abc import Callable

REPOSITORIES = 40


@pytest.fixture
def started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], Counter[str]]:
    """What was started since the last time: sub-commands of git, and how often."""
    log = tmp_path / "git-events"
    log.touch()
    monkeypatch.setenv("GIT_TRACE2_EVENT", str(log))

    def since() -> Counter[str]:
        events = [json.loads(line) for line in log.read_text().splitlines()]
        log.write_text("")
        user_settings.ask.cache_clear()  # what follows is another command's
        return Counter(e["name"] for e in events if e["event"] == "cmd_name")

    return since


def settle(workspace: Workspace, *specs: DependencySpec) -> None:
    """Fetch, wait until files count as old, and look once more."""
    workspace.fetch(*specs)
    time.sleep(2.1)
    workspace.fetch(*specs)


@pytest.fixture
def forty(workspace: Workspace) -> list[DependencySpec]:
    """Components by branch and by tag, one of them with an instance of another version."""
    specs = []
    for number in range(REPOSITORIES):
        repository = workspace.repository(f"c{number}")
        tag(repository, "v1")
        specs.append(component(repository, "v1" if number % 2 else "master"))
    return [*specs, instance(specs[0], "c0-twin", version="v1")]


def test_forty_unchanged_repositories(
    workspace: Workspace, forty: list[DependencySpec], started: Callable[[], Counter[str]]
) -> None:
    fetched = workspace.fetch(*forty)
    started()

    again = workspace.fetch(*forty)
    soon = started()
    time.sleep(2.1)
    later = workspace.fetch(*forty)

    assert fetched == again == later
    # The user's settings are asked for once; for all the rest, files are read.
    assert soon == started() == {"var": 1}


def test_local_mode_asks_no_git(
    workspace: Workspace, forty: list[DependencySpec], started: Callable[[], Counter[str]]
) -> None:
    fetched = workspace.fetch(*forty)
    started()

    found = workspace.fetch(*forty, local=True)

    assert [one.short_commit for one in found] == [one.short_commit for one in fetched]
    assert [one.commit for one in found] == [one.commit for one in fetched]
    assert [one.url for one in found] == [one.url for one in fetched]
    assert started() == {}


def test_servers_get_one_request_each(
    workspace: Workspace, started: Callable[[], Counter[str]]
) -> None:
    names = [f"c{number}" for number in range(5)]
    for name in names:
        tag(workspace.repository(name), "v1")
    for name in ("global", "catalog"):
        workspace.repository(name, {"README.md": name})
    with git_http.serve(workspace.root / "remotes") as server:
        specs = [
            DependencySpec(Kind.COMPONENT, name, server.url(f"{name}.git"), "v1", component=name)
            for name in names
        ]
        specs.append(DependencySpec(Kind.GLOBAL, "global", server.url("global.git"), None))
        cluster = make_cluster(catalog_url=server.url("catalog.git"))
        settle(workspace, *specs)
        fetch_catalog(workspace.config, cluster)
        started()

        workspace.fetch(*specs)
        fetch_catalog(workspace.config, cluster)

    counted = started()
    assert counted["ls-remote"] == len(names) + 2
    assert counted["status"] == 1  # of the catalog
    assert not counted.keys() & {"fetch", "remote", "clone", "worktree"}
    assert counted["rev-list"] + counted["rev-parse"] <= 10


def test_present_commits_need_no_request(
    workspace: Workspace, started: Callable[[], Counter[str]]
) -> None:
    foo = workspace.repository("foo")
    commit = git(foo, "rev-parse", "master")
    config = configuration(workspace.repository("global", {"a.yml": ""}), None)
    pinned = config._replace(
        version=git(workspace.root / "remotes/global.git", "rev-parse", "master")
    )
    specs = (component(foo, commit), pinned)
    settle(workspace, *specs)
    for spec in specs:
        Path(spec.url.removeprefix("file://")).rename(workspace.root / spec.name)
    started()

    workspace.fetch(*specs)

    assert not started().keys() & {"ls-remote", "fetch"}


def edited(place: Path) -> None:
    (place / "new.txt").write_text("other!")


def edited_and_backdated(place: Path) -> None:
    file = place / "new.txt"
    before = file.stat()
    file.write_text("other!")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))


def removed(place: Path) -> None:
    (place / "new.txt").unlink()


def swapped(place: Path) -> None:
    (place / "copy").write_text("other!")
    (place / "copy").replace(place / "new.txt")


def folder_is_a_link(place: Path) -> None:
    (place / "class").rename(place / "elsewhere")
    (place / "class").symlink_to("elsewhere")


def executable(place: Path) -> None:
    (place / "new.txt").chmod(0o755)


def staged(place: Path) -> None:
    git(place, "rm", "--quiet", "--cached", "new.txt")


def committed(place: Path) -> None:
    who = ("-c", "user.name=User", "-c", "user.email=user@example.com")
    git(place, *who, "commit", "--quiet", "--allow-empty", "--message", "Mine")


CHANGES = [
    edited,
    edited_and_backdated,
    removed,
    swapped,
    folder_is_a_link,
    executable,
    staged,
    committed,
]


@pytest.mark.parametrize("change", CHANGES)
def test_a_worktree_that_is_clean_is_checked_again_after(
    workspace: Workspace, started: Callable[[], Counter[str]], change: Callable[[Path], None]
) -> None:
    spec = component(workspace.repository("foo"))
    commit_to(workspace.root / "remotes/foo.git", {"new.txt": "mine!!"})
    workspace.fetch(spec)
    started()
    workspace.fetch(spec)
    assert started() == {"var": 1}

    change(workspace.place("foo"))

    (error,) = workspace.refused(spec)
    assert "component foo holds local work" in str(error)


@pytest.mark.sample(3)
@pytest.mark.parametrize("change", CHANGES)
def test_a_worktree_that_git_called_clean_is_checked_again_after(
    workspace: Workspace, started: Callable[[], Counter[str]], change: Callable[[Path], None]
) -> None:
    spec = component(workspace.repository("foo"))
    commit_to(workspace.root / "remotes/foo.git", {"new.txt": "mine!!"})
    workspace.fetch(spec)
    # What Git was told not to look at is not ours to judge.
    git(workspace.place("foo"), "update-index", "--assume-unchanged", "class/defaults.yml")
    settle(workspace, spec)
    started()
    workspace.fetch(spec)
    assert started() == {"var": 1}

    change(workspace.place("foo"))

    (error,) = workspace.refused(spec)
    assert "component foo holds local work" in str(error)


def untracked(place: Path) -> None:
    (place / "class/mine.txt").write_text("mine")


def on_a_branch(place: Path) -> None:
    git(place, "checkout", "--quiet", "-b", "mine")
    committed(place)
    git(place, "checkout", "--quiet", "master")


@pytest.mark.sample(7)
@pytest.mark.parametrize("ignored", [False, True])
@pytest.mark.parametrize("change", [*CHANGES, untracked, on_a_branch])
def test_a_configuration_that_is_clean_is_checked_again_after(
    workspace: Workspace,
    started: Callable[[], Counter[str]],
    change: Callable[[Path], None],
    *,
    ignored: bool,
) -> None:
    files = {"new.txt": "mine!!", "class/a.yml": "", ".gitignore": "*.log\n"}
    spec = configuration(workspace.repository("global", files))
    place = workspace.fetch(spec)[0].directory
    if ignored:
        (place / "a.log").write_text("nothing of interest")
    settle(workspace, spec)
    started()
    workspace.fetch(spec)
    assert started() == {"var": 1}

    change(place)

    (error,) = workspace.refused(spec)
    assert "holds local work" in str(error)


def test_a_new_repository_takes_few_programs(
    workspace: Workspace, started: Callable[[], Counter[str]]
) -> None:
    names = ("a", "b", "c")
    specs = [component(workspace.repository(name)) for name in names]
    started()

    workspace.fetch(*specs)

    # The first bare clone is made by Git, the others are like it.
    each = ("rev-list", "worktree", "reset", "branch", "symbolic-ref")
    assert started() == {"init": 1, "var": 1, **dict.fromkeys(each, len(names))}


def test_a_new_repository_on_a_server_takes_few_programs(
    workspace: Workspace, started: Callable[[], Counter[str]]
) -> None:
    workspace.repository("foo")
    with git_http.serve(workspace.root / "remotes") as server:
        url = server.url("foo.git")
        started()
        workspace.fetch(DependencySpec(Kind.COMPONENT, "foo", url, "master", component="foo"))

    counted = started()
    assert counted["init"] == counted["fetch"] == counted["pack-refs"] == 1
    assert counted["worktree"] == counted["reset"] == 1
    assert not counted.keys() & {
        "checkout",
        "update-ref",
        "maintenance",
        "for-each-ref",
    }


def test_what_was_pushed_takes_few_programs(
    workspace: Workspace, started: Callable[[], Counter[str]]
) -> None:
    repository = workspace.repository("foo")
    spec, cache = component(repository), workspace.root / "cache"
    workspace.fetch(spec, git_cache=cache)
    commit = commit_to(repository, {"new.txt": "new"})
    started()

    (got,) = workspace.fetch(spec, git_cache=cache)

    counted = started()
    assert got.commit == commit
    ours = {"fetch", "pack-refs", "pack-objects", "index-pack", "checkout"}
    of_fetch = {
        "config",
        "var",
        "upload-pack",
        "pack-objects",
        "unpack-objects",
        "rev-list",
        "maintenance",
        "gc",
    }
    assert counted.keys() <= ours | of_fetch
    assert all(counted[name] == 1 for name in ours - {"pack-objects"})


def test_a_repository_that_is_cached_as_the_remote_has_it_is_only_checked_out(
    workspace: Workspace, started: Callable[[], Counter[str]]
) -> None:
    repository = workspace.repository("foo")
    tag(repository, "v1.0.0")
    with git_http.serve(workspace.root / "remotes") as server:
        spec = DependencySpec(
            Kind.COMPONENT, "foo", server.url("foo.git"), "v1.0.0", component="foo"
        )
        cache, two = workspace.root / "cache", workspace.root / "two"
        two.mkdir()
        workspace.fetch(spec, git_cache=cache, paths=WorkPaths(workspace.root / "one"))
        started()
        (got,) = workspace.fetch(spec, git_cache=cache, paths=WorkPaths(two))

    counted = started()
    assert got.commit == git(repository, "rev-parse", "v1.0.0^{commit}")
    assert counted["init"] == counted["ls-remote"] == counted["worktree"] == 1
    assert not counted.keys() & {
        "checkout",
        "fetch",
        "pack-refs",
        "cat-file",
        "rev-list",
    }
