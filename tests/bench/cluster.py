"""A cluster to measure on, and how it can be changed."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tests.support.builders import commit_to, git

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Edit:
    """A change of one file, by the number of the run: pushed, or made in a working directory."""

    repository: Path
    path: str
    in_working_directory: str
    pattern: str
    replacement: str

    def push(self, number: int) -> None:
        """Commit it to the repository."""
        old = git(self.repository, "show", f"master:{self.path}") + "\n"
        commit_to(self.repository, {self.path: self._changed(old, number)})

    def make(self, work: Path, number: int) -> None:
        """Change the file in a working directory."""
        file = work / self.in_working_directory
        file.write_text(self._changed(file.read_text("utf-8"), number), encoding="utf-8")

    def _changed(self, text: str, number: int) -> str:
        changed, count = re.subn(self.pattern, self.replacement.replace("#", str(number)), text)
        if not count or changed == text:
            sys.exit(f"{self.path} cannot be edited")
        return changed


@dataclass(frozen=True, slots=True)
class Cluster:
    """A cluster that is served."""

    name: str
    id: str
    api_url: str
    programs: Path
    """A folder of programs that come first in PATH."""
    instances: int
    edits: Mapping[str, Edit] = field(default_factory=dict)
