"""Findings about files: what no golden case can hold, and the helpers behind the rules."""

from __future__ import annotations

import logging
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from commodore_py.adapters.files import MOST_FILES
from commodore_py.errors import CommodoreError
from commodore_py.inventory.lint import LINTERS, RULES, at_least, lint
from commodore_py.inventory.lint.files import Tree, finding
from commodore_py.inventory.lint.hierarchy_rules import pattern_of

if TYPE_CHECKING:
    from collections.abc import Mapping

BAD = "parameters: {components: {one: {}}}\n"
ALL = tuple(LINTERS)


def a_tree(root: Path, files: Mapping[str, str]) -> Path:
    for name, content in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(content)
    return root


def test_targets_and_linters_are_taken_in_the_order_given(tmp_path: Path) -> None:
    both = "parameters: {components: {one: {}}, packages: {two: {}}}\n"
    a_tree(tmp_path, {"a.yml": both, "b.yml": both})

    found = lint((tmp_path / "b.yml", tmp_path / "a.yml"), ("packages", "components"))

    assert [(Path(one.place.file).name, one.code.partition("/")[0]) for one in found] == [
        ("b.yml", "packages"),
        ("b.yml", "components"),
        ("a.yml", "packages"),
        ("a.yml", "components"),
    ]


def test_files_are_read_in_the_order_of_their_names(tmp_path: Path) -> None:
    names = ["a.yml", "b/a.yml", "b.yml", "c.yml"]
    a_tree(tmp_path, dict.fromkeys(reversed(names), BAD))

    found = lint((tmp_path,), ("components",))

    assert [str(Path(one.place.file).relative_to(tmp_path)) for one in found] == [
        "a.yml",
        "b/a.yml",
        "b.yml",
        "c.yml",
    ]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("x.yml", "", "skipped: empty"),
        ("x.yml", "# nothing\n", "skipped: empty"),
        ("x.yml", "---\n", "skipped: not a mapping"),
        ("x.yml", "- a\n", "skipped: not a mapping"),
        ("x.yml", "a: 1\n---\n", "skipped: several documents"),
        ("x.txt", "a: [\n", "skipped: not valid YAML"),
        ("skipped/x.yml", BAD, "skipped: ignored"),
    ],
)
def test_skipped_files_are_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, name: str, content: str, message: str
) -> None:
    a_tree(tmp_path, {name: content})
    logging.getLogger("commodore_py").propagate = True

    with caplog.at_level(logging.INFO, logger="commodore_py"):
        found = lint((tmp_path,), ALL, ["skipped"])

    assert not found
    assert message in caplog.text


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="no file that fails when read")
def test_a_file_that_cannot_be_read_is_a_finding(tmp_path: Path) -> None:
    a_tree(tmp_path, {"other.yml": BAD})
    (tmp_path / "memory.yml").symlink_to("/proc/self/mem")

    found = lint((tmp_path,), ("components",))

    assert [one.code for one in found] == ["files/unreadable", "components/missing-version"]


def test_a_folder_with_a_name_like_a_pattern_is_taken_as_it_is(tmp_path: Path) -> None:
    tree = a_tree(tmp_path / "[ab]*", {"x.yml": BAD, "y.yml": BAD})

    found = lint((tree,), ("components",), ["x.yml"])

    assert [Path(one.place.file).name for one in found] == ["y.yml"]


def test_ignore_patterns_are_those_of_each_target(tmp_path: Path) -> None:
    a_tree(tmp_path, {"one/sub/x.yml": BAD, "two/x.yml": BAD})

    found = lint((tmp_path / "one", tmp_path / "two"), ("components",), ["/x.yml"])

    assert [str(Path(one.place.file).relative_to(tmp_path)) for one in found] == ["one/sub/x.yml"]


@pytest.mark.parametrize(
    ("rule", "threshold", "bad"),
    [
        ("components/missing-version", "error", True),
        ("components/missing-version", "warning", True),
        ("components/unused", "error", False),
        ("components/unused", "warning", True),
    ],
)
def test_a_threshold_lets_milder_findings_pass(rule: str, threshold: str, bad: bool) -> None:
    found = (finding(rule, "message", Path("x.yml")),)

    assert at_least(found, "warning" if threshold == "warning" else "error") is bad
    assert not at_least((), "warning")


@pytest.mark.parametrize(
    ("written", "name", "fits"),
    [
        ("global.common", "global.common", True),
        ("global.common", "global-common", False),
        ("global.cloud.${facts:cloud}", "global.cloud.aws", True),
        ("global.cloud.${facts:cloud}", "global.cloud.aws.eu", False),
        ("global.${some:path}", "global.cloud.aws.eu", True),
        ("a-${facts:x}-b.c", "a-1-b.c", True),
        ("${facts:${which}}.x", "aws.x", True),
        ("${${x}:${y}}", "any.thing", True),
    ],
)
def test_a_name_with_references_stands_for_many(written: str, name: str, fits: bool) -> None:
    assert (pattern_of(written).fullmatch(name) is not None) is fits


def test_the_reference_page_lists_every_rule_and_its_severity() -> None:
    page = Path(__file__).parents[3] / "docs" / "reference" / "lint.md"
    rows = re.findall(r"^\| `([a-z0-9/-]+)` \| (\w+) \|", page.read_text("utf-8"), re.MULTILINE)

    assert rows == [(name, rule.severity) for name, rule in RULES.items()]


@pytest.mark.parametrize("target", ["/proc/self", "/dev", "/sys"])
def test_folders_of_the_system_are_refused(target: str) -> None:
    with pytest.raises(CommodoreError, match="is read"):
        lint([Path(target)], ALL)


def test_links_to_the_system_are_findings_and_links_upwards_are_skipped(tmp_path: Path) -> None:
    root = a_tree(tmp_path / "root", {"a.yml": BAD})
    (root / "system").symlink_to("/proc/self")
    (root / "all").symlink_to("/")
    (root / "above").symlink_to(tmp_path)

    found = lint([root], ALL)

    assert [Path(one.place.file).name for one in found if one.code == "files/unreadable"] == [
        "system"
    ]
    assert {Path(one.place.file).name for one in found} == {"system", "a.yml"}


def test_too_many_files_are_an_error(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    tree.count(MOST_FILES, tmp_path)

    with pytest.raises(CommodoreError, match="more than 200,000 files and folders"):
        tree.count(1, tmp_path)
