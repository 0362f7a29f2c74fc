"""Filters and secret references, compiled by us and by Commodore: the same bytes."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest
import yaml

from commodore_py.adapters.files import read_tree
from tests.support.builders import commit_to
from tests.support.calls import FILTERING, values
from tests.support.commodore import (
    clean_environment,
    find_commodore,
    run_commodore,
    run_to_end,
    serve_facts,
)
from tests.support.fleet import CLUSTER, Fleet, component_entries, make_fleet

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.e2e

PATH = "t-acme/c-one"

# Accepted by both, though some of them will never work; only those below `data` reach a manifest.
REFERENCES = {
    "several": f"?{{vaultkv:{PATH}/a/user}}:?{{vaultkv:{PATH}/a/pw}}@example",
    "lines": f"first\n?{{vaultkv:{PATH}/a/pw}}\n",
    "references": "?{vaultkv:${cluster:tenant}/${cluster:name}/b/pw}",
    "deep": [{"of": {"a": [f"?{{vaultkv:{PATH}/deep/er/than/others}}"]}}],
    "part": f"?{{vaultkv:{PATH}/a/pw@x.y}}",
    "unclosed": "?{vaultkv:a/b",
    "none": "?{} {vaultkv:a/b}",
    "blanks": "?{vaultkv: blank/s }",
}
UNUSED = {
    "no_key": "?{vaultkv:empty/key/}",
    "function": "?{vaultkv:made/up||random:str}",
    "hash": "?{vaultkv:with/hash:deadbeef}",
    "umlauts": "?{vaultkv:ä/ö}",
    "?{vaultkv:in/key}": "?{vaultkv:of/key}",
}
VAULT = {
    "VAULT_ADDR": "${secret_management:vault_addr}",
    "VAULT_SKIP_VERIFY": "false",
    "mount": "${secret_management:vault_mount}",
}


def filter_calls() -> Iterator[str]:
    """What both can evaluate; the order of a folder and the whole node differ between them."""
    apart = ("list_dir", "commodore_inventory", "inventory", "variables", "imports")
    for table in ("natives", "library", "environment"):
        yield from values({k: v for k, v in FILTERING[table].items() if k not in apart})


def a_filter() -> str:
    fields = (f"  call_{number}: [{call}],\n" for number, call in enumerate(filter_calls()))
    return (
        "local com = import 'lib/commodore.libjsonnet';\n"
        "local out = std.extVar('output_path'), scalars = out + '/../scalars';\n"
        f"{{\n{''.join(fields)}}}\n"
    )


@pytest.fixture
def fleet(tmp_path: Path) -> Fleet:
    fleet = make_fleet(tmp_path / "fleet", web={}, shop=_shop())
    commit_to(
        fleet.repository("global"),
        {
            "commodore.yml": yaml.safe_dump(
                {"classes": ["global.defaults", "${cluster:tenant}.common"]}
            ),
            "defaults.yml": yaml.safe_dump(
                {
                    "parameters": {
                        "components": component_entries(fleet, ["web", "shop"]),
                        "secret_management": {
                            "vault_addr": "https://vault.example.com",
                            "vault_mount": "clusters/kv",
                        },
                        "kapitan": {"secrets": {"vaultkv": VAULT}},
                        "global": {"https_proxy": "http://proxy.example.com", "no_proxy": None},
                    }
                }
            ),
        },
    )
    parameters = {
        "secret_management": {"vault_mount": "acme/kv"},
        "web": {"data": REFERENCES},
        "unused": UNUSED,
    }
    fleet.configure({"applications": ["web", "shop"], "parameters": parameters})
    return fleet


def test_filters_and_references_give_the_same_catalog(fleet: Fleet, tmp_path: Path) -> None:
    with serve_facts(fleet.root / "facts") as server:
        words = ("catalog", "compile", CLUSTER)
        run_commodore(find_commodore(), tmp_path / "theirs", server.url, *words)
    for engine in ("native", "reference"):
        environment = clean_environment(tmp_path / "home") | {"COMMODORE_ENGINE": engine}
        environment["COMMODORE_API_URL"] = str(fleet.root / "facts")
        ours = [sys.executable, "-m", "commodore_py", *words]
        run_to_end(ours, tmp_path / engine, environment)

        for folder in ("compiled", "catalog/refs", "catalog/manifests"):
            expected = read_tree(tmp_path / "theirs" / folder)
            found = read_tree(tmp_path / engine / folder)
            assert expected
            assert set(found) == set(expected)
            for path, entry in expected.items():
                assert found[path].content.decode() == entry.content.decode(), (engine, path)


def _shop() -> dict[str, str]:
    """A component that copies the files of the cases, and runs filters over them."""
    copied = {
        "input_paths": ["${_base_directory}/static"],
        "input_type": "copy",
        "output_path": ".",
    }
    helm = {
        "type": "builtin",
        "filter": "helm_namespace",
        "path": "chart",
        "filterargs": {"namespace": "ns", "create_namespace": "true"},
    }
    filters = [
        helm,
        {**helm, "path": "gone"},
        {**helm, "enabled": False},
        {"type": "jsonnet", "filter": "filter.jsonnet", "path": "out"},
    ]
    parameters = {
        "kapitan": {"compile": [copied]},
        "commodore": {"postprocess": {"filters": filters}},
    }
    return {
        "class/shop.yml": yaml.safe_dump({"parameters": parameters}),
        "filter.jsonnet": a_filter(),
        "static/secret.yaml": "stringData: {pw: '?{vaultkv:no/ref}'}\n",
        **{f"static/chart/{name}": FILTERING["files"][name] for name in ("one.yaml", "two.yaml")},
        **{f"static/out/{name}": text for name, text in FILTERING["files"].items()},
        **{f"static/scalars/{name}": text for name, text in FILTERING["scalars"].items()},
    }
