"""The list of a sync."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from commodore_py.workflows.authoring.sync.list import Entry, read_list

if TYPE_CHECKING:
    from pathlib import Path

PUBLIC = "https://api.github.com"
ENTERPRISE = "https://git.example.com/api/v3"


@pytest.mark.parametrize(
    ("text", "api", "github", "url"),
    [
        ("acme/component-a", PUBLIC, "acme/component-a", ""),
        ("acme/component-a", ENTERPRISE, "acme/component-a", ""),
        ("https://github.com/acme/component-a.git", PUBLIC, "acme/component-a", ""),
        ("git@github.com:acme/component-a.git", PUBLIC, "acme/component-a", ""),
        ("https://git.example.com/acme/component-a", ENTERPRISE, "acme/component-a", ""),
        ("https://github.com/a/component-a", ENTERPRISE, "", "https://github.com/a/component-a"),
        ("git@example.com:a/b/component-a.git", PUBLIC, "", "git@example.com:a/b/component-a.git"),
        ("ssh://git@h/component-a", PUBLIC, "", "ssh://git@h/component-a"),
        ("/srv/git/component-a.git", PUBLIC, "", "/srv/git/component-a.git"),
    ],
)
def test_entries(tmp_path: Path, text: str, api: str, github: str, url: str) -> None:
    (tmp_path / "list").write_text(f"- {text}\n")

    (entry,) = read_list(tmp_path / "list", api, None)

    assert (entry.github, entry.url) == (github, url)
    assert entry.dependency("component-") == "a"


def test_each_entry_counts_once_and_is_searched_for(tmp_path: Path) -> None:
    listed = ("acme/component-b", "acme/a", "https://github.com/acme/component-b.git")
    (tmp_path / "list").write_text("".join(f"- {one}\n" for one in listed))

    assert [one.github for one in read_list(tmp_path / "list", PUBLIC, None)] == [
        "acme/component-b",
        "acme/a",
    ]
    assert [str(one) for one in read_list(tmp_path / "list", PUBLIC, re.compile("/a$"))] == [
        "acme/a"
    ]


def test_passwords_are_not_shown() -> None:
    entry = Entry("https://me:secret@h/a.git", url="https://me:secret@h/a.git")

    assert "secret" not in str(entry)
