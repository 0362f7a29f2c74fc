"""The page about functions of policies lists those of the code."""

from __future__ import annotations

from tests.house.policy_functions import PAGE, page


def test_the_page_has_all_functions() -> None:
    assert PAGE.read_text("utf-8") == page(), "run: python -m tests.house.policy_functions"
