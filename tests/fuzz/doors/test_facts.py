"""The door of facts: files, objects that an API sends, and options of the command line."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from hypothesis import strategies as st

from commodore_py.cli.settings import dynamic_facts
from commodore_py.errors import CommodoreError
from commodore_py.lieutenant.api_objects import ApiObject
from commodore_py.lieutenant.cluster import cluster_of, tenant_of
from commodore_py.lieutenant.folder import FactsFolder
from tests.fuzz.campaign import survives
from tests.fuzz.shapes import as_json, as_yaml, damaged, spoilt

CLUSTER = {
    "id": "c-x",
    "tenant": "t-x",
    "displayName": "A cluster",
    "facts": {"distribution": "k3s", "cloud": "c", "region": "r", "lieutenant-instance": "i"},
    "dynamicFacts": {"version": {"major": "1"}, "list": [1, None]},
    "gitRepo": {"url": "ssh://git@example.com/c-x.git"},
    "globalGitRepoRevision": "v1",
}
TENANT = {
    "id": "t-x",
    "displayName": "A tenant",
    "gitRepo": {"url": "https://example.com/t.git"},
    "globalGitRepoURL": "https://example.com/global.git",
    "globalGitRepoRevision": "master",
}
CASES = st.tuples(
    st.one_of(
        spoilt([as_yaml(CLUSTER)]),
        damaged(CLUSTER).map(as_yaml),
        damaged(CLUSTER).map(as_json),
    ),
    st.one_of(spoilt([as_yaml(TENANT)]), damaged(TENANT).map(as_yaml)),
)


def feed(case: tuple[bytes, bytes]) -> None:
    cluster, tenant = case
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for kind, id_, text in (("clusters", "c-x", cluster), ("tenants", "t-x", tenant)):
            (folder / kind).mkdir()
            (folder / kind / f"{id_}.yaml").write_bytes(text)
        facts = FactsFolder(folder)
        errors = []
        for options in ({}, {"tenant": "t-x", "sort_by": "displayName"}):
            try:
                facts.clusters(**options)
            except CommodoreError as error:
                errors.append(error)
        made = cluster_of(facts.cluster("c-x"), facts.tenant("t-x"))
        assert made.id == "c-x"
        assert not errors


def feed_api(case: tuple[bytes, bytes]) -> None:
    """Objects of a server are JSON that was parsed already."""
    try:
        cluster, tenant = (json.loads(text) for text in case)
    except (ValueError, RecursionError):
        return
    if isinstance(cluster, dict) and isinstance(tenant, dict):
        found = ApiObject(cluster, name="https://example.com/clusters/c-x")
        tenant_of(found)
        cluster_of(found, ApiObject(tenant, name="https://example.com/tenants/t-x"))


def feed_options(items: list[str]) -> None:
    dynamic_facts.parse(items)


def of(text: bytes) -> tuple[bytes, bytes]:
    return text, as_yaml(TENANT)


def test_facts() -> None:
    survives(
        feed,
        CASES,
        of(as_yaml(CLUSTER)),
        of(b"facts: " + b"[" * 100_000),
        of(b"id: " + b"9" * 5000),
        of(b"id: c-x\nfacts: &a [*a]"),
        of(b"\0"),
        of(b"\xff\xfei\0d\0"),
        of(
            b"a0: &a0 [lol]\n"
            + b"".join(b"a%d: &a%d [%s]\n" % (n + 1, n + 1, b"*a%d," % n * 10) for n in range(9))
        ),
    )


def test_facts_of_an_api() -> None:
    objects = st.tuples(damaged(CLUSTER).map(as_json), damaged(TENANT).map(as_json))
    survives(feed_api, objects, (as_json(CLUSTER), as_json(TENANT)))


def test_facts_on_the_command_line() -> None:
    pieces = st.sampled_from(["a", ".", "=", "json:", "[", "{", '"', "1", "null", "\0", "a.b.c"])
    survives(
        feed_options,
        st.lists(st.lists(pieces, max_size=8).map("".join), max_size=4),
        ["a.b=json:[1]"],
        ["a=json:" + "[" * 100_000],
        ["a=json:" + "9" * 5000],
        [".".join("a" * 100_000) + "=1"],
    )
