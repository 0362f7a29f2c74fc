"""Conventional words: see the table in docs/glossary.md."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

REJECTED = {
    r"mend(s|ed|ing)?": "fix, repair",
    r"heal(s|ed|ing)?": "repair",
    r"anew": "again, from scratch",
    r"doubt(s|ed|ful)?": "warning, problem",
    r"complaints?": "problem",
    r"moulds?": "template",
    r"surroundings": "environment",
    r"whom": "who, dependents, the user",
    r"nobody said": "not set, by default",
    r"lets? nobody": "authentication failed",
    r"makes? no sense": "is invalid, is not supported",
    r"work[ _]folders?": "working directory",
    r"pass(es|ed)? over": "skip",
    r"taken again": "cache hit, reused",
    r"at rest": "unchanged",
    r"seen clean": "up to date",
    r"(?<!there )(?<!where )(is|are) no (?!longer\b|more\b|less\b)[a-z]+": "is not a",
}
"""What to write instead of each word; matched in names such as `no_doubts`, too."""

CHECKED = (
    "commodore_py/**/*.py",
    "docs/*.md",
    "docs/*/*.md",
    "docs/explanation/rooms/*.md",
    "README.md",
    "CONTRIBUTING.md",
    "tests/**/*.py",
    "tests/spec_rows.toml",
)
"""The files that are checked."""

UNCHECKED = {
    "docs/glossary.md",  # lists the words
    "docs/explanation/architecture.md",  # being rewritten
    "docs/explanation/quality.md",  # a log of past runs
    "docs/reference/deviations.md",  # names tests
    "tests/house/test_words.py",
}
# A key of JSON schemas.
_KEYS = re.compile(r"""["`]doubt["`]""")


def rejected_words(text: str) -> list[str]:
    """The lines with a rejected word, and what to write instead."""
    pattern = re.compile(
        "|".join(f"(?P<w{at}>(?<![a-z]){word}(?![a-z]))" for at, word in enumerate(REJECTED)),
        re.IGNORECASE,
    )
    instead = list(REJECTED.values())
    return [
        f"{text.count(chr(10), 0, found.start()) + 1}: {found[0]!r}: {instead[int(name[1:])]}"
        for found in pattern.finditer(_KEYS.sub('"key"', text))
        for name in [next(key for key, value in found.groupdict().items() if value)]
    ]


@pytest.mark.parametrize("files", CHECKED)
def test_words_are_conventional(files: str) -> None:
    found = {
        str(path.relative_to(ROOT)): lines
        for path in sorted(ROOT.glob(files))
        if str(path.relative_to(ROOT)) not in UNCHECKED
        and "adr" not in path.parts
        and (lines := rejected_words(path.read_text("utf-8")))
    }

    assert found == {}


@pytest.mark.parametrize(
    "text", ["mend it", "no_doubts", "made anew", "it is no list", "Whom to ask", "work_folder"]
)
def test_rejected(text: str) -> None:
    assert len(rejected_words(text)) == 1


@pytest.mark.parametrize(
    "text", ["recommended", "there is no list", "it is no longer", "undoubtedly", "healthy"]
)
def test_accepted(text: str) -> None:
    assert rejected_words(text) == []
