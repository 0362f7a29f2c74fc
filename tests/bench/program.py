"""One of the two programs, with its own working and home directories."""

from __future__ import annotations

import compileall
import os
import shutil
import sys
import tarfile
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import commodore_py
from tests.support.commodore import clean_environment

from .measuring import Measured, measure

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .cluster import Cluster

OURS = "ours"
PEER = "peer"


def copied(folder: Path) -> Path:
    """A copy of our package: edits meanwhile do not affect the measurement."""
    package = Path(commodore_py.__file__).parent
    shutil.copytree(package, folder / package.name)
    compileall.compile_dir(folder / package.name, quiet=1)  # as pip does
    return folder


@dataclass(frozen=True, slots=True)
class Program:
    """Commodore or ours, and where it works."""

    name: str
    command: tuple[str, ...]
    root: Path
    cluster: Cluster
    variables: Mapping[str, str] = field(default_factory=dict)

    @property
    def work(self) -> Path:
        return self.root / "work"

    def empty(self) -> None:
        """Forget everything, the user's caches included.

        Folders are moved away, not removed: an ext4 without a journal takes up to ten times as
        long for a new file while many were removed in the last minutes.
        """
        for folder in (self.work, self.root / "home"):
            if folder.is_dir():
                gone = self.root / "gone"
                gone.mkdir(exist_ok=True)
                folder.rename(gone / str(len(list(gone.iterdir()))))
            folder.mkdir(parents=True)

    def keep_caches(self) -> None:
        """Archive the user's caches, as a CI job does at its end."""
        with tarfile.open(self.root / "home.tar", "w") as archive:
            archive.add(self.root / "home", "home")

    def restore_caches(self) -> None:
        """Be a new CI job: an empty working directory, and the caches of an earlier job."""
        self.empty()
        with tarfile.open(self.root / "home.tar") as archive:
            archive.extractall(self.root, filter="tar")

    def measure(
        self,
        *words: str,
    ) -> Measured:
        """Run it, and see what that takes."""
        return measure((*self.command, *words), self.work, self.environment())

    def compile(self, *options: str) -> Measured:
        """Compile the cluster."""
        return self.measure("catalog", "compile", self.cluster.id, *options)

    def environment(self) -> dict[str, str]:
        """The variables that it is run with."""
        return {
            **clean_environment(self.root / "home"),
            **self.variables,
            "COMMODORE_API_TOKEN": "made-up",
            "COMMODORE_API_URL": self.cluster.api_url,
            "GIT_AUTHOR_EMAIL": "bench@example.com",
            "GIT_AUTHOR_NAME": "Bench",
            "PATH": f"{self.cluster.programs}{os.pathsep}{os.environ['PATH']}",
        }


def ours(cluster: Cluster, root: Path, copy: Path) -> Program:
    """Ours, as it was copied."""
    command, variables = (sys.executable, "-m", "commodore_py"), {"PYTHONPATH": str(copy)}
    return Program(OURS, command, root, cluster, variables)


def fill_catalog(program: Program, root: Path) -> None:
    """The catalog holds what is compiled: a run that changes nothing finds nothing to say."""
    first = replace(program, root=root)
    first.empty()
    first.compile("--push")
