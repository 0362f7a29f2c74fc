"""Dependencies and catalogs on real servers: credentials, redirects, errors, bad networks."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

import pytest

from commodore_py.catalog.sinks.git import GitCatalog
from commodore_py.dependencies.catalog.checkout import fetch_catalog
from commodore_py.errors import CommodoreError
from commodore_py.model.dependency import DependencySpec, Kind
from commodore_py.model.stages import Rendered
from commodore_py.model.tree import Entry, Tree
from tests.support.builders import commit_to, git, make_cluster, make_repository
from tests.support.scenarios.dependencies import Workspace, component, head, rewrite_history, tag
from tests.support.servers import git_http, git_ssh

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.servers.git_http import HttpServer
    from tests.support.servers.git_ssh import SshServer


@pytest.fixture
def foo(workspace: Workspace) -> Path:
    return workspace.repository("foo")


@pytest.fixture
def web(workspace: Workspace) -> Iterator[HttpServer]:
    (workspace.root / "remotes").mkdir(exist_ok=True)
    with git_http.serve(workspace.root / "remotes") as server:
        yield server


@pytest.fixture
def shell(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> Iterator[SshServer]:
    with git_ssh.serve(workspace.root / "ssh") as server:
        monkeypatch.setenv("GIT_ALLOW_PROTOCOL", "file:ssh")
        monkeypatch.setenv("GIT_SSH_COMMAND", server.command)
        yield server


def from_url(url: str, version: str = "master", *, name: str = "foo") -> DependencySpec:
    return DependencySpec(Kind.COMPONENT, name, url, version, component=name)


def refused(workspace: Workspace, url: str) -> CommodoreError:
    (error,) = workspace.refused(from_url(url))
    return error


def test_unchanged_remote_gets_one_request(
    workspace: Workspace, foo: Path, web: HttpServer
) -> None:
    tag(foo, "v1")
    spec = from_url(web.url("foo.git"), "v1")
    first = workspace.fetch(spec)
    web.behaviour.received.clear()

    again = workspace.fetch(spec)

    assert again == first
    assert head(workspace.place("foo")) == git(foo, "rev-parse", "master")
    # Where the server is, and one question in protocol v2.
    assert web.behaviour.received == [
        "GET /git/foo.git/info/refs",
        "POST /git/foo.git/git-upload-pack",
    ]


def test_unused_branch_is_not_fetched(workspace: Workspace, foo: Path, web: HttpServer) -> None:
    spec = from_url(web.url("foo.git"))
    workspace.fetch(spec)
    commit_to(foo, {"more.txt": "more"}, branch="unrelated")
    web.behaviour.received.clear()

    workspace.fetch(spec)

    assert web.behaviour.received.count("POST /git/foo.git/git-upload-pack") == 1


def test_moved_branch_and_tag_on_server_are_followed(
    workspace: Workspace, foo: Path, web: HttpServer, caplog: pytest.LogCaptureFixture
) -> None:
    tag(foo, "v1")
    url = web.url("foo.git")
    workspace.fetch(from_url(url))
    workspace.fetch(from_url(url, "v1"))
    rewrite_history(foo, {"class/foo.yml": "", "class/defaults.yml": "", "new.txt": ""})
    tag(foo, "v1")

    (branch,) = workspace.fetch(from_url(url))
    (tagged,) = workspace.fetch(from_url(url, "v1"))

    assert branch.commit == tagged.commit == git(foo, "rev-parse", "master")
    assert f"a tag was moved in {url}: v1 (" in caplog.text


def test_renamed_default_branch_on_server_is_found(
    workspace: Workspace, foo: Path, web: HttpServer
) -> None:
    url = web.url("foo.git")
    workspace.fetch(from_url(url), configuration_of(url))
    git(foo, "branch", "-m", "master", "main")

    error = refused(workspace, url)
    (got,) = workspace.fetch(configuration_of(url))

    assert "revision master not found" in str(error)
    assert (got.version, got.commit) == ("main", git(foo, "rev-parse", "main"))


def configuration_of(url: str) -> DependencySpec:
    return DependencySpec(Kind.GLOBAL, "global", url, None)


def test_password_in_git_url_is_used_and_masked(
    workspace: Workspace, foo: Path, web: HttpServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    web.behaviour.password = "s3cret"

    (got,) = workspace.fetch(from_url(web.url("foo.git", user="robot:s3cret")))
    error = refused(workspace, web.url("foo.git", user="robot:wr0ng"))

    assert got.commit == git(foo, "rev-parse", "master")
    output = caplog.text + str(error) + error.where + error.hint
    assert "s3cret" not in output
    assert "wr0ng" not in output


def test_credential_helper_is_used(
    workspace: Workspace, foo: Path, web: HttpServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    web.behaviour.password = "s3cret"
    settings = workspace.root / "gitconfig"
    settings.write_text(
        '[credential]\n\thelper = "!f() { echo username=robot; echo password=s3cret; }; f"\n'
    )
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
    spec = from_url(web.url("foo.git"))

    first = workspace.fetch(spec)

    assert first == workspace.fetch(spec)
    assert first[0].commit == git(foo, "rev-parse", "master")


@pytest.mark.parametrize(
    ("status", "tries", "message"),
    [(401, 1, "could not read Username"), (403, 1, "403"), (404, 1, "not found"), (500, 3, "500")],
)
@pytest.mark.usefixtures("foo")
def test_refusal_of_git_server_is_quoted(
    workspace: Workspace, web: HttpServer, status: int, tries: int, message: str
) -> None:
    web.behaviour.failures = [status] * 9

    error = refused(workspace, web.url("foo.git"))

    assert "cannot fetch component foo" in str(error)
    assert message in str(error)
    assert error.where.splitlines()[0] == web.url("foo.git")
    assert len(web.behaviour.received) == tries


@pytest.mark.parametrize("failures", [[503], [429, 502]])
def test_temporary_git_server_failure_is_retried(
    workspace: Workspace, foo: Path, web: HttpServer, failures: list[int]
) -> None:
    web.behaviour.failures = list(failures)

    (got,) = workspace.fetch(from_url(web.url("foo.git")))

    assert got.commit == git(foo, "rev-parse", "master")


def test_truncated_git_answer_is_retried(workspace: Workspace, foo: Path, web: HttpServer) -> None:
    web.behaviour.truncated = 1

    (got,) = workspace.fetch(from_url(web.url("foo.git")))

    assert got.commit == head(workspace.place("foo")) == git(foo, "rev-parse", "master")


@pytest.mark.usefixtures("foo")
def test_all_failing_servers_are_reported(workspace: Workspace, web: HttpServer) -> None:
    web.behaviour.forbidden = True
    urls = [web.url(f"{name}.git") for name in ("one", "two", "three")]

    errors = workspace.refused(*(from_url(url, name=f"c{n}") for n, url in enumerate(urls)))

    assert [error.where.splitlines()[0] for error in errors] == urls


@pytest.mark.long
def test_slow_servers_are_queried_at_the_same_time(workspace: Workspace, web: HttpServer) -> None:
    specs = []
    for name in ("one", "two", "three", "four"):
        workspace.repository(name)
        specs.append(from_url(web.url(f"{name}.git"), name=name))
    workspace.fetch(*specs)
    web.behaviour.delay = 0.3
    web.behaviour.received.clear()

    workspace.fetch(*specs)

    # One after the other, the first server would be done before the last one is asked.
    kinds = [line.split(" ")[0] for line in web.behaviour.received]
    assert kinds == ["GET"] * 4 + ["POST"] * 4


def test_git_redirect_is_followed(workspace: Workspace, foo: Path, web: HttpServer) -> None:
    url = web.url("foo.git").replace("/git/", "/old/")

    first = workspace.fetch(from_url(url))

    assert first == workspace.fetch(from_url(url))
    assert first[0].commit == git(foo, "rev-parse", "master")


def test_instead_of_setting_rewrites_url(
    workspace: Workspace, foo: Path, web: HttpServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = make_repository(workspace.root / "elsewhere/foo.git", {"old.txt": "old"})
    settings = workspace.root / "gitconfig"
    settings.write_text(f'[url "{web.url("")}"]\n\tinsteadOf = file://{elsewhere.parent}/\n')
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
    spec = component(elsewhere)

    workspace.fetch(spec)
    commit = commit_to(foo, {"more.txt": "more"})

    assert workspace.fetch(spec)[0].commit == commit


def test_submodules_and_lfs_pointers_are_not_resolved(
    workspace: Workspace, foo: Path, web: HttpServer
) -> None:
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 5\n"
    files = {".gitattributes": "*.bin filter=lfs diff=lfs merge=lfs -text\n", "big.bin": pointer}
    commit_to(foo, files)
    tree = git(foo, "rev-parse", "master")
    with_submodule(foo, at=tree)
    spec = from_url(web.url("foo.git"))

    first, again = workspace.fetch(spec), workspace.fetch(spec)

    place = workspace.place("foo")
    assert first == again
    assert (place / "big.bin").read_text() == pointer
    assert list((place / "sub").iterdir()) == []
    assert git(place, "status", "--porcelain") == ""


def with_submodule(repository: Path, *, at: str) -> None:
    """Add a submodule that can be fetched from nowhere."""
    env = ("-c", "user.name=User", "-c", "user.email=user@example.com")
    index = repository / "scratch-index"
    os.environ["GIT_INDEX_FILE"] = str(index)
    try:
        git(repository, "read-tree", "master")
        git(repository, "update-index", "--add", "--cacheinfo", f"160000,{at},sub")
        tree = git(repository, "write-tree")
    finally:
        del os.environ["GIT_INDEX_FILE"]
    commit = git(repository, *env, "commit-tree", tree, "-p", "master", "-m", "Submodule")
    git(repository, "update-ref", "refs/heads/master", commit)


def pushed(workspace: Workspace, url: str) -> str:
    """Compile next to nothing into a catalog, and push it; returns the commit."""
    config = replace(workspace.config, push=True)
    catalog_head = fetch_catalog(config, make_cluster(catalog_url=url))
    sink = GitCatalog(config, catalog_head)
    tree = Tree({PurePosixPath("manifests/foo/cm.yaml"): Entry(b"a: 1\n")})
    sink.stage(Rendered({}, (), tree))
    commit = sink.commit("Automated\n")
    sink.push()
    return commit


@pytest.fixture
def over_http(workspace: Workspace, web: HttpServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have Git push over HTTP, as a user's settings can."""
    settings = workspace.root / "gitconfig"
    settings.write_text(f'[url "{web.url("")}"]\n\tinsteadOf = ssh://git@127.0.0.1/git/\n')
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))


