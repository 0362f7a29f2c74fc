"""The test cases of a component: all at once by ours, each in a process of its own by the peer."""

from __future__ import annotations

import shutil
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.support.peer import write_jb

from .measuring import Measured, together
from .same_bytes import differing

if TYPE_CHECKING:
    from pathlib import Path

    from .program import Program

_CASES = [f"case-{number}" for number in range(1, 7)]
_CASE = """\
parameters:
  facts: {cloud: cloudscale, region: rma1}
  global_settings: {base_domain: perf.example.com, http_port: 80}
  %s: {replicas: %d}
"""


@dataclass(frozen=True, slots=True)
class Cases:
    """A component's repository, and who tests a clone of it."""

    repository: Path
    our_program: Program
    peer_program: Program

    def write(self) -> None:
        """Clone it twice, and give it cases; the expected output is that of ours."""
        for program in (self.our_program, self.peer_program):
            folder = self._folder(program)
            shutil.rmtree(folder, ignore_errors=True)
            clone = ["git", "clone", "--quiet", str(self.repository), str(folder)]
            subprocess.run(clone, check=True)
            shutil.rmtree(folder / "tests")
            (folder / "tests").mkdir()
            for number, case in enumerate(_CASES, 1):
                text = _CASE % (self._name.replace("-", "_"), number)
                (folder / "tests" / f"{case}.yml").write_text(text, encoding="utf-8")
        self.our_program.measure("component", "test", ".", "--update", work=self._own)

    def ours(self) -> Measured:
        """Test all of them."""
        return self.our_program.measure("component", "test", ".", work=self._own)

    def peer(self) -> Measured:
        """Compile one after the other; each must give what is expected."""
        folder, runs = self._folder(self.peer_program), []
        programs = write_jb(self.peer_program.root / "jb")
        words = ("component", "compile", ".", "-J", ".", "-n", self._name)
        for case in _CASES:
            output = folder / "out" / case
            more = ("-f", f"tests/{case}.yml", "-o", str(output))
            runs.append(self.peer_program.measure(*words, *more, work=folder, programs=programs))
            files = differing(self._own / "tests" / "golden" / case, output / "compiled")
            if files:
                sys.exit(f"{case}: not the same bytes: {', '.join(files[:5])}")
        return together(runs)

    @property
    def _name(self) -> str:
        return self.repository.stem.removeprefix("component-")

    @property
    def _own(self) -> Path:
        return self._folder(self.our_program)

    def _folder(self, program: Program) -> Path:
        return program.root / self.repository.stem
