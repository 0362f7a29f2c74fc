"""Built-in templates, and the options that become variables."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

import pytest
import yaml

from commodore_py.adapters.files import read_tree
from commodore_py.errors import CommodoreError, UsageError
from commodore_py.model.tree import Entry, Tree
from commodore_py.workflows.authoring.templates.kinds import (
    COMPONENT,
    assignments,
)
from commodore_py.workflows.authoring.templates.record import Record, skipped
from commodore_py.workflows.authoring.templates.source import RELEASED, open_templates
from tests.support.tables import each

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

BLOCKED = "automerge_patch_regexp_blocklist"

# A released version never changes: what was made from it is rendered again by every update.
# A change of a template is a new version, with a line of its own here.
DIGESTS = {
    "component": ("913d98eda512",),
    "package": ("1b37b0ec0b72",),
}


@each("kind", DIGESTS)
def test_released_versions_never_change(kind: str) -> None:
    with open_templates(trust=False) as templates:
        versions = [templates.at(f"builtin://{kind}", commit) for commit in RELEASED[kind]]
        newest = templates.at(f"builtin://{kind}", None)

    digests = []
    for version in versions:
        digest = hashlib.sha256()
        for path, entry in read_tree(version.folder).items():
            digest.update(f"{path}\0{entry.digest}\0".encode())
        digests.append(digest.hexdigest()[:12])
    assert tuple(digests) == DIGESTS[kind]
    assert newest == versions[-1]


@each(
    ("url", "version", "message"),
    [
        ("builtin://nothing", None, "no built-in template"),
        ("builtin://../demo", None, "no built-in template"),
        ("builtin://", None, "no built-in template"),
        ("builtin://component", "999", "no version 999"),
        ("EXT::x", None, "not allowed"),
        ("fd::7", None, "not allowed"),
        ("odd://x/y", None, "not allowed"),
    ],
)
def test_unusable_templates_are_refused(url: str, version: str | None, message: str) -> None:
    with (
        open_templates(trust=True) as templates,
        pytest.raises(CommodoreError, match=message),
    ):
        templates.at(url, version)


def rendered(kind: str, **variables: str) -> Tree:
    who = {"slug": "my-one", "github_owner": "acme", "copyright_holder": "Me"}
    with open_templates(trust=False) as templates:
        template = templates.at(f"builtin://{kind}", None)
        return templates.render((template, {**who, **variables}))[0].files


def text_of(tree: Tree, path: str) -> str:
    return tree[PurePosixPath(path)].content.decode()


EVERYTHING = {
    **dict.fromkeys(("add_lib", "add_pp", "add_go_unit", "automerge_patch_v0"), "y"),
    "test_cases": "defaults two",
    BLOCKED: "^a$;b\\.c",
    "automerge_minor_regexp_allowlist": '"quoted"',
    "name": "It's: a name",
}
NOTHING = dict.fromkeys(("add_golden", "add_matrix", "automerge_patch", "auto_release"), "n")


@each("kind", ["component", "package"])
@each("variables", [EVERYTHING, {**NOTHING, "license": "none"}])
@pytest.mark.long
def test_rendered_files_are_valid(kind: str, variables: Mapping[str, str]) -> None:
    tree = rendered(kind, **variables)

    for path, entry in tree.items():
        text = entry.content.decode()
        assert not re.search(r"<<|>>|<%|%>|[ \t]$", text, re.MULTILINE), path
        assert not text or text.endswith("\n"), path
        assert not text.startswith("\n"), path
        if path.suffix in (".yml", ".yaml"):
            list(yaml.safe_load_all(text))
        if path.suffix == ".json":
            json.loads(text)
    assert (PurePosixPath("LICENSE") in tree) == (variables.get("license") != "none")


def test_files_of_component() -> None:
    tree = rendered("component")

    assert len(tree) == 32  # with its record: 33, as ever
    assert yaml.safe_load(text_of(tree, "class/defaults.yml")) == {
        "parameters": {"my_one": {"=_metadata": {"multi_tenant": True}, "namespace": "syn-my-one"}}
    }
    assert "lint_kubent_all" in text_of(tree, "Makefile")
    assert "projectsyn/commodore-" not in "".join(e.content.decode() for e in tree.values())
    assert "vshn.ch" not in "".join(entry.content.decode() for entry in tree.values())


@each(
    ("variables", "rules"),
    [
        ({"automerge_patch": "n"}, []),
        ({}, [("!/^v?0\\./", None)]),
        ({BLOCKED: "^a$;b"}, [("!/^v?0\\./", ["!/^a$/", "!/b/"])]),
        (
            {"automerge_patch_v0_regexp_allowlist": "x", "automerge_minor_regexp_allowlist": "y"},
            [("!/^v?0\\./", None), ("/^v?0\\./", ["/x/"]), (None, ["/y/"])],
        ),
        ({"automerge_patch_v0": "y", "automerge_patch_v0_regexp_allowlist": "x"}, [(None, None)]),
    ],
)
@pytest.mark.long
def test_renovate_rules(
    variables: dict[str, str], rules: list[tuple[str | None, list[str] | None]]
) -> None:
    tree = rendered("component", **variables)

    found = json.loads(text_of(tree, "renovate.json"))["packageRules"]
    found_rules = [
        (rule.get("matchCurrentVersion"), rule.get("matchPackageNames")) for rule in found
    ]
    assert found_rules == rules


@each(
    ("variables", "message"),
    [
        ({"license": "GPL"}, "template: GPL provided for choice .* 'Apache-2.0', 'MIT'"),
        ({"test_cases": "defaults ../x"}, "not a valid name of a test case"),
        ({"name": "<< ''.__class__ >>"}, "value of name contains an expression"),
        ({"name": "<% include 'x' %>"}, "value of name contains an expression"),
        ({"name": "<# x"}, "value of name contains an expression"),
    ],
)
def test_values_with_expressions_are_refused(variables: dict[str, str], message: str) -> None:
    with pytest.raises(CommodoreError, match=message) as failed:
        rendered("component", **variables)

    assert failed.value.where == "builtin://component"


@pytest.mark.long
def test_repeated_case_is_rendered_once() -> None:
    tree = rendered("component", test_cases="x x")

    assert PurePosixPath("tests/x.yml") in tree


@each("owner", ["../x", "a/../b", "-x", ".", ""])
def test_invalid_owner_is_refused(owner: str) -> None:
    with pytest.raises(CommodoreError, match="not a valid owner"):
        COMPONENT.remote(owner, "my-comp")


def test_empty_entries_of_skip_are_ignored(tmp_path: Path) -> None:
    paths = (PurePosixPath("README.md"), PurePosixPath("docs/index.md"))
    tree = Tree({path: Entry(b"") for path in paths})
    record = Record("", "", None, {}, more={"skip": ["", "/", "docs/"]})

    assert skipped(tree, record, tmp_path) == {PurePosixPath("docs/index.md")}


@each("word", ["key", "=value", "_template=x"])
def test_invalid_assignment_is_refused(word: str) -> None:
    with pytest.raises(UsageError, match="KEY=VALUE"):
        assignments([word])


def test_assignment_values_may_hold_anything() -> None:
    assert assignments(["a=b=c", "d="]) == {"a": "b=c", "d": ""}
