"""Git without an identity, and with no settings but a test's own."""

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def _git_without_identity(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for half in ("NAME", "EMAIL"):
        monkeypatch.delenv(f"GIT_AUTHOR_{half}", raising=False)
        monkeypatch.delenv(f"GIT_COMMITTER_{half}", raising=False)
    monkeypatch.delenv("EMAIL", raising=False)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("HOME", str(tmp_path))
