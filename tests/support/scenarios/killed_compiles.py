"""A playground to kill compiles in: always in one place, so that it can be put back as it was."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from commodore_py.workflows.demo import write_demo
from tests.support.builders import commit_in, commit_to, git, git_succeeds

if TYPE_CHECKING:
    from pathlib import Path

CLUSTER = "c-demo-1"
STAGES = ("Gathering", "Resolving", "Compiling", "Updating", "Pushing", "Reporting")
SCENES = ("first compile", "after changes", "own commits")
ROUNDS = int(os.environ.get("FAULT_ROUNDS", "36"))

_BULKY = ("component-backup", "components-node", "component-web-shop", "global", "t-demo")
_FILES = 120
_NOT_YET = 1e9


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a compile makes that is not killed."""

    tree: str
    commits: int
    heads: dict[str, str]
    seconds: dict[str, float]


@dataclass
class Run:
    """A compile that is watched while it goes on."""

    demo: Path
    output: str = ""
    began: dict[str, float] = field(default_factory=dict)
    """When each stage was first seen."""

    def __post_init__(self) -> None:
        _pushed(self.demo).unlink(missing_ok=True)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "commodore_py", "catalog", "compile", CLUSTER, "--push"],
            cwd=self.demo,
            env={
                **os.environ,
                "COMMODORE_API_URL": "./facts",
                "TMPDIR": str(self.demo.parent),
            },
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        assert self.process.stderr is not None
        self._stderr = self.process.stderr
        os.set_blocking(self._stderr.fileno(), False)

    def look(self) -> None:
        """See how far it is."""
        self.output += (self._stderr.read() or b"").decode()
        now = time.monotonic()
        for line in self.output.splitlines():
            stage = line.partition(" ")[0]
            if stage in STAGES:
                self.began.setdefault(stage, now)
        if _pushed(self.demo).exists():
            self.began.setdefault("Reporting", now)

    def to_end(self) -> int:
        """Wait for its end."""
        while self.process.poll() is None:
            self.look()
            time.sleep(0.001)
        self.look()
        self._stderr.close()
        return self.process.returncode

    def kill_in(self, stage: str, *, after: float) -> str:
        """Kill it and its processes some time after a stage began; returns where that was."""
        while self.process.poll() is None:
            self.look()
            if time.monotonic() >= self.began.get(stage, _NOT_YET) + after:
                break
            time.sleep(0.0005)
        self.look()
        stages = [stage for stage in STAGES if stage in self.began]
        with suppress(ProcessLookupError):  # it ended at this very moment
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self._stderr.close()
        return stages[-1] if self.process.returncode == -signal.SIGKILL else "ended"


