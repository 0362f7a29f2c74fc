"""`component sync` and `package sync`: many repositories, one template, pull requests."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from tests.builders import a_repository_with, commit_in, commit_to, git, git_says
from tests.git_servers import http
from tests.templates import a_template, change
from tests.web_servers.github import TOKEN, GitHubServer, Hosted, Refusal, serve

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from .conftest import CommandLine, Ran

README = "{{ cookiecutter.slug }}/README.md"
QUICKLY = ("--github-pause", "0", "--push-url", "same")


@dataclass
class World:
    """Components at GitHub, and the template that they were made from."""

    commodore: CommandLine
    github: GitHubServer
    folder: Path
    template: Path
    hosted: dict[str, Hosted] = field(default_factory=dict)

    def a_component(self, slug: str, kind: str = "component") -> Hosted:
        """A component of the template as it is now, at GitHub."""
        words = ("--owner", "acme", "--template-url", str(self.template), "--output-dir", "made")
        (self.folder / "made").mkdir(exist_ok=True)
        ran = self.commodore(kind, "new", slug, *words)
        assert ran.code == 0, ran.err
        place = a_repository_with(self.folder / "git" / f"{kind}-{slug}.git", {})
        git(self.folder / "made" / slug, "push", "--quiet", f"file://{place}", "HEAD:master")
        self.hosted[slug] = self.github.host(f"acme/{kind}-{slug}", place)
        return self.hosted[slug]

    def change_template(self, old: str, new: str) -> str:
        text = (self.template / README).read_text()
        return change(self.template, {"README.md": text.replace(old, new)})

    def sync(
        self, *words: str, entries: tuple[str, ...] | None = None, kind: str = "component"
    ) -> Ran:
        """Offer what the template has; by default to all that GitHub has."""
        listed = self.github.repositories if entries is None else entries
        (self.folder / "list.yaml").write_text("".join(f"- {one}\n" for one in listed))
        how = ("-d", str(self.folder / "work"), kind, "sync", "list.yaml")
        token = ("--github-token", TOKEN, "--github-url", self.github.url)
        return self.commodore(*how, *token, *QUICKLY, *words)

    def checkout(self, slug: str) -> Path:
        return self.folder / "work" / "dependencies" / slug


@pytest.fixture
def world(commodore: CommandLine, tmp_path: Path) -> Iterator[World]:
    with serve() as github:
        template = a_template(tmp_path / "template", hook="")
        yield World(commodore, github, tmp_path, template)


def branch_of(hosted: Hosted, branch: str = "template-sync") -> str:
    name = f"refs/heads/{branch}"
    return git(hosted.place, "rev-parse", name) if git_says(hosted.place, "rev-parse", name) else ""


def summary(ran: Ran) -> list[str]:
    return [line for line in ran.out.splitlines() if line.startswith(("acme/", "file:", "http:"))]


def test_changes_are_offered_once(world: World) -> None:
    one, two = world.a_component("one"), world.a_component("two")
    master = git(one.place, "rev-parse", "master")
    newest = world.change_template("two", "theirs")

    ran = world.sync("-l", "bot", "-l", "sync")

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
    assert git(world.checkout("one"), "status", "--porcelain", "--branch") == (
        "## master...origin/master"
    )

    world.github.said()
    again = world.sync("-l", "bot")

    assert again.code == 0, again.err
    assert "2 components: pull request is up-to-date: 2" in again.out
    assert world.github.writes() == []
    assert (branch_of(one), len(one.pulls)) == (offered, 1)


def test_what_a_run_says(world: World) -> None:
    for slug in ("one", "conflict"):
        world.a_component(slug)
    hosted = world.hosted["conflict"]
    text = git(hosted.place, "show", "master:README.md")
    commit_to(hosted.place, {"README.md": text.replace("two", "mine") + "\n"})
    newest = world.change_template("two", "theirs")
    old = json.loads(git(hosted.place, "show", "master:.cruft.json"))["commit"]

    ran = world.sync(entries=("acme/component-one", "acme/component-conflict", "acme/component-x"))

    why = (
        "the template's changes conflict with yours: README.md changed on both sides;"
        " nothing was changed"
    )
    created = "pull request created: https://github.com/acme/component-one/pull/1"
    assert (
        ran.err.replace(str(world.folder), "...")
        == f"""\
Updating acme/component-one...
 > {created}
