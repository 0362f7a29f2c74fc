"""What is wrong without stopping the run: one family with errors."""

from __future__ import annotations

from typing import Literal, NamedTuple

from commodore_py.errors import CommodoreError

Severity = Literal["info", "warning", "error"]


class Problem(NamedTuple):
    """Something the user must see at the end of a run; what stops it is an error instead."""

    message: str
    where: str = ""
    """File and line, target or repository, as far as known."""
    strict: bool = False
    """Accepted by Commodore, but an error under `--strict`."""
    severity: Severity = "warning"
    """An error keeps the result from being published."""
    code: str = ""
    """`area/name`; only problems of checks have one yet."""
    remedy: str = ""
    subject: str = ""
    """The name in question, to be compared with that of errors."""

    def as_error(self, hint: str = "") -> CommodoreError:
        """The problem, where it ends the run after all."""
        return CommodoreError(self.message, where=self.where, hint=self.remedy or hint)
