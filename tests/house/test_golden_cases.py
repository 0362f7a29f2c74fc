"""Golden cases keep every byte of what is written into them."""

from __future__ import annotations

import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.support.golden import entry_text, with_entry

CASE = "# why\ninput: a\nexpected: |\n  one\n\n  two\n# and why\nexit code: 0\n"
TEXTS = st.text(st.sampled_from("ab:#-|>'\"\\ \n\t\r\x85\u2028\ufeffé🎉\x07{[&*!%@,?")) | st.text(
    st.characters(exclude_categories=["Cs"])
)


@settings(max_examples=50)
@given(text=TEXTS)
@example(text="one\n\n")
@example(text=" one\n")
@example(text="\n")
def test_any_text_is_read_as_it_was_written(text: str) -> None:
    written = with_entry(CASE, "expected", text)

    assert yaml.safe_load(written) == {"input": "a", "expected": text, "exit code": 0}
    assert written.endswith("\n# and why\nexit code: 0\n")


@settings(max_examples=50)
@given(files=st.dictionaries(TEXTS.filter(lambda name: "\n" not in name), TEXTS, max_size=3))
def test_any_files_are_read_as_they_were_written(files: dict[str, str]) -> None:
    assert yaml.safe_load(entry_text("after", files)) == {"after": files}


def test_a_missing_entry_is_added() -> None:
    assert with_entry("input: a\n", "exit code", 1) == "input: a\nexit code: 1\n"
