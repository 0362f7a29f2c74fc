"""The door of parameters: inputs, downloads, filters, secret references and URLs in them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from commodore_py.adapters import git_urls
from commodore_py.catalog.diff.change import ignore_rules, rule_problems
from commodore_py.compiler.entries import entries_of
from commodore_py.errors import CommodoreError
from commodore_py.model.inventory import BOOTSTRAP, Instance, Inventory, Node
from commodore_py.model.tree import Entry, Tree
from commodore_py.postprocess.definitions import Context, definitions_of
from commodore_py.refs import manifest_problems
from commodore_py.refs.references import find_marked, missing_parameters, parse, parse_all
from tests.fuzz.campaign import survives
from tests.fuzz.shapes import NAMES, as_value, damaged

MOST = 450
"""Levels and digits; the engine refuses deeper parameters."""
VALID = {
    "t": {"secret": "?{vaultkv:a/b}", "${x}": ["?{vaultkv:a/b:hash}", "?{x"]},
    "kapitan": {
        "vars": {"target": "t"},
        "compile": [
            {
                "input_type": "jsonnet",
                "input_paths": ["t/component/main.jsonnet"],
                "output_path": "t",
            },
            {
                "input_type": "helm",
                "input_paths": ["t/helmcharts/x"],
                "output_path": "t",
                "helm_values": {"a": 1},
                "helm_params": {"name": "x", "namespace": "y"},
            },
            {
                "input_type": "copy",
                "input_paths": ["t/x"],
                "output_path": ".",
                "output_type": "yaml",
            },
            {
                "input_type": "external",
                "input_paths": ["t/x.sh"],
                "output_path": ".",
                "args": ["a"],
            },
        ],
        "dependencies": [
            {
                "type": "https",
                "source": "https://example.com/x.tgz",
                "output_path": "t/x",
                "unpack": True,
            },
            {
                "type": "git",
                "source": "https://example.com/x.git",
                "output_path": "t/y",
                "ref": "v1",
            },
            {
                "type": "helm",
                "source": "https://charts.example.com",
                "chart_name": "x",
                "version": "1",
                "output_path": "t/helmcharts/x",
            },
        ],
        "secrets": {"vaultkv": {"VAULT_ADDR": "https://vault", "auth": "token"}},
    },
    "commodore": {
        "postprocess": {
            "filters": [
                {
                    "type": "jsonnet",
                    "path": "t",
                    "filter": "postprocess/x.jsonnet",
                    "filterargs": {"a": 1},
                },
                {
                    "type": "builtin",
                    "path": "t",
                    "filter": "helm_namespace",
                    "filterargs": {"namespace": "n", "exclude_objects": [{"kind": "X"}]},
                },
            ]
        },
        "diff": {"ignore": [{"kind": "X", "path": "metadata.labels"}]},
    },
}
URLS = st.lists(
    st.sampled_from(
        [
            *("https://", "ssh://", "git@", "file://", "ext::", "fd::", "host.example", ":", "/"),
            *(
                "[",
                "]",
                "..",
                "a.git",
                "user:pw@",
                ":99999",
                "%2e%2e",
                "\0",
                "~",
                "?",
                "#",
                "@",
                "-",
                "ä",
                "\\",
            ),
        ]
    ),
    max_size=8,
).map("".join)
REFERENCES = st.lists(
    st.sampled_from(
        ["?{", "}", "vaultkv:", "a/b", ":", "..", "/", "||", "\0", "vaultkv", "x", "P3t2"]
    ),
    max_size=8,
).map("".join)
CASES = st.tuples(damaged(VALID), URLS | st.sampled_from(NAMES), REFERENCES)


def feed(case: tuple[dict[str, Any], str, str]) -> None:
    parameters, url, reference = as_value(case[0], most=MOST), case[1], case[2]
    if not isinstance(parameters, dict):
        parameters = {}
    node = Node("t", parameters)
    inventory = Inventory({BOOTSTRAP: node, "t": node}, (Instance("t", "t"),))
    root = Path("/w")
    tree = Tree({Path("t/x.yaml"): Entry(reference.encode(errors="replace"))})  # type: ignore[dict-item]
    errors: list[CommodoreError] = []
    asks = (
        lambda: entries_of(node),
        lambda: definitions_of(node, Context(tree, root, root / "dependencies/t")),
        lambda: (ignore_rules(inventory), rule_problems(inventory)),
        lambda: list(missing_parameters(inventory)),
        lambda: parse_all(find_marked(inventory).references()),
        lambda: parse(reference, ()),
        lambda: manifest_problems({"t": tree}, ()),
        lambda: git_urls.normalise(url),
        lambda: git_urls.push_url(url),
        lambda: git_urls.dependency_key(url),
        lambda: git_urls.local_path(url),
    )
    for ask in asks:
        try:
            ask()
        except CommodoreError as error:
            errors.append(error)
    if len(errors) > 4:
        raise errors[0]


def test_parameters() -> None:
    survives(
        feed,
        CASES,
        (VALID, "https://example.com/a.git", "vaultkv:a/b"),
        ({"kapitan": "@deep:5000@"}, "", ""),
        ({"t": "@map:5000@", "kapitan": {"compile": "@deep:5000@"}}, "", ""),
        ({"kapitan": {"compile": ["@huge:5000@"]}}, "", ""),
        ({"kapitan": {"dependencies": [{"type": "@huge:5000@"}]}}, "", ""),
    )
