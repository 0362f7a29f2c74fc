"""Credentials in URLs of repositories: Git gets them, and no argument, file or message has them."""

from __future__ import annotations

import logging
import os
import shutil
from typing import TYPE_CHECKING

import pytest

from commodore_py.adapters.git_urls import without_credentials
from commodore_py.model.dependency import DependencySpec, Kind
from tests.support.builders import git
from tests.support.servers import git_http
from tests.support.tables import each

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.support.scenarios.dependencies import Workspace
    from tests.support.servers.git_http import HttpServer

SECRET = "c4nary:s3cr%t/'$(x)"
IN_URL = "c4nary%3As3cr%25t%2F%27%24%28x%29"
MARK = "c4nary"


@pytest.fixture
def web(workspace: Workspace) -> Iterator[HttpServer]:
    workspace.repository("foo")
    workspace.repository("bar")
    with git_http.serve(workspace.root / "remotes") as server:
        server.behaviour.password = SECRET
        yield server


@pytest.fixture
def arguments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], str]:
    """The arguments of each git program, and of the programs that they start."""
    folder = tmp_path / "bin"
    folder.mkdir()
    program = folder / "git"
    program.write_text(
        f'#!/bin/sh\necho "$@" >> {tmp_path}/calls\n'
        f'GIT_TRACE={tmp_path}/trace exec {shutil.which("git")} "$@"\n'
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder), prepend=os.pathsep)
    return lambda: (tmp_path / "calls").read_text() + (tmp_path / "trace").read_text()


def component(url: str, name: str = "foo") -> DependencySpec:
    return DependencySpec(Kind.COMPONENT, name, url, "master", component=name)


def files_with(folder: Path, text: str) -> list[str]:
    return [
        str(path.relative_to(folder))
        for path in folder.rglob("*")
        if path.is_file() and text.encode() in path.read_bytes()
    ]


def test_credentials_in_url_are_used_and_not_stored(
    workspace: Workspace,
    web: HttpServer,
    arguments: Callable[[], str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    url = web.url("foo.git", user=f"robot:{IN_URL}")

    (first,) = workspace.fetch(component(url))
    (again,) = workspace.fetch(component(url))

    assert first == again
    assert first.url == web.url("foo.git")
    assert "remote-http" in arguments()
    for shown in (arguments(), caplog.text, repr(first.url)):
        assert MARK not in shown
    assert files_with(workspace.config.paths.root, MARK) == []
    assert git(first.worktree, "config", "remote.origin.url") == web.url("foo.git")


def test_each_repository_has_its_own_credentials(workspace: Workspace, web: HttpServer) -> None:
    good = component(web.url("foo.git", user=f"robot:{IN_URL}"))
    bad = component(web.url("bar.git", user="robot:wr0ng-password"), name="bar")

    (error,) = workspace.refused(good, bad)

    shown = f"{error} {error.where} {error.__notes__}"
    assert "bar" in shown
    assert "foo" not in shown
    assert "wr0ng" not in shown


def test_stored_credentials_are_removed_from_clone(workspace: Workspace, web: HttpServer) -> None:
    url = web.url("foo.git", user=f"robot:{IN_URL}")
    (fetched,) = workspace.fetch(component(url))
    git(fetched.worktree, "config", "remote.origin.url", url)

    workspace.fetch(component(url))

    assert files_with(workspace.config.paths.root, MARK) == []


def test_credential_settings_of_user_are_used(
    workspace: Workspace, web: HttpServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A helper of the user answers for a URL that has only a user.
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "credential.helper")
    monkeypatch.setenv(
        "GIT_CONFIG_VALUE_0",
        "!f() { cat > " + str(workspace.root / "asked") + '; echo "password=$SECRET"; }; f',
    )
    monkeypatch.setenv("SECRET", SECRET)

    workspace.fetch(component(web.url("foo.git", user="robot")))

    assert "username=robot" in (workspace.root / "asked").read_text()


@each(
    ("url", "expected"),
    [
        ("https://me:pw@host/x.git", "https://host/x.git"),
        ("HTTPS://t0ken@host/x", "HTTPS://host/x"),
        ("https://t0ken:x-oauth-basic@host:8443/x", "https://host:8443/x"),
        ("https://a@b:c@host/x@y", "https://host/x@y"),
        ("https://git@host/x", "https://git@host/x"),
        ("https://host/x@y", "https://host/x@y"),
        ("ssh://git@host/x", "ssh://git@host/x"),
        ("git@host:x", "git@host:x"),
        ("/srv/me:pw@host/x", "/srv/me:pw@host/x"),
        ("https://[", "https://["),
    ],
)
def test_urls_without_credentials(url: str, expected: str) -> None:
    assert without_credentials(url) == expected