@pytest.mark.usefixtures("over_http")
def test_catalog_push_follows_rewritten_url(workspace: Workspace, web: HttpServer) -> None:
    remote = make_repository(workspace.root / "remotes/catalog.git", {}, branch="main")
    web.behaviour.password = "s3cret"
    url = web.url("catalog.git", user="robot:s3cret")

    first = pushed(workspace, url)

    assert git(remote, "rev-parse", "main") == first
    assert "POST /git/catalog.git/git-receive-pack" in web.behaviour.received


def test_http_catalog_is_pushed_over_ssh_by_default(workspace: Workspace, web: HttpServer) -> None:
    make_repository(workspace.root / "remotes/catalog.git", {"README.md": "ours"})

    with pytest.raises(CommodoreError) as caught:
        pushed(workspace, web.url("catalog.git"))

    assert "check the network and your access to ssh://git@127.0.0.1/git/catalog.git" in (
        caught.value.hint
    )
    setting = git(workspace.work / "catalog", "config", "remote.origin.pushurl")
    assert setting == "ssh://git@127.0.0.1/git/catalog.git"


@pytest.mark.usefixtures("over_http")
def test_concurrent_catalog_push_is_not_overwritten(workspace: Workspace, web: HttpServer) -> None:
    remote = make_repository(workspace.root / "remotes/catalog.git", {"README.md": "ours"})
    config = replace(workspace.config, push=True)
    cluster = make_cluster(catalog_url=web.url("catalog.git"))
    sink = GitCatalog(config, fetch_catalog(config, cluster))
    theirs = commit_to(remote, {"theirs.txt": ""})
    sink.stage(Rendered({}, (), Tree({PurePosixPath("manifests/a.yaml"): Entry(b"a: 1\n")})))

    sink.commit("Automated\n")
    with pytest.raises(CommodoreError, match="fetch first"):
        sink.push()

    assert git(remote, "rev-parse", "master") == theirs


