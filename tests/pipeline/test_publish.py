"""What a compile does with its catalog: looked at, pushed, pushed again, to a branch, reported."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from commodore_py.config import Author
from commodore_py.errors import CommodoreError
from commodore_py.model.published import ReportOutcome
from commodore_py.pipeline import compile_catalog
from tests.support.builders import (
    commit_in,
    commit_to,
    digest_of,
    git,
    make_repository,
    url_of,
)
from tests.support.fleet import CLUSTER, Fleet, make_fleet

if TYPE_CHECKING:
    from pathlib import Path

    from commodore_py.config import Config
    from commodore_py.model.catalog import Change
    from commodore_py.model.published import Published

pytestmark = pytest.mark.sample(2)

OUT = "manifests/web/out.yaml"


@pytest.fixture
def fleet(tmp_path: Path) -> Fleet:
    return make_fleet(tmp_path, web={})


def push(config: Config) -> Published:
    return compile_catalog(config, CLUSTER, approve=lambda _: True)


class Rival:
    """Somebody who pushes to the catalog whenever we are about to."""

    def __init__(self, fleet: Fleet, *, times: int, files: dict[str, str]) -> None:
        self.fleet, self.times, self.files = fleet, times, files
        self.changes: list[Change] = []

    def __call__(self, change: Change) -> bool:
        self.changes.append(change)
        self.push()
        return True

    def push(self) -> None:
        if self.times:
            self.times -= 1
            files = {name: text.replace("N", str(self.times)) for name, text in self.files.items()}
            commit_to(self.fleet.catalog, files)


def test_overtaken_push_is_rebased_on_other_commits(fleet: Fleet) -> None:
    push(fleet.config())
    fleet.change_data()
    rival = Rival(fleet, times=1, files={"README.md": "theirs"})

    published = compile_catalog(fleet.config(), CLUSTER, approve=rival)

    assert published.commit == git(fleet.catalog, "rev-parse", "HEAD")
    assert {"README.md", OUT} <= fleet.catalog_files().keys()
    assert "new" in fleet.catalog_files()[OUT]
    # What the user approved is what was pushed: nobody is asked twice.
    assert len(rival.changes) == 1
    assert git(fleet.work / "catalog", "status", "--porcelain") == ""
    assert git(fleet.work / "catalog", "for-each-ref", "refs/commodore/backup") == ""


def test_catalog_needs_few_git_processes(fleet: Fleet, monkeypatch: pytest.MonkeyPatch) -> None:
    push(fleet.config())
    events, catalog = fleet.root / "events", str(fleet.work / "catalog")
    monkeypatch.setenv("GIT_TRACE2_EVENT", str(events))

    def started() -> Counter[str]:
        """The commands of Git in the catalog, without those that Git itself starts."""
        log = [json.loads(line) for line in events.read_text().splitlines()]
        events.write_text("")
        inside = {one["sid"] for one in log if one.get("worktree") == catalog}
        names = (one for one in log if one["event"] == "cmd_name" and one["sid"] in inside)
        return Counter(one["name"] for one in names if "/" not in one["sid"])

    push(fleet.config())
    unchanged = started()
    fleet.change_data()
    push(fleet.config())
    changed = started()
    push(fleet.config())

    each = ("status", "config", "ls-tree")
    assert unchanged == started() == dict.fromkeys(each, 1)
    assert changed == dict.fromkeys((*each, "fast-import", "reset", "push"), 1)


def test_overtaken_first_push_is_repeated(fleet: Fleet) -> None:
    rival = Rival(fleet, times=1, files={"README.md": "theirs"})

    published = compile_catalog(fleet.config(), CLUSTER, approve=rival)

    assert published.commit == git(fleet.catalog, "rev-parse", "HEAD")
    assert git(fleet.catalog, "log", "--format=%s").splitlines() == [
        "Automated catalog update from Commodore",
        "Change",
    ]


def test_unapproved_change_stays_staged(fleet: Fleet) -> None:
    commit = push(fleet.config()).commit
    fleet.change_data()

    for _ in range(2):
        compile_catalog(fleet.config(), CLUSTER, approve=lambda _: False)

        assert git(fleet.work / "catalog", "rev-parse", "HEAD") == commit
        assert git(fleet.work / "catalog", "status", "--porcelain") == f"M  {OUT}"


def test_withdrawn_staged_change_leaves_clean_checkout(fleet: Fleet) -> None:
    push(fleet.config())
    fleet.change_data()
    compile_catalog(fleet.config(), CLUSTER, approve=lambda _: False)
    fleet.change_data("web")

    assert not push(fleet.config()).change

    assert git(fleet.work / "catalog", "status", "--porcelain") == ""


def test_changed_diff_needs_new_approval(fleet: Fleet) -> None:
    push(fleet.config())
    fleet.change_data()
    rival = Rival(fleet, times=1, files={"manifests/theirs.yaml": "a: 1\n"})

    compile_catalog(fleet.config(), CLUSTER, approve=rival)

    first, second = ([file.path for file in change.files] for change in rival.changes)
    assert (first, second) == ([OUT], ["manifests/theirs.yaml", OUT])
    assert list(fleet.catalog_files()) == [OUT]


def test_second_approval_can_be_refused(fleet: Fleet) -> None:
    push(fleet.config())
    fleet.change_data()
    rival = Rival(fleet, times=1, files={"manifests/theirs.yaml": "a: 1\n"})

    published = compile_catalog(
        fleet.config(), CLUSTER, approve=lambda change: rival(change) and len(rival.changes) < 2
    )

    assert published.commit is None
    assert git(fleet.catalog, "log", "-1", "--format=%s") == "Change"
    assert git(fleet.work / "catalog", "rev-parse", "HEAD") == git(
        fleet.catalog, "rev-parse", "HEAD"
    )


def test_identical_push_by_others_needs_no_commit(fleet: Fleet) -> None:
    push(fleet.config())
    fleet.change_data()
    compile_catalog(fleet.config(), CLUSTER, approve=lambda _: False)
    same = (fleet.work / "catalog" / OUT).read_text()
    rival = Rival(fleet, times=1, files={OUT: same})

    published = compile_catalog(fleet.config(), CLUSTER, approve=rival)

    assert not published.change
    assert published.commit is None
    assert git(fleet.catalog, "log", "-1", "--format=%s") == "Change"


def test_push_gives_up_after_repeated_overtaking(fleet: Fleet) -> None:
    push(fleet.config())
    fleet.change_data()
    rival = Rival(fleet, times=9, files={"manifests/theirs.yaml": "a: N\n"})

    with pytest.raises(CommodoreError, match="fetch first") as caught:
        compile_catalog(fleet.config(), CLUSTER, approve=rival)

    assert len(rival.changes) == 4
    assert caught.value.__notes__ == ["the branch was pushed to 4 times in a row"]
    assert "compile again" in caught.value.hint
    assert git(fleet.work / "catalog", "log", "-1", "--format=%s").startswith("Automated")


def test_unpushed_commits_are_kept(fleet: Fleet) -> None:
    push(fleet.config())
    mine = commit_in(fleet.work / "catalog", {"mine.txt": "mine"})
    fleet.change_data()

    push(fleet.config())

    assert "mine.txt" not in fleet.catalog_files()
    stored = git(fleet.work / "catalog", "for-each-ref", "--contains", mine, "--format=%(refname)")
    assert stored.startswith("refs/commodore/backup/")


def test_hidden_entries_beside_ours_are_local_work(fleet: Fleet) -> None:
    push(fleet.config())
    mine = fleet.work / "catalog/manifests/.mine"
    mine.write_text("mine")
    compile_catalog(fleet.config(local=True), CLUSTER, approve=lambda _: False)

    with pytest.raises(CommodoreError, match=r"untracked manifests/\.mine"):
        push(fleet.config())

    assert mine.read_text() == "mine"


def test_unreachable_catalog_fails_before_fetching_hierarchy(fleet: Fleet) -> None:
    push(fleet.config())
    before = digest_of(fleet.work / "inventory")
    fleet.change_data()
    fleet.catalog.rename(fleet.root / "gone")

    with pytest.raises(CommodoreError, match="cannot fetch the catalog of c-one") as caught:
        push(fleet.config())

    assert "creates it, or correct gitRepo.url" in caught.value.hint
    assert digest_of(fleet.work / "inventory") == before


def test_work_in_the_catalog_is_noticed_before_the_hierarchy_is_fetched(fleet: Fleet) -> None:
    push(fleet.config())
    (fleet.work / "catalog" / "notes.txt").write_text("mine")
    before = digest_of(fleet.work / "inventory")
    fleet.change_data()

    with pytest.raises(CommodoreError, match=r"local work: untracked notes\.txt"):
        push(fleet.config())

    assert digest_of(fleet.work / "inventory") == before


@pytest.mark.parametrize("theirs", ["mine.log", "mine.log/deep.txt"])
def test_ignored_file_is_not_overwritten_by_fetched_commit(fleet: Fleet, theirs: str) -> None:
    push(fleet.config(push=True))
    commit_to(fleet.catalog, {".gitignore": "*.log\n"})
    push(fleet.config())
    mine = fleet.work / "catalog/mine.log"
    mine.write_text("mine")
    push(fleet.config())
    commit_to(fleet.catalog, {theirs: "theirs"})

    with pytest.raises(CommodoreError, match=r"in the way of version master: untracked mine\.log"):
        push(fleet.config())
    assert mine.read_text() == "mine"

    push(fleet.config(force=True))
    assert (fleet.work / "catalog" / theirs).read_text() == "theirs"
    refs = "refs/commodore/backup"
    stored = git(fleet.work / "catalog", "for-each-ref", refs, "--format=%(refname)").splitlines()
    assert git(fleet.work / "catalog", "show", f"{stored[0]}:mine.log") == "mine"


def test_catalog_checkout_records_its_cluster(fleet: Fleet) -> None:
    push(fleet.config())

    catalog = fleet.work / "catalog"
    assert git(catalog, "config", "commodore.cluster") == CLUSTER
    assert sorted(p.name for p in catalog.iterdir()) == [".git", "manifests", "refs"]


def test_two_clusters_with_one_catalog_are_reported(fleet: Fleet) -> None:
    push(fleet.config())
    other = fleet.a_second_cluster(fleet.catalog)

    with pytest.raises(CommodoreError, match="they overwrite each other"):
        compile_catalog(fleet.config(strict=True), other, approve=lambda _: True)
    published = compile_catalog(fleet.config(), other, approve=lambda _: True)

    (notice,) = published.notices
    assert (
        "the catalog of cluster c-two is in the same repository as that of c-one" in notice.message
    )
    assert git(fleet.work / "catalog", "config", "commodore.cluster") == other


def test_catalog_of_another_cluster_replaces_checkout(fleet: Fleet) -> None:
    push(fleet.config())
    theirs = make_repository(fleet.repository("catalog-two"), {})
    other = fleet.a_second_cluster(theirs)

    published = compile_catalog(fleet.config(strict=True), other, approve=lambda _: True)

    assert published.notices == ()
    assert published.commit == git(theirs, "rev-parse", "HEAD")
    assert git(fleet.work / "catalog", "config", "commodore.cluster") == other


@pytest.mark.parametrize("what", ["owner", "remote"])
def test_local_mode_warns_about_a_catalog_of_another_cluster(fleet: Fleet, what: str) -> None:
    push(fleet.config())
    catalog = fleet.work / "catalog"
    if what == "owner":
        git(catalog, "config", "commodore.cluster", "c-two")
    else:
        git(catalog, "remote", "set-url", "origin", "file:///elsewhere.git")

    published = compile_catalog(fleet.config(local=True), CLUSTER, approve=lambda _: False)

    (notice,) = published.notices
    assert notice.strict
    assert ("c-two" if what == "owner" else "file:///elsewhere.git") in notice.message


def test_unreachable_push_url_is_reported_early(
    fleet: Fleet, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = fleet.root / "gitconfig"
    settings.write_text(f'[url "file://{fleet.catalog.parent}"]\n\tinsteadOf = http://nowhere\n')
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
    file = fleet.root / "facts/clusters" / f"{CLUSTER}.yaml"
    file.write_text(file.read_text().replace(url_of(fleet.catalog), "http://nowhere/catalog.git"))

    with pytest.raises(CommodoreError, match="cannot push the catalog to branch master"):
        push(fleet.config(push=True))
    with pytest.raises(CommodoreError, match="the catalog cannot be pushed to ssh://git@nowhere"):
        push(fleet.config(push=True, strict=True))

    assert "the catalog cannot be pushed to ssh://git@nowhere/catalog.git" in caplog.text


def test_failed_report_is_repeated_by_next_push(fleet: Fleet) -> None:
    (fleet.root / "facts" / "reports").write_text("in the way")
    push(fleet.config(push=True))

    assert push(fleet.config(push=True)).report is ReportOutcome.FAILED
    (fleet.root / "facts" / "reports").unlink()
    assert push(fleet.config()).report is ReportOutcome.NOT_DUE  # nobody asked for a push

    assert push(fleet.config(push=True)).report is ReportOutcome.REPORTED
    assert push(fleet.config(push=True)).report is ReportOutcome.NOT_DUE


def test_phases_of_run_are_timed(fleet: Fleet) -> None:
    timings = dict(push(fleet.config(author=Author("A", "a@example.com"))).timings)

    assert list(timings) == ["gather", "render", "publish"]
    assert all(seconds > 0 for seconds in timings.values())
