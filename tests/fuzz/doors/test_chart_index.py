"""The door of chart repositories: an index of anybody's making, and the choice of a version."""

from __future__ import annotations

from hypothesis import strategies as st

from commodore_py.dependencies.downloads.chart_index import choose, entries_in, resolved
from commodore_py.model.download import Chart
from tests.fuzz.campaign import survives
from tests.fuzz.shapes import as_json, as_yaml, damaged, spoilt

VALID = {
    "apiVersion": "v1",
    "entries": {
        "one": [
            {"version": "1.2.3", "urls": ["charts/one-1.2.3.tgz"], "digest": "abc", "name": "one"},
            {"version": "v1.10.0-rc.1", "urls": ["https://example.com/x.tgz"], "created": "x"},
            {"version": "0.1.0", "urls": []},
        ],
        "two": [],
    },
    "generated": "2026-01-01T00:00:00Z",
}
SEEDS = [
    as_yaml(VALID),
    as_json(VALID),
    b'entries:\n  "one":\n  - version: 1.2.3\n    urls: [a.tgz]\n  - {version: 2, urls: [b]}\n',
    b"entries: &e\n  one: [{version: 1.0.0, urls: [x]}]\n",
]
VERSIONS = st.sampled_from(["", "1.2.3", ">=1", "^1.2 || ~0.1", "*", ">1 <", "x" * 300, "1.2.3.4"])
INDEXES = st.one_of(spoilt(SEEDS), damaged(VALID).map(as_yaml), damaged(VALID).map(as_json))


def feed(case: tuple[bytes, str]) -> None:
    index, version = case
    chart = Chart("https://charts.example.com/stable", "one", version)
    # As the door reads it: what is not UTF-8 is replaced.
    offer = choose(entries_in(index.decode(errors="replace"), chart), chart)
    assert resolved(chart.repository, offer.url)


def test_chart_index() -> None:
    one = b"entries:\n  one:\n  - version: 1.2.3\n    urls: "
    survives(
        feed,
        st.tuples(INDEXES, VERSIONS),
        (as_yaml(VALID), ""),
        (one + b"null\n", ""),
        (one + b"[]\n", ""),
        (one + b"5\n", ""),
        (one + b"{}\n", ""),
        (one + b"[null]\n", ""),
        (one + b"[[]]\n", ""),
        (b"entries: " + b"[" * 100_000, ""),
        (b"entries:\n  one: " + b"[" * 100_000, ""),
        (b"entries:\n  one:\n  - version: " + b"9" * 5000 + b"\n    urls: [a]\n", ""),
        (b"entries:\n" + b"  a: " * 100_000, ""),
    )
