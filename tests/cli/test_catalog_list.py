"""`commodore catalog list`, byte for byte, and its errors for unknown words."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.support.servers.api import Api, serve_api

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.command_line import CommandLine

CLUSTERS = [
    {"id": "c-alpha", "displayName": "Alpha prod", "tenant": "t-north", "facts": {"b": 1, "a": 2}},
    {"tenant": "t-south-lake", "id": "c-bravo-2", "displayName": "Zürich"},
]
TABLE = (
    "ID         DISPLAY NAME TENANT        \n"
    "c-alpha    Alpha prod   t-north       \n"
    "c-bravo-2  Zürich       t-south-lake  \n"
)
JSON = """[
  {
    "id": "c-alpha",
    "displayName": "Alpha prod",
    "tenant": "t-north",
    "facts": {
      "b": 1,
      "a": 2
    }
  },
  {
    "tenant": "t-south-lake",
    "id": "c-bravo-2",
    "displayName": "Z\\u00fcrich"
  }
]
"""
YAML = """- displayName: Alpha prod
  facts:
    a: 2
    b: 1
  id: c-alpha
  tenant: t-north
- displayName: "Z\\xFCrich"
  id: c-bravo-2
  tenant: t-south-lake

"""


@pytest.fixture
def api() -> Iterator[Api]:
    with serve_api() as server:
        server.serves("/clusters/", CLUSTERS)
        yield server


@pytest.fixture
def way(api: Api) -> dict[str, str]:
    return {"COMMODORE_API_URL": api.url, "COMMODORE_API_TOKEN": "t"}


@pytest.mark.parametrize(
    ("words", "out"),
    [
        ([], TABLE),
        (["--out", "table"], TABLE),
        (["-o", "json"], JSON),
        (["-o", "yaml"], YAML),
        (["-o", "yml"], YAML),
        (["-o", "id"], "c-alpha\nc-bravo-2\n"),
    ],
)
def test_forms(commodore: CommandLine, way: dict[str, str], words: list[str], out: str) -> None:
    ran = commodore("catalog", "list", *words, **way)

    assert (ran.code, ran.out, ran.err) == (0, out, "")


@pytest.mark.parametrize(
    ("form", "out"),
    [("", "ID  DISPLAY NAME TENANT  \n"), ("json", "[]\n"), ("yaml", "[]\n\n"), ("id", "")],
)
def test_no_cluster_at_all(
    commodore: CommandLine, api: Api, way: dict[str, str], form: str, out: str
) -> None:
    api.serves("/clusters/", [])

    ran = commodore("catalog", "list", "-o", form, **way)

    assert (ran.code, ran.out, ran.err) == (0, out, "")


def test_an_unknown_form_is_the_table_and_a_warning(
    commodore: CommandLine, way: dict[str, str]
) -> None:
    ran = commodore("catalog", "list", COMMODORE_CATALOG_LIST_OUT="xml", **way)

    assert (ran.code, ran.out) == (0, TABLE)
    assert "warning: unknown form 'xml': printing a table" in ran.err
    assert "--out accepts json, yaml, yml, id" in ran.err


@pytest.mark.parametrize(
    ("value", "near"), [("jsn", "json"), ("jsno", "json"), ("yaaml", "yaml"), ("ids", "id")]
)
def test_a_misspelled_form_is_an_error(
    commodore: CommandLine, way: dict[str, str], value: str, near: str
) -> None:
    ran = commodore("catalog", "list", "-o", value, **way)

    assert (ran.code, ran.out) == (2, "")
    assert f"error: --out {value}: unknown value" in ran.err
    assert f"hint: did you mean {near}?" in ran.err


def test_the_server_filters_and_sorts(
    commodore: CommandLine, api: Api, way: dict[str, str]
) -> None:
    api.serves("/clusters/?tenant=t-north&sort_by=displayName", CLUSTERS[:1])

    ran = commodore(
        *("catalog", "list", "-o", "id", "-t", "t-north", "--sort-by", "displayName"), **way
    )

    assert (ran.code, ran.out, ran.err) == (0, "c-alpha\n", "")


@pytest.mark.parametrize("words", [["-o", "xml"], ["--sort-by", "name"]])
def test_unknown_words_are_refused_on_request(
    commodore: CommandLine, api: Api, way: dict[str, str], words: list[str]
) -> None:
    ran = commodore("catalog", "list", "--strict", *words, **way)

    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith("error: unknown ")
    assert api.received == []


def test_what_a_cluster_lacks_is_empty_in_the_table(
    commodore: CommandLine, api: Api, way: dict[str, str]
) -> None:
    api.serves("/clusters/", [{"id": "c-1", "tenant": None}, {"displayName": "Nobody"}])

    ran = commodore("catalog", "list", **way)

    assert (ran.code, ran.err) == (0, "")
    assert ran.out.splitlines() == [
        "ID   DISPLAY NAME TENANT  ",
        "c-1".ljust(26),
        "     Nobody".ljust(26),
    ]


def test_an_unknown_order_is_the_servers_and_a_warning(
    commodore: CommandLine, api: Api, way: dict[str, str]
) -> None:
    api.serves("/clusters/?sort_by=name", CLUSTERS)

    ran = commodore("catalog", "list", "--sort-by", "name", **way)

    assert (ran.code, ran.out) == (0, TABLE)
    assert "warning: unknown sort key 'name': using the order of the API" in ran.err


def test_the_folder_of_facts_filters_and_sorts(commodore: CommandLine, facts: str) -> None:
    words = ("catalog", "list", "--api-url", facts, "-o", "json", "--sort-by", "displayName")

    ran = commodore(*words, "--tenant", "t-demo")

    ids = [cluster["id"] for cluster in json.loads(ran.out)]
    assert ids == ["c-demo-2", "c-demo-1"]
    none = commodore(*words, "--tenant", "t-none")
    assert (none.code, none.out) == (0, "[]\n")
    assert "warning: no cluster belongs to tenant t-none\n" in none.err
    commodore(*words)
    assert "hint: known tenants: t-demo\n" in commodore(*words, "--tenant", "t-none").err
