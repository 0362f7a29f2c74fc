"""The journal of a working directory: what a killed run began, and nothing that others wrote."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from commodore_py.config import WorkPaths
from commodore_py.dependencies.protection.journal import Intent, Journal

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    return Journal.of(WorkPaths(tmp_path))


def test_what_was_begun_is_read_again(journal: Journal) -> None:
    intent = Intent("dependencies/a", before="1" * 40, after="2" * 40)

    file = journal.note(intent)

    assert list(journal.open_intents()) == [(file, intent)]


@pytest.mark.parametrize(
    "content",
    [
        {"place": "/home/me"},
        {"place": "../outside"},
        {"place": "dependencies/../../outside"},
        {"place": ""},
        {"place": "a\0b"},
        {"place": "x" * 5000},
        {"place": ["a"]},
        {"place": "a", "after": "1\n2"},
        {"place": "a", "after": "--foo"},
        {"place": "a", "of a newer version": ""},
        ["a"],
    ],
)
def test_what_no_run_would_write_is_forgotten(journal: Journal, content: object) -> None:
    file = journal.note(Intent("a"))
    file.write_text(json.dumps(content))

    assert list(journal.open_intents()) == []
    assert not file.exists()
