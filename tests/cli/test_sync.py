"""`component sync` and `package sync`: many repositories, one template, pull requests."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.support.builders import commit_in, commit_to, git, make_repository
from tests.support.scenarios.template_sync import (
    TemplateSync,
    branch_of,
    make_scenario,
    summary,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.command_line import CommandLine


@pytest.fixture
def scenario(commodore: CommandLine, tmp_path: Path) -> Iterator[TemplateSync]:
    with make_scenario(commodore, tmp_path) as scenario:
        yield scenario


def test_changes_are_proposed_once(scenario: TemplateSync) -> None:
    one, two = scenario.a_component("one"), scenario.a_component("two")
    master = git(one.place, "rev-parse", "master")
    newest = scenario.change_template("two", "theirs")

    ran = scenario.sync("-l", "bot", "-l", "sync")

    assert ran.code == 0, ran.err
    assert summary(ran) == [
        f"acme/component-{name}: pull request created: "
        f"https://github.com/acme/component-{name}/pull/1"
        for name in ("one", "two")
    ]
    assert ran.out.endswith("2 components: pull request created: 2\n")
    assert "+theirs" in ran.out
    pull = two.pulls[0]
    assert (pull.title, pull.base, pull.labels) == (
        "Update from component template",
        "master",
        ["bot", "sync"],
    )
    assert pull.body == f"Template version: main ({newest[:7]})"
    offered = branch_of(one)
    assert git(one.place, "rev-parse", f"{offered}^") == master
    assert git(one.place, "log", "-1", "--format=%B", offered) == (
        f"Update from template\n\n{pull.body}"
    )
    assert git(one.place, "diff", "--name-only", master, offered) == ".cruft.json\nREADME.md"
    assert json.loads(git(one.place, "show", f"{offered}:.cruft.json"))["commit"] == newest
    assert git(one.place, "rev-parse", "master") == master
    assert git(scenario.checkout("one"), "status", "--porcelain", "--branch") == (
        "## master...origin/master"
    )

    scenario.github.requests_received()
    again = scenario.sync("-l", "bot")

    assert again.code == 0, again.err
    assert "2 components: pull request is up-to-date: 2" in again.out
    assert scenario.github.writes() == []
    assert (branch_of(one), len(one.pulls)) == (offered, 1)


def test_sync_prints_result_of_each_component(scenario: TemplateSync) -> None:
    for slug in ("one", "conflict"):
        scenario.a_component(slug)
    hosted = scenario.hosted["conflict"]
    text = git(hosted.place, "show", "master:README.md")
    commit_to(hosted.place, {"README.md": text.replace("two", "mine") + "\n"})
    newest = scenario.change_template("two", "theirs")
    old = json.loads(git(hosted.place, "show", "master:.cruft.json"))["commit"]

    ran = scenario.sync(
        entries=("acme/component-one", "acme/component-conflict", "acme/component-x")
    )

    why = (
        "the template's changes conflict with yours: README.md changed on both sides;"
        " nothing was changed"
    )
    created = "pull request created: https://github.com/acme/component-one/pull/1"
    assert (
        ran.err.replace(str(scenario.folder), "...")
        == f"""\
Updating acme/component-one...
 > {created}
Updating acme/component-conflict...
 > failed: {why}
Updating acme/component-x...
 > skipped: not found, or not accessible with this token
error: {why}
  work/dependencies/conflict
  while updating acme/component-conflict

