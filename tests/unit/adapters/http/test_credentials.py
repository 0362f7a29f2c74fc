"""Who one is at a registry."""

from __future__ import annotations

import base64
import json
import os
from typing import TYPE_CHECKING, Any

from commodore_py.adapters.http.credentials import Login, login_for
from tests.support.tables import each

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def _write(file: Path, content: dict[str, Any]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(content))


def _auth(user: str, password: str) -> dict[str, str]:
    return {"auth": base64.b64encode(f"{user}:{password}".encode()).decode()}


@each(
    ("noted", "host", "login"),
    [
        ({"r.org": _auth("me", "a:b")}, "r.org", Login("me", "a:b")),
        ({"https://r.org": _auth("me", "x")}, "r.org", Login("me", "x")),
        ({"r.org": {"username": "me", "password": "x"}}, "r.org", Login("me", "x")),
        ({"r.org": {"identitytoken": "t"}}, "r.org", Login(identity_token="t")),
        (
            {"https://index.docker.io/v1/": _auth("me", "x")},
            "registry-1.docker.io",
            Login("me", "x"),
        ),
        ({"other.org": _auth("me", "x")}, "r.org", None),
        ({"r.org": {"auth": "%%%"}}, "r.org", None),
        ({"r.org": "nonsense"}, "r.org", None),
    ],
)
def test_login_is_read_from_docker_config(
    empty_home: Path, noted: dict[str, Any], host: str, login: Login | None
) -> None:
    _write(empty_home / ".docker/config.json", {"auths": noted})

    assert login_for(host) == login


def test_helm_has_the_first_word(empty_home: Path) -> None:
    _write(empty_home / ".docker/config.json", {"auths": {"r.org": _auth("docker", "x")}})
    _write(
        empty_home / ".config/helm/registry/config.json", {"auths": {"r.org": _auth("helm", "x")}}
    )

    assert login_for("r.org") == Login("helm", "x")


def test_helpers_are_run(empty_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    helper = empty_home / "bin/docker-credential-mine"
    helper.parent.mkdir()
    helper.write_text(
        '#!/bin/sh\nread host\n[ "$host" = r.org ] || exit 1\n'
        """echo '{"Username": "<token>", "Secret": "t"}'\n"""
    )
    helper.chmod(0o755)
    monkeypatch.setenv("PATH", f"{helper.parent}{os.pathsep}{os.environ['PATH']}")
    _write(
        empty_home / ".docker/config.json",
        {"credsStore": "mine", "auths": {"s.org": _auth("a", "b")}},
    )

    assert login_for("r.org") == Login(identity_token="t")
    assert login_for("s.org") == Login("a", "b")


def test_invalid_docker_config_is_reported_and_ignored(
    empty_home: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (empty_home / ".docker").mkdir()
    (empty_home / ".docker/config.json").write_text("{")

    assert login_for("r.org") is None
    assert "config.json" in caplog.text
