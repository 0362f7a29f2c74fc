"""The list of a sync, templates that many repositories share, and versions alone."""

from __future__ import annotations

import re
from contextlib import ExitStack
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

import pytest

from commodore_py.model.tree import Entry as File
from commodore_py.workflows.authoring.sync.list import Entry, read_list
from commodore_py.workflows.authoring.sync.run import changes_only_ids
from commodore_py.workflows.authoring.templates.record import Record
from commodore_py.workflows.authoring.templates.source import TemplateCache
from commodore_py.workflows.authoring.templates.update import Plan
from tests.support.templates import make_template

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


def test_a_template_is_fetched_once(tmp_path: Path) -> None:
    url = str(make_template(tmp_path / "template", hook=""))
    with ExitStack() as stack:
        shelf = TemplateCache(stack)
        with shelf(url, trust=False) as first, shelf(url, trust=False) as nested:
            pass
        with shelf(url, trust=False) as second, shelf(url, "x", trust=False) as other:
            pass

        assert first is nested is second
        assert other is not first
        assert first.clone is not None
        assert first.clone.is_dir()
    assert not first.clone.exists()


@pytest.mark.parametrize(
    ("changed", "only"),
    [
        ({"commit"}, True),
        ({"commit", "checkout"}, True),
        ({"commit", "_commit"}, True),
        ({"commit", "checkout", "_commit"}, False),
        ({"checkout"}, False),
        ({"commit", "slug"}, False),
    ],
)
def test_versions_alone(tmp_path: Path, changed: set[str], only: bool) -> None:
    names = ("template", "commit", "checkout", "slug", "_commit")
    before = "".join(f'  "{name}": "old",\n' for name in names)
    after = "".join(f'  "{name}": "{"new" if name in changed else "old"}",\n' for name in names)
    (tmp_path / ".cruft.json").write_text(before)
    record = Record("", "", None, {})
    files = {PurePosixPath(".cruft.json"): File(after.encode())}
    more = {**files, PurePosixPath("README.md"): None}

    assert changes_only_ids(Plan(tmp_path, record, files, (), (), ())) is only
    assert not changes_only_ids(Plan(tmp_path, record, more, (), (), ()))
