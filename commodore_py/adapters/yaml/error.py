"""The error of a text that is not valid YAML, with its place."""

from __future__ import annotations

from typing import TYPE_CHECKING

import yaml

from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from typing import Self

# PyYAML lets these through for a date such as 2020-13-45, and for a tag that does not fit its
# value.
FAILURES = (
    yaml.YAMLError,
    RecursionError,
    ValueError,
    LookupError,
    ArithmeticError,
    AttributeError,
    TypeError,
)
_TAB = "a tab indents this line, where YAML takes spaces only"


class YamlError(CommodoreError):
    """A text that is not valid YAML, or not the YAML that was expected."""

    file: str = ""
    line: int = 0
    """From one on; zero if unknown."""
    column: int = 0

    @classmethod
    def at(cls, message: str, file: str, line: int, column: int = 0, *, hint: str = "") -> Self:
        """An error on a line of a file."""
        place = f"{file}:{line}:{column}" if column else f"{file}:{line}"
        error = cls(message, where=place, hint=hint)
        error.file, error.line, error.column = file, line, column
        return error


class Refused(yaml.MarkedYAMLError):
    """A document that is YAML, but exceeds a limit."""

    @classmethod
    def at(cls, problem: str, mark: object) -> Refused:
        """The problem, and where it begins."""
        return cls(problem=problem, problem_mark=mark)  # type: ignore[arg-type] # libyaml's marks look like PyYAML's


def problem_in(error: Exception, name: str, text: bytes | str) -> YamlError:
    """The error that PyYAML reports, with its place; `text` is what was read."""
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    if mark is not None:
        reason = str(getattr(error, "problem", None) or error)
        if "cannot start any token" in reason:
            content = text.decode(errors="replace") if isinstance(text, bytes) else text
            lines = content.split("\n")[mark.line : mark.line + 1]
            if any(line[mark.column :].startswith("\t") for line in lines):
                reason = _TAB
        message = reason if isinstance(error, Refused) else f"not valid YAML: {reason}"
        return YamlError.at(message, name, mark.line + 1, mark.column + 1)
    match error:
        case yaml.reader.ReaderError():
            reason = f"{error.reason}, at byte {int(error.position) + 1}"
            if isinstance(text, bytes):
                line = text.count(b"\n", 0, int(error.position)) + 1
                hint = "save the file as UTF-8" if "UTF-8" in str(error.reason) else ""
                return YamlError.at(f"not valid YAML: {reason}", name, line, hint=hint)
        case RecursionError():
            reason = "nested too deeply"
        case yaml.YAMLError() | ValueError():
            reason = str(error)
        case _:
            reason = "a value does not fit its tag"
    return YamlError(f"not valid YAML: {reason}", where=name)
