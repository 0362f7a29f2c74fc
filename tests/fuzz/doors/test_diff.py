"""The door of diffs: versions of a file of the catalog, compared by lines and by objects."""

from __future__ import annotations

from pathlib import PurePosixPath

from hypothesis import strategies as st

from commodore_py.catalog.diff.change import change_between
from commodore_py.catalog.diff.objects import object_diff
from commodore_py.catalog.diff.text import IGNORE_YAML_FORMATTING, KAPITAN_0_29_TO_0_30, diff_text
from commodore_py.model.tree import Entry, Tree
from tests.fuzz.campaign import survives
from tests.fuzz.shapes import as_json, as_yaml, damaged, spoilt

VALID = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "web", "namespace": "ns", "labels": {"heritage": "Tiller"}},
    "spec": {
        "replicas": 2,
        "template": {
            "spec": {
                "containers": [
                    {
                        "name": "web",
                        "image": "i:1",
                        "env": [{"name": "A", "value": "1"}],
                        "resources": {"limits": {"cpu": "100m", "memory": "1Gi"}},
                        "ports": [{"containerPort": 80, "protocol": "TCP"}],
                    }
                ]
            }
        },
    },
}
SECRET = {
    "apiVersion": "v1",
    "kind": "Secret",
    "metadata": {"name": "s"},
    "stringData": {"a": "b"},
    "data": {"c": "ZA=="},
}
LIST = {"apiVersion": "v1", "kind": "List", "items": [VALID, SECRET]}
SEEDS = [as_yaml(VALID), as_yaml(SECRET), as_yaml(VALID) + b"---\n" + as_yaml(SECRET), b"# x\n"]
FILES = st.one_of(
    spoilt(SEEDS),
    damaged(VALID).map(as_yaml),
    damaged(SECRET).map(as_json),
    damaged(LIST).map(as_yaml),
)


def feed(case: tuple[str, bytes, bytes]) -> None:
    name, old, new = case
    path, other = PurePosixPath(name), PurePosixPath("m/other.yaml")
    change = change_between(
        Tree({path: Entry(old), other: Entry(new)}), Tree({path: Entry(new), other: Entry(old)})
    )
    for migration in ("", IGNORE_YAML_FORMATTING, KAPITAN_0_29_TO_0_30):
        diff_text(change, migration=migration)
    object_diff(change)


def test_diff() -> None:
    valid, deep = as_yaml(VALID), b"a: " + b"[" * 100_000 + b"]" * 100_000
    bomb = b"a0: &a0 [lol]\n" + b"".join(
        b"a%d: &a%d [%s]\n" % (n + 1, n + 1, b"*a%d," % n * 10) for n in range(9)
    )
    head = b"apiVersion: v1\nkind: X\nmetadata: {name: a}\n"
    survives(
        feed,
        st.tuples(st.sampled_from(["m/a.yaml", "m/a.json", "m/a.txt"]), FILES, FILES),
        ("m/a.yaml", valid, as_yaml(SECRET)),
        ("m/a.yaml", deep, b"a: 1"),
        ("m/a.yaml", b"[" * 100_000, b"a: 1"),
        ("m/a.json", b"[" * 100_000, b"1"),
        ("m/a.yaml", head + b"b: " + b"9" * 5000, head),
        ("m/a.yaml", bomb, b"a: 1"),
        ("m/a.yaml", head + bomb, head + b"a: 1"),
        ("m/a.json", valid, as_json({**SECRET, "metadata": {"name": "\ud800"}})),
        ("m/a.yaml", b"kind: List\nitems: x\n", b"kind: List\nitems: {a: b}\n"),
        ("m/a.yaml", b"a: &a [*a]", b"a: &a {b: *a}"),
    )
