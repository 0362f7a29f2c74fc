"""The ways to log in, by the environment."""

import sys

import pytest

from commodore_py.lieutenant.auth.login import Way, way_here
from tests.support.servers.oidc.contract import interactive_terminal


@pytest.mark.parametrize(
    ("environment", "listen", "way"),
    [
        ({}, "", Way.NO_BROWSER),
        ({}, "0.0.0.0:18000", Way.BROWSER),
        ({"DISPLAY": ":0"}, "", Way.BROWSER),
        ({"WAYLAND_DISPLAY": "wayland-0"}, "", Way.BROWSER),
        ({"BROWSER": "firefox"}, "", Way.BROWSER),
        ({"DISPLAY": ":0", "SSH_CONNECTION": "1"}, "", Way.NO_BROWSER),
        ({"DISPLAY": ":0", "SSH_TTY": "1"}, "", Way.NO_BROWSER),
        ({"BROWSER": "code", "SSH_CONNECTION": "1"}, "", Way.BROWSER),
        ({"DISPLAY": ":0", "CI": "true"}, "", Way.NONE),
        ({"DISPLAY": ":0", "CI": "1"}, "localhost:0", Way.NONE),
        ({"DISPLAY": ":0", "CI": "false"}, "", Way.BROWSER),
    ],
)
@pytest.mark.skipif(sys.platform == "darwin", reason="there is always a browser on macOS")
def test_login_method_depends_on_environment(
    environment: dict[str, str], listen: str, way: Way, monkeypatch: pytest.MonkeyPatch
) -> None:
    with interactive_terminal(monkeypatch):
        for name, value in environment.items():
            monkeypatch.setenv(name, value)

        assert way_here(listen=listen) is way


def test_no_login_method_without_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setattr(sys, "stdin", None)

    assert way_here(listen="") is Way.NONE
