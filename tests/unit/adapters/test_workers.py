"""Work in forked processes: results, failures, deaths and interruptions."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from commodore_py.adapters import workers
from commodore_py.errors import CommodoreError

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux forks safely")


def _running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    # Ended, but another test made this process adopt orphans, and nobody waits for it.
    status = Path(f"/proc/{pid}/stat")
    return not (status.exists() and status.read_text().rpartition(")")[2].split()[0] == "Z")


def test_every_item_has_its_result() -> None:
    found = dict(workers.each(lambda item: item * item, range(20), 3))

    assert found == {item: item * item for item in range(20)}


def test_no_item_no_worker() -> None:
    assert list(workers.each(str, [], 2)) == []


def test_workers_are_other_processes() -> None:
    pids = {pid for _, pid in workers.each(lambda _: os.getpid(), range(30), 2)}

    assert os.getpid() not in pids
    assert len(pids) <= 2


def test_a_failure_is_raised_here_and_ends_the_others() -> None:
    pids: list[int] = []

    def work(item: int) -> int:
        if item == 1:
            raise CommodoreError("no way", where="there", hint="do that")
        time.sleep(30 if item == 2 else 0)
        return os.getpid()

    with pytest.raises(CommodoreError, match="no way") as caught:
        pids.extend(answer for _, answer in workers.each(work, range(3), 2))

    assert (caught.value.where, caught.value.hint) == ("there", "do that")
    assert not any(map(_running, pids))


@pytest.mark.parametrize(
    "error", [ValueError("odd"), FileNotFoundError(2, "No such file", "odd"), MemoryError()]
)
def test_an_unexpected_error_is_what_it_would_be_here(
    capfd: pytest.CaptureFixture[str], error: Exception
) -> None:
    def work(_: int) -> int:
        raise error

    with pytest.raises(type(error)) as caught:
        list(workers.each(work, range(3), 2))

    assert str(caught.value) == str(error)
    assert capfd.readouterr() == ("", "")


def test_a_worker_that_is_killed_is_reported() -> None:
    def work(item: int) -> int:
        os.kill(os.getpid(), signal.SIGKILL)
        return item

    with pytest.raises(workers.WorkerDied, match="worker process was killed"):
        list(workers.each(work, [0], 2))


def test_workers_end_with_the_iterator() -> None:
    def work(item: int) -> int:
        time.sleep(0 if item == 0 else 30)
        return os.getpid()

    results = workers.each(work, range(2), 2)
    _, pid = next(results)
    started = time.monotonic()
    results.close()  # type: ignore[attr-defined]  # a generator, of which only the iterator is promised

    assert time.monotonic() - started < 20
    assert not _running(pid)


def test_workers_end_with_a_killed_parent() -> None:
    script = (
        "import os, signal, sys, time\n"
        "from commodore_py.adapters import workers\n"
        "def work(item):\n"
        "    if item == 0:\n"
        "        time.sleep(60)\n"
        "    return os.getpid()\n"
        "for item, pid in workers.each(work, range(2), 2):\n"
        "    import multiprocessing\n"
        "    print(*(one.pid for one in multiprocessing.active_children()), flush=True)\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )

    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=30
    )

    pids = [int(pid) for pid in done.stdout.split()]
    assert pids, done.stderr
    deadline = time.monotonic() + 10
    while any(map(_running, pids)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(map(_running, pids))
