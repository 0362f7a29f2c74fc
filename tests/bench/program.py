"""One of the two programs, with its own working and home directories."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import commodore_py
from tests.support.peer import clean_environment

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
        """Forget everything, the user's caches included."""
        for folder in (self.work, self.root / "home"):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)

    def measure(
        self, *words: str, work: Path | None = None, programs: Path | None = None
    ) -> Measured:
        """Run it, and see what that takes."""
        environment = self._environment(programs or self.cluster.programs)
        return measure((*self.command, *words), work or self.work, environment)

    def compile(self, *options: str) -> Measured:
        """Compile the cluster."""
        return self.measure("catalog", "compile", self.cluster.id, *options)

    def _environment(self, programs: Path) -> dict[str, str]:
        return {
            **clean_environment(self.root / "home"),
            **self.variables,
            "COMMODORE_API_TOKEN": "made-up",
            "COMMODORE_API_URL": self.cluster.api_url,
            "GIT_AUTHOR_EMAIL": "bench@example.com",
            "GIT_AUTHOR_NAME": "Bench",
            "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        }