class Playground:
    """The demo before its first compile, and before a second one that has much to change."""

    def __init__(self, folder: Path) -> None:
        self.demo = folder / "demo"
        self._kept = folder / "kept"
        self.expected: dict[str, Outcome] = {}
        write_demo(self.demo)
        for name in _BULKY:
            files = {f"bulk/{n % 7}/{n}.txt": f"{name} {n}\n" * 40 for n in range(_FILES)}
            commit_to(self._repository(name), files, message="Bulk")
        hook = catalog(self.demo) / "hooks/post-receive"
        hook.parent.mkdir(exist_ok=True)
        hook.write_text("#!/bin/sh\ntouch pushed\n")
        hook.chmod(0o755)
        self._keep(SCENES[0])
        self._change_everything()
        self._keep(SCENES[1])
        self.own_commit = commit_in(self.demo / "catalog", {"mine.txt": "mine\n"})
        self._keep(SCENES[2])
        self._undisturbed(SCENES[2])
        self.restore(SCENES[1])
        self._undisturbed(SCENES[1])

    def restore(self, scene: str) -> None:
        """Make everything as it was before the compile of a scene."""
        shutil.rmtree(self.demo, ignore_errors=True)
        shutil.copytree(self._kept / scene, self.demo, symlinks=True)

    def moment(self, scene: str, stage: str, seed: int) -> float:
        """A random moment of a stage."""
        return random.Random(seed).uniform(0, self.expected[scene].seconds[stage])  # noqa: S311 - no secret

    def _keep(self, scene: str) -> None:
        shutil.copytree(self.demo, self._kept / scene, symlinks=True)
        if scene == SCENES[0]:
            self._undisturbed(scene)

    def _undisturbed(self, scene: str) -> None:
        run = Run(self.demo)
        assert run.to_end() == 0, run.output
        ends = [*(run.began[stage] for stage in STAGES[1:]), time.monotonic()]
        seconds = {stage: end - run.began[stage] for stage, end in zip(STAGES, ends, strict=True)}
        self.expected[scene] = Outcome(
            pushed_tree(self.demo), pushed_commits(self.demo), heads(self.demo), seconds
        )

    def _change_everything(self) -> None:
        """Versions, URLs and content change; what was a branch becomes a tag, and so on."""
        bulk = {f"bulk/{n % 5}/{n}.txt": f"second {n}\n" * 30 for n in range(_FILES)}
        gone: dict[str, str | bytes | None] = {"bulk/6": None}
        for name in _BULKY:
            commit_to(self._repository(name), {**gone, **bulk}, message="Second bulk")
        repositories = self.demo / "repos"
        shutil.copytree(self._repository("component-web-shop"), repositories / "shop-fork.git")
        commit_to(self._repository("shop-fork"), {"fork.txt": "fork"}, branch="main")
        git(self._repository("shop-fork"), "branch", "--force", "main", "master")
        commit_to(self._repository("shop-fork"), {"fork.txt": "fork"}, branch="main")
        commit = commit_to(self._repository("component-logging"), {"next.txt": "next"})
        git(self._repository("component-backup"), "tag", "--force", "v1.0.0", "master")
        git(self._repository("component-database"), "branch", "stable", "master")
        tenant = self._repository("t-demo")
        versions = (
            "  components:\n"
            "    certificates:\n      version: master\n"
            "    database:\n      version: stable\n"
            f"    logging:\n      version: {commit}\n"
            "    web-shop:\n"
            "      url: ${platform:repositories}/shop-fork.git\n      version: main\n"
        )
        common = git(tenant, "show", "master:common.yml").replace("  components:\n", versions)
        cluster = git(tenant, "show", "master:c-demo-1.yml").replace("replicas: 2", "replicas: 5")
        commit_to(tenant, {"common.yml": common, "c-demo-1.yml": cluster})

    def _repository(self, name: str) -> Path:
        return self.demo / "repos" / f"{name}.git"


def catalog(demo: Path) -> Path:
    """The repository that the catalog is pushed to."""
    return demo / "repos" / f"catalog-{CLUSTER}.git"


def pushed_tree(demo: Path) -> str:
    """The tree of the catalog, empty before the first push."""
    if not git_succeeds(catalog(demo), "rev-parse", "--verify", "refs/heads/master"):
        return ""
    return git(catalog(demo), "rev-parse", "refs/heads/master^{tree}")


def pushed_commits(demo: Path) -> int:
    """How many commits the catalog has."""
    return int(git(catalog(demo), "rev-list", "--count", "--all"))


def reported_time(demo: Path) -> str:
    """When the compile was that was last reported."""
    report = json.loads((demo / "facts" / "reports" / f"{CLUSTER}.json").read_text())
    return str(report["lastCompile"])


def pushed_time(demo: Path) -> str:
    """When the compile was that was last pushed."""
    message = git(catalog(demo), "log", "-1", "--format=%B", "refs/heads/master")
    return message.strip().rpartition("Compilation timestamp: ")[2]


def is_kept(demo: Path, commit: str) -> bool:
    """Whether a commit of the catalog's checkout is still reached from somewhere."""
    return bool(git(demo / "catalog", "for-each-ref", "--contains", commit))


def heads(demo: Path) -> dict[str, str]:
    """The commits of all checkouts but the catalog, which has the time in its own."""
    return {
        str(place.relative_to(demo)): git(place, "rev-parse", "HEAD")
        for place in checkouts(demo)
        if place.name != "catalog"
    }


def checkouts(demo: Path) -> list[Path]:
    """All checkouts of a working directory."""
    folders = ("dependencies", "inventory/classes", "")
    return [
        git_folder.parent
        for folder in folders
        for git_folder in sorted((demo / folder).glob("*/.git"))
    ]


def leftovers(demo: Path) -> list[str]:
    """What a run must not leave in a working directory."""
    mine = [path for path in demo.iterdir() if path.name not in ("repos", "facts")]
    found = [path for top in mine for path in top.rglob("*") if path.name.startswith(".commodore-")]
    found += [
        path for top in mine for path in top.rglob("*.lock") if path.name != "jsonnetfile.lock"
    ]
    found += [*(demo / ".commodore").glob("journal/*"), *(demo / ".commodore").glob("running")]
    found += (demo / "dependencies").glob(".put-aside")
    return [str(path.relative_to(demo)) for path in found]


def _pushed(demo: Path) -> Path:
    return catalog(demo) / "pushed"
