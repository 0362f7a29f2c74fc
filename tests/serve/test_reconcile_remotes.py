"""Whether clusters are up to date while their remotes move or cannot be reached."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from tests.support.builders import commit_to

from .daemon import serving

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .conftest import Playground
    from .daemon import Daemon

ONE = "/v1/clusters/c-demo-1"


def test_remote_that_was_never_reached_leaves_it_unknown(playground: Playground) -> None:
    with (
        _unreachable(playground),
        serving(playground.work, playground.facts, home=playground.home) as daemon,
    ):
        assert daemon.done(daemon.call("POST", f"{ONE}/compile"))["state"] == "failed"
        for _ in range(5):
            assert daemon.get(ONE)["up_to_date"] is None
            time.sleep(0.1)


def test_remote_that_moved_and_is_gone_stays_moved(playground: Playground) -> None:
    commit_to(playground.folder / "repos" / "global.git", {"note": "moved"})
    with serving(playground.work, playground.facts, home=playground.home) as daemon:
        before = _known(daemon)
        with _unreachable(playground):
            assert daemon.done(daemon.call("POST", f"{ONE}/compile"))["state"] == "failed"
            after = _known(daemon)

    assert [one["input"] for one in before["moved"]] == ["global"]
    assert after["moved"] == before["moved"]


@contextmanager
def _unreachable(playground: Playground) -> Iterator[None]:
    remote = playground.folder / "repos" / "global.git"
    gone = remote.rename(remote.with_name("gone.git"))
    try:
        yield
    finally:
        gone.rename(remote)


def _known(daemon: Daemon) -> Any:  # noqa: ANN401 - JSON
    """The cluster once its remotes were read."""
    for _ in range(300):
        about = daemon.get(ONE)
        if about["up_to_date"] is not None:
            return about
        time.sleep(0.02)
    raise AssertionError("remotes are not read")