Updating acme/component-conflict...
 > failed: {why}
Updating acme/component-x...
 > skipped: not found, or not for this token to see
error: {why}
  .../work/dependencies/conflict
  while updating acme/component-conflict

hint: in a clone of your own: commodore component update . --conflicts markers; or it keeps the \
file to itself with `skip` in .cruft.json
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
        "template": "{world.template}",
     -  "commit": "{old}",
     +  "commit": "{newest}",
        "checkout": "main",
        "context": {{
          "cookiecutter": {{
     @@ -23,7 +23,7 @@
              "raw/*"
            ],
            "_template": "{world.template}",
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
acme/component-x: skipped: not found, or not for this token to see
3 components: pull request created: 1; skipped: 1; failed: 1
"""
    )


def test_the_branch_and_its_pull_request_follow_the_template(world: World) -> None:
    one = world.a_component("one")
    world.change_template("two", "theirs")
    assert world.sync().code == 0
    first = branch_of(one)
    newest = world.change_template("four", "again")

    ran = world.sync("-l", "late")

    assert ran.code == 0, ran.err
    assert "pull request updated: https" in ran.out
    assert branch_of(one) != first
    assert git(one.place, "rev-list", "--count", f"master..{branch_of(one)}") == "1"
    assert [pull.body for pull in one.pulls] == [f"Template version: main ({newest[:7]})"]
    assert one.pulls[0].labels == ["late"]


def test_a_default_branch_that_moves_on_is_no_reason_to_push(world: World) -> None:
    one = world.a_component("one")
    world.change_template("two", "theirs")
    assert world.sync().code == 0
    first = branch_of(one)
    commit_to(one.place, {"own": "x\n"})

    assert "pull request is up-to-date" in world.sync().out
    assert branch_of(one) == first

    commit_to(one.place, {"README.md": git(one.place, "show", "master:README.md") + "\nown\n"})

    assert "pull request updated" in world.sync().out
    assert git(one.place, "rev-parse", f"{branch_of(one)}^") == git(
        one.place, "rev-parse", "master"
    )


def test_a_merged_change_is_not_offered_again(world: World) -> None:
    one = world.a_component("one")
    world.change_template("two", "theirs")
    assert world.sync().code == 0
    git(one.place, "update-ref", "refs/heads/master", branch_of(one))
    one.pulls[0].state = "closed"

    ran = world.sync()

    assert summary(ran) == ["acme/component-one: already up-to-date"]
    world.change_template("four", "again")
    assert "pull request created: https://github.com/acme/component-one/pull/2" in world.sync().out


def test_only_another_version_of_the_template_is_no_change(world: World) -> None:
    one = world.a_component("one")
    commit_in(world.template, {"README.md": "About the template itself.\n"})

    ran = world.sync()

    assert (ran.code, summary(ran)) == (0, ["acme/component-one: already up-to-date"])
    assert branch_of(one) == ""


def test_a_run_that_was_ended_goes_on(world: World) -> None:
    one = world.a_component("one")
    world.change_template("two", "theirs")
    world.github.refuse_writes.append(Refusal(502, "Bad gateway"))  # after the push
    assert world.sync().code == 1
    pushed = branch_of(one)
    assert pushed
    assert one.pulls == []

    ran = world.sync()

    assert ran.code == 0, ran.err
    assert "pull request created" in ran.out
    assert branch_of(one) == pushed


def test_nothing_is_changed_by_a_dry_run(world: World) -> None:
    one, two = world.a_component("one"), world.a_component("two")
    world.change_template("two", "theirs")
    git(world.template, "tag", "v2")
    commit_to(two.place, {"own": "x\n"})

    ran = world.sync("--dry-run")

    assert ran.code == 0, ran.err
    assert summary(ran) == [
        f"acme/component-{name}: pull request would be created or updated"
        for name in ("one", "two")
    ]
    assert "+theirs" in ran.out
    assert world.github.writes() == []
    assert (branch_of(one), branch_of(two)) == ("", "")

    forced = world.sync("--template-version", "v2")

    assert "--template-version is for looking only" in forced.err
    assert "2 components: pull request would be created or updated: 2" in forced.out
    assert world.github.writes() == []


def test_entries_that_are_wanted(world: World) -> None:
    world.a_component("one")
    world.a_component("two")
    world.change_template("two", "theirs")
    gone = world.a_component("gone")
    gone.archived = True
    bare = world.github.host(
        "acme/component-bare", a_repository_with(world.folder / "git" / "bare.git", {"a": "1"})
    )

    ran = world.sync(
        "--filter",
        "-(two|gone|bare|none)$",
        entries=(
            *world.github.repositories,
            "acme/component-none",
            "acme/component-two",
        ),
    )

    assert ran.code == 0, ran.err
    assert summary(ran) == [
        "acme/component-two: pull request created: https://github.com/acme/component-two/pull/1",
        "acme/component-gone: skipped: archived",
        "acme/component-bare: skipped: it has no .cruft.json",
        "acme/component-none: skipped: not found, or not for this token to see",
    ]
    assert bare.pulls == []
    nothing = world.sync("--filter", "nothing like this")
    assert (nothing.code, "see --filter" in nothing.err) == (0, True)


def test_pauses_between_batches(world: World) -> None:
    for slug in ("one", "two", "three"):
        world.a_component(slug)
    world.change_template("two", "theirs")

    ran = world.sync("--pr-batch-size", "1")

    assert ran.code == 0, ran.err
    assert ran.err.count("pausing for 0 seconds after 1 pull requests") == 2
    assert "pausing" not in world.sync("--pr-batch-size", "1").err  # nothing is offered again


@pytest.mark.spec("09.50", "09.51", "09.52")
def test_what_fails_is_told_at_the_end_and_all_others_are_done(world: World) -> None:
    for slug in ("conflict", "leftovers", "refused", "last"):
        world.a_component(slug)
    assert world.sync("--dry-run").code == 0
    hosted = world.hosted["conflict"]
    text = git(hosted.place, "show", "master:README.md")
    commit_to(hosted.place, {"README.md": text.replace("two", "mine") + "\n"})
    (world.checkout("leftovers") / "README.md.rej").write_text("x\n")
    hook = world.hosted["refused"].place / "hooks" / "update"
    hook.write_text("#!/bin/sh\necho 'only on Mondays' >&2\nexit 1\n")
    hook.chmod(0o755)
    world.change_template("two", "theirs")

    ran = world.sync()

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
    assert [bool(branch_of(one)) for one in world.hosted.values()] == [False, False, False, True]
    assert git(world.checkout("conflict"), "status", "--porcelain") == ""


def test_commits_of_others_are_not_overwritten(world: World) -> None:
    one = world.a_component("one")
    world.change_template("two", "theirs")
    assert world.sync().code == 0
    theirs = commit_to(one.place, {"golden": "new\n"}, branch="template-sync", message="Golden")
    world.change_template("four", "again")

    ran = world.sync()

    assert ran.code == 1
    assert "branch template-sync has commits of others" in ran.err
    assert "Golden" in ran.err
    assert branch_of(one) == theirs
    assert world.sync("--pr-branch", "other").code == 0
    assert branch_of(one, "other")


def test_work_in_a_checkout_is_nobodys_but_the_users(world: World) -> None:
    world.a_component("one")
    assert world.sync("--dry-run").code == 0
    (world.checkout("one") / "README.md").write_text("mine\n")
    world.change_template("two", "theirs")

    ran = world.sync()

    assert ran.code == 1
    assert "modified README.md" in ran.err
    assert "--force" not in ran.err
    assert (world.checkout("one") / "README.md").read_text() == "mine\n"


def test_a_refused_token_ends_the_run(world: World) -> None:
    for slug in ("one", "two", "three"):
        world.a_component(slug)
    world.change_template("two", "theirs")
    world.github.refuse_writes.append(Refusal(401, "Bad credentials"))

    ran = world.sync()

    assert ran.code == 1
    assert summary(ran) == [
        "acme/component-one: failed: GitHub refuses the token: Bad credentials",
        "acme/component-two: not tried",
        "acme/component-three: not tried",
    ]


def test_programs_of_a_template_run_only_when_trusted(world: World) -> None:
    hook = "open('made-by-hook', 'w').write('x')\n"
    for slug in ("one", "two"):
        world.a_component(slug)
    commit_in(world.template, {"hooks/post_gen_project.py": hook})

    refused = world.sync()

    assert refused.code == 1
    assert "--trust" in refused.err
    assert refused.err.count(hook) == 1  # shown once, not for every component
    assert branch_of(world.hosted["one"]) == ""

    trusted = world.sync("--trust")

    assert trusted.code == 0, trusted.err
    assert trusted.err.count(hook) == 1
    assert "made-by-hook" in git(world.hosted["two"].place, "ls-tree", "template-sync")


def test_repositories_elsewhere_get_a_branch(world: World, stranger: Path) -> None:
    one = world.a_component("one")
    hook = one.place / "hooks" / "post-receive"
    url = "https://git.example.com/acme/component-one/-/merge_requests/new?branch=template-sync"
    hook.write_text(f"#!/bin/sh\necho\necho 'To create a merge request:'\necho '  {url}'\n")
    hook.chmod(0o755)
    world.change_template("two", "theirs")
    commodore, folder = world.commodore, world.folder
    with http.serve(folder / "git") as server:
        entry = server.url("component-one.git")
        (folder / "list.yaml").write_text(f"- {entry}\n")

        ran = commodore("component", "sync", "list.yaml", *QUICKLY)  # no token is needed

        assert ran.code == 0, ran.err
        assert summary(ran) == [f"{entry}: branch pushed, no pull request opened: {url}"]
        assert "open this one yourself" in ran.err
        pushed = branch_of(one)
        assert git(one.place, "rev-parse", f"{pushed}^") == git(one.place, "rev-parse", "master")
        kept = stranger / ".cache/commodore/git/127.0.0.1/git/component-one.git"
        assert (kept / "commodore-lends.json").is_file()  # the next working directory may borrow
        again = commodore("component", "sync", "list.yaml", *QUICKLY)
        assert summary(again) == [
            f"{entry}: branch is up-to-date, no pull request opened: branch template-sync"
        ]
    assert branch_of(one) == pushed
    assert world.github.asked == []


def test_packages(world: World) -> None:
    one = world.a_component("one", kind="package")
    world.change_template("two", "theirs")

    ran = world.sync(kind="package")

    assert ran.code == 0, ran.err
    assert one.pulls[0].title == "Update from package template"
    assert (world.folder / "work" / "dependencies" / "pkg.one").is_dir()


@pytest.mark.spec("09.46")
def test_without_a_token(commodore: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "list.yaml").write_text("- acme/component-one\n")

    ran = commodore("component", "sync", "list.yaml")

    assert (ran.code, ran.out) == (1, "")
    assert "--github-token" in ran.err
    assert "COMMODORE_GITHUB_TOKEN" in ran.err


@pytest.mark.spec("09.47")
@pytest.mark.parametrize(
    ("content", "place"),
    [("acme: component-one\n", ":1"), ("", ":1"), ("- a\n- [b\n", ":3"), ("text\n", ":1")],
)
def test_a_list_that_is_none(
    commodore: CommandLine, tmp_path: Path, content: str, place: str
) -> None:
    (tmp_path / "list.yaml").write_text(content)

    ran = commodore("component", "sync", "list.yaml", "--github-token", TOKEN)

    assert ran.code == 1
    assert f"list.yaml{place}" in ran.err
    assert "list of owner/repository" in ran.err


@pytest.mark.spec("09.48")
def test_entries_that_are_no_repositories(world: World) -> None:
    world.a_component("one")
    wrong = ("component-two", "a/b/c", "7", "[a/b]", "acme/component one", "null", "http://[x/y")

    ran = world.sync(entries=("acme/component-one", *wrong))

    assert ran.code == 1
    for line in (2, 3, 4, 5, 6, 7, 8):
        assert f"list.yaml:{line}: " in ran.err
    assert "acme/component-one" in ran.err  # the shape expected
    assert world.github.asked == []


@pytest.mark.spec("09.49")
def test_a_filter_that_is_no_expression(commodore: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "list.yaml").write_text("- acme/component-one\n")

    ran = commodore("component", "sync", "list.yaml", "--filter", "a(b", "--github-token", TOKEN)

    assert ran.code == 2
    assert "--filter" in ran.err
    assert "'a(b' is no regular expression: missing ), unterminated subpattern" in ran.err
    assert "position 1: '(b'" in ran.err


def test_a_pause_below_zero(commodore: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "list.yaml").write_text("- acme/component-one\n")

    ran = commodore("component", "sync", "list.yaml", "--github-pause", "-1")

    assert (ran.code, "below zero" in ran.err) == (2, True)
