"""The error of a text that is not valid YAML."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from typing import Self


class YamlError(CommodoreError):
    """A text that is not valid YAML, or not the YAML that was expected."""

    file: str = ""
    line: int = 0
    """From one on; zero if unknown."""
    column: int = 0

    @classmethod
    def at(
        cls,
        message: str,
        file: str,
        line: int,
        column: int = 0,
        *,
        snippet: str = "",
        hint: str = "",
    ) -> Self:
        """An error on a line of a file."""
        place = f"{file}:{line}:{column}" if column else f"{file}:{line}"
        error = cls(message, where=f"{place}\n{snippet}" if snippet else place, hint=hint)
        error.file, error.line, error.column = file, line, column
        return error
