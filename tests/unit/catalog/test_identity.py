"""The author of commits: from options, else from Git, else the account on this machine."""

import getpass
import platform
from pathlib import Path

import pytest

from commodore_py.adapters.git.program import git
from commodore_py.catalog.identity import committer
from commodore_py.config import Author

ACCOUNT = getpass.getuser()
HOST = f"{ACCOUNT}@{platform.node()}"


@pytest.mark.parametrize(
    ("author", "environment", "settings", "expected"),
    [
        pytest.param(
            Author("Ann", "ann@a"),
            {"GIT_COMMITTER_NAME": "Env", "GIT_COMMITTER_EMAIL": "e@e"},
            {"user.name": "Set", "user.email": "s@s"},
            Author("Ann", "ann@a"),
            id="options",
        ),
        pytest.param(
            Author(),
            {"GIT_COMMITTER_NAME": "Env", "GIT_COMMITTER_EMAIL": "e@e"},
            {"user.name": "Set", "user.email": "s@s"},
            Author("Env", "e@e"),
            id="environment",
        ),
        pytest.param(
            Author(),
            {"GIT_AUTHOR_NAME": "other", "GIT_AUTHOR_EMAIL": "other"},
            {"user.name": "Set O'Name", "user.email": "s@s"},
            Author("Set O'Name", "s@s"),
            id="settings",
        ),
        pytest.param(
            Author("Ann"),
            {},
            {"user.name": "Set", "user.email": "s@s"},
            Author("Ann", "s@s"),
            id="name",
        ),
        pytest.param(
            Author(email="ann@a"),
            {"GIT_COMMITTER_NAME": "Env"},
            {},
            Author("Env", "ann@a"),
            id="email",
        ),
        pytest.param(Author("Ann"), {}, {}, Author("Ann", HOST), id="name-alone"),
        pytest.param(Author(), {}, {}, Author(ACCOUNT, HOST), id="account"),
        pytest.param(
            Author(), {}, {"user.email": "s@s"}, Author(ACCOUNT, "s@s"), id="account-and-setting"
        ),
    ],
)
def test_each_half_is_looked_up_where_git_would(
    *,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    author: Author,
    environment: dict[str, str],
    settings: dict[str, str],
    expected: Author,
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    for name, value in settings.items():
        git(tmp_path, "config", "--global", name, value)

    assert committer(author, tmp_path) == expected


def test_without_an_account_there_is_a_name_of_last_resort(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(getpass, "getuser", _no_account)

    assert committer(Author(), tmp_path) == Author("Commodore", "commodore@syn.tools")


def _no_account() -> str:
    raise KeyError("uid not found")
