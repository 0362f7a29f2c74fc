"""Indexes of chart repositories: what is in them, and where it leads."""

from __future__ import annotations

import json

import pytest
import yaml

from commodore_py.dependencies.downloads.chart_index import choose, entries_in, resolved
from commodore_py.errors import CommodoreError
from commodore_py.model.download import Chart

CHART = Chart("https://charts.example.com", "own")
LISTED = [
    {"version": "1.0.0", "urls": ["own-1.0.0.tgz"], "description": "a\n\n  own:\n- b\n"},
    {"version": "1.1.0", "urls": ["own-1.1.0.tgz"]},
]
INDEX = {
    "apiVersion": "v1",
    "entries": {"other": [{"version": "9.0.0", "urls": ["x"]}], "own": LISTED, "own2": []},
    "generated": "2026-01-02T03:04:05Z",
    "serverInfo": {"own": ["no chart"]},
}
ANCHORED = """
entries:
  other:
  - &one {version: 1.0.0, urls: [a]}
  own:
  - *one
"""


@pytest.mark.parametrize(
    "index",
    [
        yaml.safe_dump(INDEX),
        yaml.safe_dump(INDEX, indent=4),
        yaml.safe_dump(INDEX, sort_keys=False),
        yaml.safe_dump(INDEX).replace("  own:", '  "own":', 1),
        yaml.safe_dump(INDEX).replace("\n", "\r\n"),
        json.dumps(INDEX),
        json.dumps(INDEX, indent=2),
    ],
)
def test_the_list_is_the_one_of_yaml(index: str) -> None:
    assert entries_in(index, CHART) == LISTED


def test_anchors_are_followed() -> None:
    assert entries_in(ANCHORED, CHART) == [{"version": "1.0.0", "urls": ["a"]}]


@pytest.mark.parametrize("index", ["entries:\n  other:\n  - version: 1.0.0\n", "entries: {}\n"])
def test_a_chart_that_is_not_listed_is_reported(index: str) -> None:
    with pytest.raises(CommodoreError, match="there is no chart own in this repository"):
        choose(entries_in(index, CHART), CHART)


@pytest.mark.parametrize("index", ["", "<html>", "entries: []\n", "a: 1\n"])
def test_what_is_not_an_index_is_reported(index: str) -> None:
    with pytest.raises(CommodoreError, match="not a chart repository index"):
        entries_in(index, CHART)


def test_entries_that_helm_would_not_take_are_left_out() -> None:
    listed = [
        None,
        {"version": "2.0.0"},
        {"version": "no version", "urls": ["a"]},
        {"version": "1.0.0", "urls": ["b"]},
    ]

    assert choose(listed, CHART).url == "b"


@pytest.mark.parametrize(
    ("repository", "reference", "url"),
    [
        ("https://x.org/a", "b.tgz", "https://x.org/a/b.tgz"),
        ("https://x.org/a/", "b.tgz", "https://x.org/a/b.tgz"),
        ("https://x.org/a?k=v", "b.tgz", "https://x.org/a/b.tgz?k=v"),
        ("https://x.org/a", "/b.tgz", "https://x.org/b.tgz"),
        ("https://x.org/a", "../b.tgz", "https://x.org/b.tgz"),
        ("https://x.org/a?k=v", "https://y.org/b.tgz", "https://y.org/b.tgz"),
        ("https://x.org/a", "oci://y.org/b:1.0.0", "oci://y.org/b:1.0.0"),
    ],
)
def test_where_a_chart_is(repository: str, reference: str, url: str) -> None:
    assert resolved(repository, reference) == url
