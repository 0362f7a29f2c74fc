"""References to secrets in output: completed with a hash, or shown as the bare path (pure)."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from commodore_py.model.secrets import ReferenceFile

_TAG: Final = re.compile(r"\?\{(?P<token>\w+:[\w.@=/:-]+)(?P<functions>\|(?:\|\w+(?::\S*)*)+)?=*\}")
_SUB_VARIABLE: Final = re.compile(r"@[\w.-]+")
_DATA: Final = re.compile(rb"^data: '?([A-Za-z0-9+/=]+)'?$", re.MULTILINE)
# As in Commodore: Kapitan is given bare paths for references of this kind only.
_BARE: Final = "vaultkv"
# What a string without any reference lacks.
_MARK: Final = "?{"


class BadTag(CommodoreError):
    """A reference in output that stands for nothing."""


@dataclass(frozen=True, slots=True)
class Tags:
    """The replacements of the references of a compile."""

    hashes: Mapping[str, str] = field(default_factory=dict)
    """The first digits of a reference file's hash, by backend and path (`vaultkv:a/b`)."""
    bare: bool = False
    """Component authors compile without a catalog: they see the paths."""
    seen: Callable[[str], object] = str
    """Gets each reference file that is looked up."""

    @classmethod
    def of(cls, references: tuple[ReferenceFile, ...], *, bare: bool = False) -> Tags:
        """The tags that these files stand behind."""
        return cls({f"{file.backend}:{file.path}": _hash(file) for file in references}, bare)

    def in_text(self, text: str) -> str:
        """The text with every reference replaced."""
        return _TAG.sub(self._replaced, text) if _MARK in text else text

    def in_value(self, value: Any) -> Any:  # noqa: ANN401 - what Jsonnet printed
        """The value with the references of all its strings replaced; keys stay as they are.

        Mappings are changed in place: one that is in several places of a value stays one object,
        which Kapitan writes once, with an anchor. A second replacement changes nothing.
        """
        match value:
            case str():
                return self.in_text(value)
            case list():
                return [self.in_value(below) for below in value]
            case dict():
                for key, below in value.items():
                    try:
                        value[key] = self.in_value(below)
                    except BadTag as error:
                        error.where = f"{key}.{error.where}" if error.where else str(key)
                        raise
        return value

    def _replaced(self, match: re.Match[str]) -> str:
        try:
            return self._as_path(match) if self.bare else self._with_hash(match)
        except BadTag as error:
            error.subject = match[0]
            raise

    def _with_hash(self, match: re.Match[str]) -> str:
        backend, *rest = match["token"].split(":")
        path = rest[0]
        file = _SUB_VARIABLE.sub("", path)
        file_hash = None
        if len(rest) in (1, 2, 4):
            self.seen(f"{backend}:{file}")
            file_hash = self.hashes.get(f"{backend}:{file}")
        if file_hash is None:
            raise BadTag(
                f"no parameter declares the reference {match[0]}",
                hint="write it into a parameter of the component and take it from there:"
                " Commodore makes reference files for parameters only",
            )
        if match["functions"] and file != path:
            raise BadTag(f"{match[0]} has both a sub-variable and a function")
        if len(rest) == 2 and rest[1] != file_hash:  # noqa: PLR2004 - path and hash
            raise BadTag(
                f"{match[0]} carries the hash of another reference, this one's is {file_hash}",
                hint="leave the hash out, it is added while compiling",
            )
        return f"?{{{backend}:{path}:{file_hash}}}"

    @staticmethod
    def _as_path(match: re.Match[str]) -> str:
        backend, path, *_ = match["token"].split(":")
        if backend != _BARE or "@" in path:
            raise BadTag(
                f"{match[0]} cannot be shown as a path",
                hint=f"only plain {_BARE} references can be compiled without a catalog",
            )
        return path


def _hash(file: ReferenceFile) -> str:
    data = _DATA.search(file.content)
    payload = data[1].decode() if data else ""
    return hashlib.sha256(f"{file.path}{payload}".encode()).hexdigest()[:8]
