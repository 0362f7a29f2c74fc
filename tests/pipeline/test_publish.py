"""Pushes to a catalog that others push to at the same time, and the programs that a push needs."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from commodore_py.errors import CommodoreError
from commodore_py.pipeline import compile_catalog
from tests.support.builders import (
    commit_to,
    git,
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


@pytest.mark.long
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


@pytest.mark.long
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
