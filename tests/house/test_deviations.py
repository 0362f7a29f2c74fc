"""The deviations' data can be read, and every entry is complete."""

from collections import Counter

import pytest

from tests.house.deviations import DATA, Deviation, load, page

DEVIATIONS = load(DATA)


def test_ids_are_unique() -> None:
    counts = Counter(entry.id for entry in DEVIATIONS)

    assert [name for name, count in counts.items() if count > 1] == []


@pytest.mark.parametrize("entry", DEVIATIONS, ids=lambda entry: entry.id)
def test_every_field_has_a_text(entry: Deviation) -> None:
    texts = (entry.area, entry.title, entry.peer, entry.ours, entry.why, entry.switch_back)

    assert all(text.strip() for text in texts)


def test_the_page_has_every_entry() -> None:
    text = page(DEVIATIONS)

    assert [entry.id for entry in DEVIATIONS if f'<a id="{entry.id}">' not in text] == []