@pytest.mark.long
def test_ssh_with_key_fetches_moved_versions(
    workspace: Workspace, foo: Path, shell: SshServer
) -> None:
    tag(foo, "v1")
    url = shell.url(foo)
    first = workspace.fetch(from_url(url))
    moved_to = rewrite_history(foo, {"class/foo.yml": "", "class/defaults.yml": ""})
    tag(foo, "v1")

    (branch,) = workspace.fetch(from_url(url))
    (tagged,) = workspace.fetch(from_url(url, "v1"))

    assert first[0].commit != branch.commit == tagged.commit == moved_to
    assert "revision gone not found" in str(workspace.refused(from_url(url, "gone"))[0])


@pytest.mark.long
def test_catalog_is_cloned_and_pushed_over_ssh(workspace: Workspace, shell: SshServer) -> None:
    remote = make_repository(workspace.root / "remotes/catalog.git", {}, branch="main")

    commit = pushed(workspace, shell.url(remote))

    assert git(remote, "rev-parse", "main") == commit


def test_ssh_with_unknown_key_is_refused(
    workspace: Workspace, foo: Path, shell: SshServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_SSH_COMMAND", shell.stranger)

    error = refused(workspace, shell.url(foo))

    assert "Permission denied (publickey)" in str(error)
    assert error.where.splitlines()[0] == shell.url(foo)
