"""The deviations' data is complete."""

from tests.house.deviations import DATA, load


def test_every_entry_has_an_id_and_all_texts() -> None:
    deviations = load(DATA)

    assert len({entry.id for entry in deviations}) == len(deviations)
    for entry in deviations:
        texts = (entry.area, entry.title, entry.peer, entry.ours, entry.why, entry.switch_back)
        assert all(text.strip() for text in texts), entry.id
