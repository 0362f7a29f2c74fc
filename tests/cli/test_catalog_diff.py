"""`catalog diff`, and `catalog compile` with other forms of its diff."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from commodore_py.catalog.diff.objects import object_diff
from commodore_py.cli.output.differences import as_markdown
from commodore_py.model.catalog import Change, FileChange
from tests.support.builders import commit_in, git
from tests.support.fleet import CLUSTER, Fleet, make_fleet

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.command_line import CommandLine, Ran

MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\ndata: {{a: '{value}'}}\n"
CLAIM = "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: data}\n"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A catalog with two commits, and one file that is not committed."""
    folder = tmp_path / "catalog"
    folder.mkdir()
    git(folder, "init", "--quiet")
    commit_in(folder, {"manifests/a.yaml": a_map("one", 1), "manifests/b.yaml": CLAIM})
    (folder / "manifests/b.yaml").unlink()
    commit_in(folder, {"manifests/a.yaml": a_map("one", 2)})
    (folder / "manifests/c.yaml").write_text(a_map("new", 1))
    return folder


def a_map(name: str, value: int) -> str:
    return MAP.format(name=name, value=value)


def test_two_commits(commodore: CommandLine, checkout: Path) -> None:
    ran = commodore("catalog", "diff", "HEAD~", "HEAD", "--catalog", str(checkout))

    assert (ran.code, ran.err) == (0, "")
    assert ran.out.splitlines() == [
        " > Changes:",
        "     data-loss deleted PersistentVolumeClaim data (its data may be deleted)",
        "     none      changed ConfigMap one",
        '                 data.a: "1" -> "2"',
        "     objects: 1 deleted, 1 changed (1 data-loss, 1 none)",
    ]


def test_the_files_as_they_are_and_git_is_left_as_it_is(
    commodore: CommandLine, checkout: Path
) -> None:
    def state() -> list[str]:
        return [git(checkout, *words) for words in (("status", "--short"), ("count-objects", "-v"))]

    before = state()

    ran = commodore("-d", str(checkout.parent), "catalog", "diff")

    assert "created ConfigMap new" in ran.out
    assert "1 created (1 none)" in ran.out
    assert state() == before


def test_before_the_first_commit_everything_is_new(commodore: CommandLine, tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet", "catalog")
    (tmp_path / "catalog/a.yaml").write_text(CLAIM)

    ran = commodore("-d", str(tmp_path), "catalog", "diff", "-o", "json")

    found = json.loads(ran.out)
    assert (found["old"], found["new"], found["summary"]["objects"]["created"]) == (None, None, 1)


@pytest.mark.parametrize(
    ("form", "line"),
    [
        ("text", "     Deleted file manifests/b.yaml"),
        ("stat", "     manifests/b.yaml | +0 -3 (deleted)"),
        ("none", " > 2 files changed."),
    ],
)
def test_other_forms(commodore: CommandLine, checkout: Path, form: str, line: str) -> None:
    words = ("catalog", "diff", "HEAD~", "HEAD", "--diff", form, "--catalog", str(checkout))

    assert line in commodore(*words).out.splitlines()
    assert commodore("catalog", "diff", "HEAD", "HEAD", *words[4:]).out == " > No changes.\n"


def test_the_exit_code_reports_changes_on_request(commodore: CommandLine, checkout: Path) -> None:
    words = ("catalog", "diff", "--exit-code", "--catalog", str(checkout))

    assert [commodore(*words, old, "HEAD").code for old in ("HEAD", "HEAD~")] == [0, 5]


def test_markdown_begins_with_the_sum(commodore: CommandLine, checkout: Path) -> None:
    ran = commodore(
        "catalog", "diff", "HEAD~", "HEAD", "-o", "markdown", "--catalog", str(checkout)
    )

    assert ran.out.splitlines()[2] == "**objects: 1 deleted, 1 changed (1 data-loss, 1 none)**"


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("nowhere",), "revision nowhere not found"),
        (("HEAD", "nowhere"), "revision nowhere not found"),
        (("--catalog", "."), "this is not a checkout of a catalog"),
    ],
)
def test_mistakes(
    commodore: CommandLine, checkout: Path, words: tuple[str, ...], problem: str
) -> None:
    ran = commodore("-d", str(checkout.parent), "catalog", "diff", *words)

    assert (ran.code, ran.out) == (1, "")
    assert problem in ran.err


def test_a_long_comment_names_what_was_left_out() -> None:
    files = (
        FileChange(
            "added",
            f"{n}.yaml",
            f"{n}.yaml",
            b"",
            MAP.format(name="é" * 40 + str(n), value=n).encode(),
        )
        for n in range(3000)
    )

    text = as_markdown.object_diff(object_diff(Change(tuple(files))))

    lines = text.splitlines()
    shown = sum(line.startswith("- created") for line in lines)
    assert 50_000 < len(text.encode()) <= as_markdown.LONGEST
    assert lines[2] == "**objects: 3000 created (3000 none)**"
    assert lines[-1] == (
        f"_Omitted because of the size limit: {3000 - shown} entries ({3000 - shown} none)._"
    )


def compile_(commodore: CommandLine, fleet: Fleet, *words: str) -> Ran:
    facts = str(fleet.root / "facts")
    return commodore(
        "-d", str(fleet.work), "catalog", "compile", CLUSTER, "--api-url", facts, *words
    )


@pytest.fixture
def fleet(tmp_path: Path) -> Fleet:
    """A cluster with one component."""
    return make_fleet(tmp_path / "fleet", one={})


def test_a_compile_shows_objects(commodore: CommandLine, fleet: Fleet) -> None:
    ran = compile_(commodore, fleet, "--diff", "objects")

    assert ran.out.splitlines() == [
        " > Changes:",
        "     none      created ConfigMap one",
        "     objects: 1 created (1 none)",
        "Catalog of cluster c-one compiled",
    ]


def test_a_compile_for_programs_and_for_comments(commodore: CommandLine, fleet: Fleet) -> None:
    plain = json.loads(compile_(commodore, fleet, "-o", "json").out)
    objects = json.loads(compile_(commodore, fleet, "-o", "json", "--diff", "objects").out)
    ran = compile_(commodore, fleet, "-o", "markdown")
    comment = ran.out
    assert "replicas" not in ran.err
    assert "Added" not in ran.err
    assert "Changes:" not in ran.err

    assert "diff" not in plain
    assert objects["diff"]["summary"]["objects"]["created"] == 1
    assert comment.splitlines()[2] == "**objects: 1 created (1 none)**"


def test_rules_of_the_hierarchy_hide(commodore: CommandLine, fleet: Fleet) -> None:
    compile_(commodore, fleet, "--push")
    rules = {"mine": {"paths": ["data"]}, "bad": 1}
    parameters = {"one": {"data": {"of": "2"}}, "commodore": {"diff": {"ignore": rules}}}
    fleet.configure({"applications": ["one"], "parameters": parameters})

    ran = compile_(commodore, fleet, "--diff", "objects")
    strict = compile_(commodore, fleet, "--strict")

    assert ran.code == 0
    assert "1 change in 1 object hidden by rule mine" in ran.out
    assert "a rule about differences is ignored: bad: a rule must be a mapping" in ran.err
    assert strict.code == 1
    assert "a rule about differences is ignored" in strict.err
