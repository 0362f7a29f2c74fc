"""`catalog compile --watch`: a real process, and files that change while it waits or works."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING

import pytest
import yaml

from tests.support.fleet import CLUSTER, TENANT, Fleet, make_fleet

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.command_line import CommandLine

PROGRAM = Path(sys.executable).with_name("commodore")
WAITING = "Waiting for changes"
SECONDS = 60


class Watching:
    """A compile that waits for changes."""

    def __init__(self, process: subprocess.Popen[str], fleet: Fleet) -> None:
        self.process = process
        self.fleet = fleet

    def until(self, words: str) -> str:
        """What it prints on stderr, up to these words."""
        return _until(self.process.stderr, words)

    def configure(self, value: str) -> None:
        """Give component one other data, as an editor does: through a file beside it."""
        file = self.fleet.work / "inventory/classes" / TENANT / "common.yml"
        aside = file.with_name(".common.yml.swp")
        content = {"applications": ["one"], "parameters": {"one": {"data": {"of": value}}}}
        aside.write_text(yaml.safe_dump(content))
        aside.replace(file)

    @property
    def compiled(self) -> str:
        """What component one was compiled to."""
        return (self.fleet.work / "compiled/one/one/out.yaml").read_text()

    def end(self) -> tuple[int, str]:
        """Press Ctrl-C; returns the exit code and the rest of stderr."""
        self.process.send_signal(signal.SIGINT)
        _, err = self.process.communicate(timeout=SECONDS)
        return self.process.returncode, err


def _until(stream: IO[str] | None, words: str) -> str:
    assert stream is not None
    lines = []
    for line in stream:
        lines.append(line)
        if words in line:
            return "".join(lines)
    pytest.fail(f"it never printed {words!r}, but: {''.join(lines)}")


@contextmanager
def watching(fleet: Fleet, *options: str) -> Iterator[Watching]:
    """A compile that watches, ended whatever happens."""
    words = ("-d", str(fleet.work), "catalog", "compile", CLUSTER, "--watch", *options)
    process = subprocess.Popen(
        [PROGRAM, *words],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "COMMODORE_API_URL": str(fleet.root / "facts")},
    )
    try:
        yield Watching(process, fleet)
    finally:
        process.kill()
        process.communicate()


@pytest.fixture
def fleet(commodore: CommandLine, tmp_path: Path) -> Fleet:
    """A cluster that was compiled."""
    made = make_fleet(tmp_path / "fleet", one={})
    facts = str(made.root / "facts")
    compiling = ("-d", str(made.work), "catalog", "compile", CLUSTER)
    assert commodore(*compiling, "--api-url", facts).code == 0
    return made


def test_a_change_is_compiled(fleet: Fleet) -> None:
    with watching(fleet, "--local") as run:
        run.until(WAITING)
        run.configure("first")
        seen = run.until(WAITING)
        first = run.compiled
        run.configure("second")
        run.until(WAITING)
        second = run.compiled
        code, left = run.end()

    assert f"Changed: inventory/classes/{TENANT}/common.yml\n" in seen
    assert ("of: first" in first, "of: second" in second) == (True, True)
    assert code == 0
    assert "Traceback" not in left


def test_it_goes_on_after_an_error(fleet: Fleet) -> None:
    main = fleet.work / "dependencies/one/component/main.jsonnet"
    with watching(fleet, "--local") as run:
        run.until(WAITING)
        content = main.read_text()
        main.rename(main.with_name("other.jsonnet"))
        missing = run.until(WAITING)
        main.with_name("other.jsonnet").unlink()
        main.write_text("{ broken")
        broken = run.until(WAITING)
        main.write_text(content.replace("'v1'", "'v2'"))
        run.until(WAITING)

        assert "main.jsonnet does not exist" in missing
        assert "other.jsonnet" in missing
        assert "error: " in broken
        assert "apiVersion: v2" in run.compiled


def test_edits_during_a_compile_are_compiled_too(fleet: Fleet) -> None:
    with watching(fleet, "--local") as run:
        run.until(WAITING)
        run.configure("first")
        run.until("Changed: ")
        run.configure("second")
        ends = time.monotonic() + SECONDS
        while "of: second" not in run.compiled:
            assert time.monotonic() < ends
            time.sleep(0.1)


def test_a_compile_that_fetches_does_not_start_itself(fleet: Fleet) -> None:
    fleet.change_data("from the remote")
    facts = fleet.root / "facts/clusters" / f"{CLUSTER}.yaml"
    with watching(fleet, "--output-dir", str(fleet.work / "out")) as run:
        first = run.until(WAITING)
        time.sleep(1.5)  # longer than its pauses: a second run would begin
        facts.write_text(facts.read_text().replace("Cluster One", "Cluster 1"))
        second = run.until(WAITING)

    assert "Changed" not in first
    assert second.splitlines()[1] == f"Changed: {facts}"


def test_interrupting_a_compile_ends_it(fleet: Fleet) -> None:
    with watching(fleet, "--local") as run:
        run.until("Gathering what")
        code, err = run.end()

    assert code == 130
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("options", "what"),
    [
        (["--push"], "--push"),
        (["-o", "json"], "--output"),
        (["-o", "markdown"], "--output"),
        (["--all"], "CLUSTER and --all"),
        (["c-two"], "several clusters"),
    ],
)
def test_what_it_cannot_do_is_refused(
    commodore: CommandLine, options: list[str], what: str
) -> None:
    ran = commodore("catalog", "compile", CLUSTER, "--watch", *options)

    assert ran.code == 2
    assert f"{what} cannot be combined" in ran.err