hint: make the template's changes in a clone and push them; or exclude the file with `skip` in \
.cruft.json
"""
    )
    assert (
        ran.out
        == f"""\
 > Changes:
     --- .cruft.json
     +++ .cruft.json
     @@ -1,6 +1,6 @@
      {{
        "template": "{scenario.template}",
     -  "commit": "{old}",
     +  "commit": "{newest}",
        "checkout": "main",
        "context": {{
          "cookiecutter": {{
     @@ -23,7 +23,7 @@
              "raw/*"
            ],
            "_template": "{scenario.template}",
     -      "_commit": "{old}"
     +      "_commit": "{newest}"
          }}
        }},
        "directory": null
     --- README.md
     +++ README.md
     @@ -1,7 +1,7 @@
      # one
{" "}
      one
     -two
     +theirs
      three
      four
      five
acme/component-one: {created}
acme/component-conflict: failed: {why}
acme/component-x: skipped: not found, or not accessible with this token
3 components: pull request created: 1; skipped: 1; failed: 1
"""
    )


def test_pull_request_follows_template(scenario: TemplateSync) -> None:
    one = scenario.a_component("one")
    scenario.change_template("two", "theirs")
    assert scenario.sync().code == 0
    first = branch_of(one)
    newest = scenario.change_template("four", "again")

    ran = scenario.sync("-l", "late")

    assert ran.code == 0, ran.err
    assert "pull request updated: https" in ran.out
    assert branch_of(one) != first
    assert git(one.place, "rev-list", "--count", f"master..{branch_of(one)}") == "1"
    assert [pull.body for pull in one.pulls] == [f"Template version: main ({newest[:7]})"]
    assert one.pulls[0].labels == ["late"]


def test_new_commit_on_default_branch_causes_no_push(scenario: TemplateSync) -> None:
    one = scenario.a_component("one")
    scenario.change_template("two", "theirs")
    assert scenario.sync().code == 0
    first = branch_of(one)
    commit_to(one.place, {"own": "x\n"})

    assert "pull request is up-to-date" in scenario.sync().out
    assert branch_of(one) == first

    commit_to(one.place, {"README.md": git(one.place, "show", "master:README.md") + "\nown\n"})

    assert "pull request updated" in scenario.sync().out
    assert git(one.place, "rev-parse", f"{branch_of(one)}^") == git(
        one.place, "rev-parse", "master"
    )


def test_merged_change_is_not_proposed_again(scenario: TemplateSync) -> None:
    one = scenario.a_component("one")
    scenario.change_template("two", "theirs")
    assert scenario.sync().code == 0
    git(one.place, "update-ref", "refs/heads/master", branch_of(one))
    one.pulls[0].state = "closed"

    ran = scenario.sync()

    assert summary(ran) == ["acme/component-one: already up-to-date"]
    scenario.change_template("four", "again")
    assert (
        "pull request created: https://github.com/acme/component-one/pull/2" in scenario.sync().out
    )


def test_new_template_version_alone_is_no_change(scenario: TemplateSync) -> None:
    one = scenario.a_component("one")
    commit_in(scenario.template, {"README.md": "About the template itself.\n"})

    ran = scenario.sync()

    assert (ran.code, summary(ran)) == (0, ["acme/component-one: already up-to-date"])
    assert branch_of(one) == ""


def test_dry_run_changes_nothing(scenario: TemplateSync) -> None:
    one, two = scenario.a_component("one"), scenario.a_component("two")
    scenario.change_template("two", "theirs")
    git(scenario.template, "tag", "v2")
    commit_to(two.place, {"own": "x\n"})

    ran = scenario.sync("--dry-run")

    assert ran.code == 0, ran.err
    assert summary(ran) == [
        f"acme/component-{name}: pull request would be created or updated"
        for name in ("one", "two")
    ]
    assert "+theirs" in ran.out
    assert scenario.github.writes() == []
    assert (branch_of(one), branch_of(two)) == ("", "")

    forced = scenario.sync("--template-version", "v2")

    assert "--template-version implies --dry-run" in forced.err
    assert "2 components: pull request would be created or updated: 2" in forced.out
    assert scenario.github.writes() == []


def test_filter_and_skipped_repositories(scenario: TemplateSync) -> None:
    scenario.a_component("one")
    scenario.a_component("two")
    scenario.change_template("two", "theirs")
    archived = scenario.a_component("gone")
    archived.archived = True
    bare = scenario.github.host(
        "acme/component-bare", make_repository(scenario.folder / "git" / "bare.git", {"a": "1"})
    )

    ran = scenario.sync(
        "--filter",
        "-(two|gone|bare|none)$",
        entries=(
            *scenario.github.repositories,
            "acme/component-none",
            "acme/component-two",
        ),
    )

    assert ran.code == 0, ran.err
    assert summary(ran) == [
        "acme/component-two: pull request created: https://github.com/acme/component-two/pull/1",
        "acme/component-gone: skipped: archived",
        "acme/component-bare: skipped: it has no .cruft.json",
        "acme/component-none: skipped: not found, or not accessible with this token",
    ]
    assert bare.pulls == []
    nothing = scenario.sync("--filter", "nothing like this")
    assert (nothing.code, "see --filter" in nothing.err) == (0, True)


def test_pauses_between_batches(scenario: TemplateSync) -> None:
    for slug in ("one", "two", "three"):
        scenario.a_component(slug)
    scenario.change_template("two", "theirs")

    ran = scenario.sync("--pr-batch-size", "1")

    assert ran.code == 0, ran.err
    assert ran.err.count("pausing for 0 seconds after 1 pull requests") == 2
    assert "pausing" not in scenario.sync("--pr-batch-size", "1").err  # nothing is offered again


def test_hooks_run_only_with_trust(scenario: TemplateSync) -> None:
    hook = "open('made-by-hook', 'w').write('x')\n"
    for slug in ("one", "two"):
        scenario.a_component(slug)
    commit_in(scenario.template, {"hooks/post_gen_project.py": hook})

    refused = scenario.sync(trust=False)

    assert refused.code == 1
    assert "--trust" in refused.err
    assert refused.err.count(hook) == 1  # shown once, not for every component
    assert branch_of(scenario.hosted["one"]) == ""

    trusted = scenario.sync()

    assert trusted.code == 0, trusted.err
    assert trusted.err.count(hook) == 1
    assert "made-by-hook" in git(scenario.hosted["two"].place, "ls-tree", "template-sync")


def test_packages(scenario: TemplateSync) -> None:
    one = scenario.a_component("one", kind="package")
    scenario.change_template("two", "theirs")

    ran = scenario.sync(kind="package")

    assert ran.code == 0, ran.err
    assert one.pulls[0].title == "Update from package template"
    assert (scenario.folder / "work" / "dependencies" / "pkg.one").is_dir()
