"""Nothing in a foreign text is acted on by a terminal or by the runner of a pipeline."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commodore_py.adapters import escaping

HIDDEN = [
    "\x00", "\x07", "\x08", "\x0b", "\x0c", "\r", "\x1b[2J", "\x1b]0;title\x07", "\x7f", "\x85",
    "\x9b31m",     "\u00ad", "\u061c", "\u200b", "\u200d", "\u200e", "\u2028", "\u2029", "\u202a",
    "\u202e", "\u2060",     "\u2066", "\u2069", "\ufeff", "\ufff9", "\udc80", "\U000e0041",
]  # fmt: skip
COMMANDS = [
    "::error file=x::forged",
    "  ::error::forged",
    "\t::set-output name=x::y",
    "a\n::stop-commands::x",
    "a\n\n  ::add-mask::x",
    "##[error]forged",
    "text ##[group]forged",
    "##vso[task.setvariable variable=x]y",
    "##teamcity[buildStatus text='x']",
]


@pytest.mark.parametrize("text", HIDDEN)
def test_what_is_not_seen_is_shown(text: str) -> None:
    shown = escaping.one_line(f"a{text}b")

    assert shown.isprintable()
    assert shown.startswith("a\\")
    assert escaping.lines(f"a{text}b") == shown


@pytest.mark.parametrize(
    "text", ["", "plain", "Zürich 🎉", "日本語", "a::b", "a: ::", "# heading", "## x"]
)
def test_other_texts_stay(text: str) -> None:
    assert escaping.one_line(text) == escaping.lines(text) == text
    assert not escaping.is_unsafe(text)


def test_lines_and_tabs_stay_where_there_may_be_several() -> None:
    assert escaping.lines("a\n\tb\n") == "a\n\tb\n"
    assert escaping.one_line("a\n\tb\n") == "a\\n\\tb\\n"


@pytest.mark.parametrize("text", COMMANDS)
def test_no_line_is_a_command(text: str) -> None:
    shown = escaping.lines(text)

    assert escaping.is_unsafe(text)
    assert not any(line.lstrip().startswith("::") for line in shown.splitlines())
    assert "##[" not in shown
    assert "##vso[" not in shown
    assert "##teamcity[" not in shown
    assert "forged" in shown or "x" in shown


@given(st.text(st.characters(), max_size=50))
def test_every_text_is_printable_and_escaped_once(text: str) -> None:
    shown = escaping.one_line(text)

    assert "\x1b" not in shown
    assert "\n" not in shown
    assert escaping.one_line(shown) == shown
