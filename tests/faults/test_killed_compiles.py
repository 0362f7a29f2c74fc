"""A compile that is killed leaves nothing half done that the next one does not repair."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.builders import git, git_succeeds
from tests.support.scenarios.killed_compiles import (
    ROUNDS,
    SCENES,
    STAGES,
    Playground,
    Run,
    catalog,
    checkouts,
    heads,
    is_kept,
    leftovers,
    pushed_commits,
    pushed_time,
    pushed_tree,
    reported_time,
)

if TYPE_CHECKING:
    from collections import Counter
    from pathlib import Path

pytestmark = pytest.mark.faults

_TRIES = 5


@pytest.fixture(scope="module")
def playground(tmp_path_factory: pytest.TempPathFactory) -> Playground:
    return Playground(tmp_path_factory.mktemp("killed"))


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_next_compile_repairs_after_kill(
    playground: Playground, kills: Counter[tuple[str, str]], seed: int
) -> None:
    stage, scene = STAGES[seed % len(STAGES)], SCENES[seed // len(STAGES) % len(SCENES)]
    expected, demo = playground.expected[scene], playground.demo
    for again in range(_TRIES):  # a short stage may be over when the moment has come
        playground.restore(scene)
        before = pushed_tree(demo)
        moment = playground.moment(scene, stage, seed * _TRIES + again) / (again + 1)
        killed_in = Run(demo).kill_in(stage, after=moment)
        if killed_in == stage:
            break
    kills[killed_in, scene] += 1
    _tidy_server(demo)

    assert git_succeeds(catalog(demo), "fsck", "--no-progress")
    assert pushed_tree(demo) in (before, expected.tree), "the remote holds half a catalog"
    run = Run(demo)
    code = run.to_end()

    assert code == 0, run.output
    assert (pushed_tree(demo), pushed_commits(demo)) == (expected.tree, expected.commits)
    assert reported_time(demo) == pushed_time(demo)
    if scene == "own commits":
        assert is_kept(demo, playground.own_commit)
    assert heads(demo) == expected.heads
    assert [git(place, "status", "--porcelain") for place in checkouts(demo)] == [""] * len(
        checkouts(demo)
    )
    assert leftovers(demo) == []


def _tidy_server(demo: Path) -> None:
    """Remove locks that were killed with the server: here it is a child of the compile."""
    for lock in (demo / "repos").rglob("*.lock"):
        lock.unlink()
