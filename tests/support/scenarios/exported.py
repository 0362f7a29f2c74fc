"""A cluster compiled with a lock, exported, and compiled again where there is no network."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_WITHOUT_NETWORK = ("unshare", "--map-root-user", "--net")
_SECONDS = 900
_PROGRAM = (sys.executable, "-m", "commodore_py")
_OUTPUTS = ("compiled", "catalog/manifests", "catalog/refs")


def namespaces_are_allowed() -> bool:
    """Whether a process may have a network namespace of its own."""
    if shutil.which("unshare") is None:
        return False
    done = subprocess.run([*_WITHOUT_NETWORK, "true"], check=False, capture_output=True)
    return done.returncode == 0


@dataclass(frozen=True)
class ExportedCluster:
    """A cluster, and the folder in which it is compiled and exported."""

    id: str
    root: Path
    environment: Mapping[str, str]
    """Of the compile with a network: where the API is, and what its programs need."""
    programs: Mapping[str, str] = field(default_factory=dict)
    """What programs need without a network, too."""

    @property
    def work(self) -> Path:
        """The working directory of the first compile."""
        return self.root / "work"

    def export(self) -> Path:
        """Compile with a lock, and export it."""
        lock, path = self.root / "it.lock", self.root / "it.tar.gz"
        here = ("-d", str(self.work))
        self._run(*here, "catalog", "compile", self.id, "--lock", str(lock))
        self._run(*here, "lock", "export", "--lock", str(lock), "--out", str(path))
        return path

    def differences(self, export: Path) -> list[str]:
        """Compile an export with an empty home and no network; the files that are not the same."""
        elsewhere, home = self.root / "elsewhere", self.root / "empty-home"
        for folder in (elsewhere, home):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
        compile_ = ("catalog", "compile", self.id, "--from-export", str(export))
        _run(
            [*_WITHOUT_NETWORK, *_PROGRAM, "-d", str(elsewhere), *compile_],
            {"HOME": str(home), "PATH": os.environ["PATH"], **self.programs},
        )
        before, after = _outputs(self.work), _outputs(elsewhere)
        assert before, f"{self.work} has no output"
        return sorted(one for one in {*before, *after} if before.get(one) != after.get(one))

    def _run(self, *words: str) -> None:
        home = self.root / "home"
        home.mkdir(exist_ok=True)
        environment = {"HOME": str(home), "PATH": os.environ["PATH"], **self.environment}
        _run([*_PROGRAM, *words], environment)


def _outputs(work: Path) -> dict[str, bytes]:
    return {
        str(file.relative_to(work)): file.read_bytes()
        for name in _OUTPUTS
        for file in (work / name).rglob("*")
        if file.is_file()
    }


def _run(command: list[str], environment: Mapping[str, str]) -> None:
    done = subprocess.run(
        command,
        env=dict(environment),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=_SECONDS,
    )
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout[-2000:]}{done.stderr[-4000:]}"
