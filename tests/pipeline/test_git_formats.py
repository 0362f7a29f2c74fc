"""Repositories and checkouts that are unusual: only git knows their formats."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from commodore_py.dependencies.git.mirrors import Mirrors
from commodore_py.dependencies.git.remotes import RemoteClient
from tests.support.builders import (
    commit_in,
    commit_to,
    component_files,
    git,
    git_succeeds,
    url_of,
)
from tests.support.scenarios.dependencies import (
    Workspace,
    backups,
    component,
    configuration,
    head,
    rewrite_history,
    tag,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from commodore_py.adapters.git.refs import Refs


def plain(_: Path) -> None:
    pass


def sha256(repository: Path) -> None:
    _convert(repository, "--object-format=sha256")


def reftable(repository: Path) -> None:
    version = git(repository, "version").split()[2].split(".")
    if tuple(map(int, version[:2])) < (2, 48):
        pytest.skip("this git has no reftable")
    git(repository, "refs", "migrate", "--ref-format=reftable")


def packed(repository: Path) -> None:
    git(repository, "gc", "--quiet")


def _convert(repository: Path, option: str) -> None:
    """Replace a repository by one of another format with the same files."""
    checkout = repository.with_suffix(".files")
    git(repository, "worktree", "add", "--quiet", "--detach", str(checkout), "master")
    new = repository.with_suffix(".new")
    git(repository.parent, "init", "--quiet", "--bare", "--initial-branch=master", option, new.name)
    (checkout / ".git").unlink()
    where = (f"--git-dir={new}", f"--work-tree={checkout}")
    who = ("-c", "user.name=User", "-c", "user.email=user@example.com")
    git(checkout, *where, "add", "--all")
    git(checkout, *where, *who, "commit", "--quiet", "--message", "First")
    repository.rename(repository.with_suffix(".old"))
    new.rename(repository)


@pytest.mark.parametrize("change", [plain, sha256, reftable, packed])
@pytest.mark.parametrize("mirrored", [False, True])
@pytest.mark.sample(3)
def test_checkout_supports_repository_formats(
    workspace: Workspace, change: Callable[[Path], None], *, mirrored: bool
) -> None:
    cache = {"git_cache": workspace.root / "cache/git"} if mirrored else {}
    remote, place = workspace.repository("foo"), workspace.place("foo")
    change(remote)
    tag(remote, "v1")
    specs = (component(remote), component(remote, "v1"))

    first = workspace.fetch(specs[0], **cache)
    assert workspace.fetch(specs[0], **cache) == first
    commit = commit_to(remote, {"new.txt": "new"})
    assert workspace.fetch(specs[0], **cache)[0].commit == head(place) == commit
    tag(remote, "v1", at="master")
    assert workspace.fetch(specs[1], **cache)[0].commit == commit
    commit = rewrite_history(remote, component_files("foo", other__txt="other"))
    assert workspace.fetch(specs[0], **cache)[0].commit == head(place) == commit
    mine = commit_in(place, {"mine.txt": "mine"})
    (error,) = workspace.refused(specs[0], **cache)
    assert f"commit {mine[:7]}" in str(error)
    assert workspace.fetch(specs[0], force=True, **cache)[0].commit == commit
    assert backups(workspace.bare(remote))
    assert git(place, "fsck", "--no-dangling") == ""


@pytest.mark.parametrize("change", [sha256, reftable, packed])
def test_configuration_supports_repository_formats(
    workspace: Workspace, change: Callable[[Path], None]
) -> None:
    remote = workspace.repository("global", {"common.yml": "{}"})
    change(remote)
    spec = configuration(remote)

    (first,) = workspace.fetch(spec)
    commit = commit_to(remote, {"new.yml": "{}"})
    (got,) = workspace.fetch(spec)
    local = workspace.fetch(spec, local=True)

    assert got.commit == head(first.directory) == commit
    assert local[0].commit == commit


def test_sparse_checkout(workspace: Workspace) -> None:
    remote = workspace.repository("foo", component_files("foo", docs__txt="x"))
    workspace.fetch(component(remote))
    git(workspace.place("foo"), "sparse-checkout", "set", "--no-cone", "/class/")
    commit = commit_to(remote, {"more.txt": "more"})

    (got,) = workspace.fetch(component(remote))

    assert got.commit == head(workspace.place("foo")) == commit
    assert not (workspace.place("foo") / "more.txt").exists()
    assert workspace.fetch(component(remote)) == (got,)


def test_edits_in_fetched_submodule_are_kept(workspace: Workspace) -> None:
    inner = workspace.repository("inner", {"a.txt": "a"})
    remote = workspace.repository("foo")
    allow = ("-c", "protocol.file.allow=always")
    git(workspace.root, "clone", "--quiet", str(remote), "author")
    author = workspace.root / "author"
    git(author, *allow, "submodule", "--quiet", "add", str(inner), "inner")
    commit_in(author, {"b.txt": "b"}, message="Submodule")
    git(author, "push", "--quiet", "origin", "HEAD:master")
    (before,) = workspace.fetch(component(remote))
    place = workspace.place("foo")
    git(place, *allow, "submodule", "--quiet", "update", "--init")
    (place / "inner/a.txt").write_text("edited")
    commit = commit_to(remote, {"class/foo.yml": "{}"})

    (got,) = workspace.fetch(component(remote))

    assert before.commit != got.commit == head(place) == commit
    assert (place / "inner/a.txt").read_text() == "edited"


@pytest.mark.parametrize("separator", ["\u2028", "\u0085"])
def test_branch_names_with_line_separators(workspace: Workspace, separator: str) -> None:
    remote = workspace.repository("foo")
    git(remote, "branch", f"a{separator}b", "master")

    (first,) = workspace.fetch(component(remote))
    (got,) = workspace.fetch(component(remote, f"a{separator}b"))

    assert got.commit == first.commit


def test_tag_id_resolves_to_its_commit(workspace: Workspace) -> None:
    remote = workspace.repository("foo")
    tag(remote, "v1")
    of_tag = git(remote, "rev-parse", "v1")

    for _ in range(2):
        (got,) = workspace.fetch(component(remote, of_tag))

        assert got.commit == head(workspace.place("foo")) == git(remote, "rev-parse", "master")


def test_commit_takes_precedence_over_branch_of_same_name(workspace: Workspace) -> None:
    remote = workspace.repository("foo")
    (first,) = workspace.fetch(component(remote))
    commit_to(remote, {"new.txt": "new"})
    workspace.fetch(component(remote))
    git(workspace.bare(remote), "branch", first.commit[:8], "refs/remotes/origin/master")

    (got,) = workspace.fetch(component(remote, first.commit[:8]))

    assert got.commit == first.commit


def test_push_between_listing_and_fetch(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    remote = workspace.repository("foo")
    workspace.fetch(component(remote))
    commit_to(remote, {"new.txt": "new"})
    latest: list[str] = []

    def listed(self: RemoteClient, url: str) -> Refs:
        refs = list_refs(self, url)
        latest.append(commit_to(remote, {"newer.txt": "newer"}))
        return refs

    list_refs = RemoteClient.list_refs
    monkeypatch.setattr(RemoteClient, "list_refs", listed)

    (got,) = workspace.fetch(component(remote))

    assert got.commit == head(workspace.place("foo")) == latest[0]


def test_remote_below_the_path_of_another(workspace: Workspace) -> None:
    cache = workspace.root / "cache/git"
    outer = workspace.repository("foo")
    inner = workspace.repository("foo.git/inner", component_files("inner"))

    for specs in ((inner, "inner"), (outer, "foo")), ((outer, "foo"), (inner, "inner")):
        for remote, name in specs:
            workspace.fetch(component(remote, name=name), git_cache=cache)

    for name in ("foo", "inner"):
        assert git(workspace.place(name), "fsck", "--no-dangling") == ""
    assert Mirrors(cache).has(url_of(outer))
    assert Mirrors(cache).has(url_of(inner))
    assert Mirrors(cache).drop(Mirrors(cache).place(url_of(outer)))
    assert Mirrors(cache).has(url_of(inner))


def test_default_remote_name_setting_is_ignored(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = workspace.root / "settings"
    git(workspace.root, "config", "--file", str(settings), "clone.defaultRemoteName", "upstream")
    git(workspace.root, "config", "--file", str(settings), "safe.bareRepository", "explicit")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
    remote = workspace.repository("foo")

    workspace.fetch(component(remote), git_cache=workspace.root / "cache/git")

    monkeypatch.delenv("GIT_CONFIG_GLOBAL")
    assert git(workspace.bare(remote), "remote") == "origin"
    assert not git_succeeds(workspace.bare(remote), "config", "remote.origin.mirror")
