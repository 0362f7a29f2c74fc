"""What an edit is to be committed as."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


class Overtaken(CommodoreError):
    """Somebody else has pushed to the branch in the meantime."""


class HookChanged(CommodoreError):
    """A hook has committed something else than the edit."""

    contents: Mapping[Path, bytes]


class CommitRequest(NamedTuple):
    """What is to be committed, and where to."""

    commit: bool = False
    message: str = ""
    branch: str = ""
    """A branch that the commit is made on, without touching checkout and index."""
    push: bool = False

    def __bool__(self) -> bool:
        return self.commit or bool(self.branch)


NO_COMMIT = CommitRequest()
