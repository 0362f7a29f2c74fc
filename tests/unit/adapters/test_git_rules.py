"""Whether the user's settings change what addresses of remotes mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from commodore_py.adapters.git.user_settings import has_rules_for_remotes

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def no_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The user has none."""
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "none"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")


def test_our_own_settings_are_not_rules_of_the_user(tmp_path: Path) -> None:
    assert not has_rules_for_remotes(tmp_path)


def test_rules_in_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = tmp_path / "settings"
    settings.write_text('[url "https://x/"]\n\tinsteadOf = y:\n')
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))

    assert has_rules_for_remotes(tmp_path)


def test_rules_in_variables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "protocol.file.allow")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "always")

    assert has_rules_for_remotes(tmp_path)
