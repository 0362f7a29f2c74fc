"""What can be wrong with a sync and some of its repositories: reported, and all others done."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from commodore_py.adapters.http import github
from tests.support.builders import commit_to, git
from tests.support.scenarios.template_sync import TemplateSync, branch_of, make_scenario, summary
from tests.support.servers.github import TOKEN, Refusal

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from commodore_py.adapters.http.github import HostedRepository, Proposal
    from tests.support.command_line import CommandLine


@pytest.fixture
def scenario(commodore: CommandLine, tmp_path: Path) -> Iterator[TemplateSync]:
    with make_scenario(commodore, tmp_path) as scenario:
        yield scenario


def test_second_run_completes_failed_one(scenario: TemplateSync) -> None:
    one = scenario.a_component("one")
    scenario.change_template("two", "theirs")
    scenario.github.refuse_writes.append(Refusal(422, "Not now"))  # after the push
    assert scenario.sync().code == 1
    pushed = branch_of(one)
    assert pushed
    assert one.pulls == []

    ran = scenario.sync()

    assert ran.code == 0, ran.err
    assert "pull request created" in ran.out
    assert branch_of(one) == pushed


def test_failures_do_not_stop_other_repositories(scenario: TemplateSync) -> None:
    for slug in ("conflict", "leftovers", "refused", "last"):
        scenario.a_component(slug)
    assert scenario.sync("--dry-run").code == 0
    hosted = scenario.hosted["conflict"]
    text = git(hosted.place, "show", "master:README.md")
    commit_to(hosted.place, {"README.md": text.replace("two", "mine") + "\n"})
    (scenario.checkout("leftovers") / "README.md.rej").write_text("x\n")
    hook = scenario.hosted["refused"].place / "hooks" / "update"
    hook.write_text("#!/bin/sh\necho 'only on Mondays' >&2\nexit 1\n")
    hook.chmod(0o755)
    scenario.change_template("two", "theirs")

    ran = scenario.sync()

    assert ran.code == 1
    lines = summary(ran)
    assert lines[0].startswith("acme/component-conflict: failed: the template's changes conflict")
    assert lines[1].startswith("acme/component-leftovers: failed: ")
    assert "untracked README.md.rej" in lines[1]
    assert lines[2].startswith("acme/component-refused: failed: cannot push branch template-sync")
    assert "pull request created" in lines[3]
    assert ran.out.endswith("4 components: pull request created: 1; failed: 3\n")
    assert "README.md changed on both sides" in ran.err
    assert "only on Mondays" in ran.err
    assert "while updating acme/component-leftovers" in ran.err
    assert [bool(branch_of(one)) for one in scenario.hosted.values()] == [False, False, False, True]
    assert git(scenario.checkout("conflict"), "status", "--porcelain") == ""


def test_commits_of_others_are_not_overwritten(scenario: TemplateSync) -> None:
    one = scenario.a_component("one")
    scenario.change_template("two", "theirs")
    assert scenario.sync().code == 0
    theirs = commit_to(one.place, {"golden": "new\n"}, branch="template-sync", message="Golden")
    scenario.change_template("four", "again")

    ran = scenario.sync()

    assert ran.code == 1
    assert "branch template-sync has commits of others" in ran.err
    assert "Golden" in ran.err
    assert branch_of(one) == theirs
    assert scenario.sync("--pr-branch", "other").code == 0
    assert branch_of(one, "other")


def test_local_work_in_checkout_is_kept(scenario: TemplateSync) -> None:
    scenario.a_component("one")
    assert scenario.sync("--dry-run").code == 0
    (scenario.checkout("one") / "README.md").write_text("mine\n")
    scenario.change_template("two", "theirs")

    ran = scenario.sync()

    assert ran.code == 1
    assert "modified README.md" in ran.err
    assert "--force" not in ran.err
    assert (scenario.checkout("one") / "README.md").read_text() == "mine\n"


def test_refused_token_ends_run(scenario: TemplateSync) -> None:
    for slug in ("one", "two", "three"):
        scenario.a_component(slug)
    scenario.change_template("two", "theirs")
    scenario.github.refuse_writes.append(Refusal(401, "Bad credentials"))

    ran = scenario.sync()

    assert ran.code == 1
    assert summary(ran) == [
        "acme/component-one: failed: GitHub refuses the token: Bad credentials",
        "acme/component-two: not tried",
        "acme/component-three: not tried",
    ]


def test_odd_answers_do_not_stop_other_repositories(scenario: TemplateSync) -> None:
    for slug in ("html", "pulls", "last"):
        scenario.a_component(slug)
    scenario.change_template("two", "theirs")
    scenario.github.odd["GET /repos/acme/component-html"] = 200, b"<html>Sign in</html>"
    scenario.github.odd["GET /repos/acme/component-pulls/pulls"] = 200, b"{}"

    ran = scenario.sync()

    assert ran.code == 1
    assert "github-url" in ran.err
    assert ran.out.endswith("3 components: pull request created: 1; failed: 2\n")


def test_token_in_message_of_server_is_not_shown(scenario: TemplateSync) -> None:
    scenario.a_component("one")
    scenario.github.refusals.append(Refusal(400, f"Bad header: token {TOKEN}"))

    ran = scenario.sync()

    assert ran.code == 1
    assert "Bad header: token ***" in ran.err
    assert TOKEN not in ran.out + ran.err


def test_working_directory_is_free_during_requests(
    scenario: TemplateSync, monkeypatch: pytest.MonkeyPatch
) -> None:
    scenario.a_component("one")
    scenario.change_template("two", "theirs")
    runs: list[list[Path]] = []

    def propose(repository: HostedRepository, proposal: Proposal) -> tuple[str, str]:
        runs.append(list((scenario.folder / "work").rglob("running")))
        return github.propose(repository, proposal)

    monkeypatch.setattr("commodore_py.workflows.authoring.sync.propose", propose)

    assert scenario.sync().code == 0
    assert runs == [[]]


def test_invalid_filter_is_refused(commodore: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "list.yaml").write_text("- acme/component-one\n")

    ran = commodore("component", "sync", "list.yaml", "--filter", "a(b", "--github-token", TOKEN)

    assert ran.code == 2
    assert "--filter" in ran.err
    assert "'a(b' is not a valid regular expression: missing ), unterminated subpattern" in ran.err
    assert "position 1: '(b'" in ran.err


def test_negative_pause_is_refused(commodore: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "list.yaml").write_text("- acme/component-one\n")

    ran = commodore("component", "sync", "list.yaml", "--github-pause", "-1")

    assert (ran.code, "is negative" in ran.err) == (2, True)
