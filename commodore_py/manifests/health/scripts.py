"""Which Lua script judges a kind, and what its result means (pure)."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from .status import Verdict, status_named, unknown

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

INVALID_STATUS = "invalid health status"
NO_STATUS = "its rule returns no status: syncs wait for it without end"


@dataclass(frozen=True, slots=True)
class Script:
    """A script and the kinds that it judges."""

    pattern: str
    """`group/Kind`, or `Kind` for the core group; may have wildcards."""
    source: str
    open_libraries: bool
    where: str


@dataclass(frozen=True, slots=True)
class ScriptTable:
    """All scripts, by where they come from."""

    settings: tuple[Script, ...] = ()
    folders: tuple[Script, ...] = ()

    def find(self, group: str, kind: str) -> tuple[Script, ...]:
        """The script for a kind, first, and further wildcards that fit as well."""
        key = key_of(group, kind)
        # In settings, an asterisk matches across slashes; in folders, within one part.
        for scripts, matches in ((self.settings, _fits), (self.folders, _fits_by_parts)):
            exact = tuple(script for script in scripts if script.pattern == key)
            if exact:
                return exact[-1:]
            fitting = [
                script
                for script in scripts
                if is_wild(script.pattern) and matches(script.pattern, key)
            ]
            if fitting:
                return tuple(sorted(fitting, key=lambda script: script.pattern.encode()))
        return ()


def key_of(group: str, kind: str) -> str:
    """How settings name a kind."""
    return f"{group}/{kind}" if group else kind


def is_wild(pattern: str) -> bool:
    """Return whether a key has wildcards."""
    return any(sign in pattern for sign in "*?[")


def _fits(pattern: str, key: str) -> bool:
    return fnmatchcase(key, pattern)


def _fits_by_parts(pattern: str, key: str) -> bool:
    patterns, parts = pattern.split("/"), key.split("/")
    return len(patterns) == len(parts) and all(
        fnmatchcase(part, part_pattern) for part_pattern, part in zip(patterns, parts, strict=True)
    )


def verdict_of(fields: Mapping[str, object] | None) -> Verdict:
    """Parse the table that a script returned; nil and an empty table have no status."""
    if not fields:
        return Verdict(None, NO_STATUS)
    for name, value in fields.items():
        if isinstance(value, dict) and value.get("type") not in ("table", None):
            return unknown(f"its rule returned a {value['type']} as {name}")
    status = _field(fields, "status")
    message = _field(fields, "message")
    is_list = all(name.isdigit() for name in fields)
    if is_list or not all(text is None or isinstance(text, str) for text in (status, message)):
        # Argo CD discards such results without an error.
        return Verdict(None, NO_STATUS)
    named = status_named(status)
    if named is None:
        shown = f": {status}" if isinstance(status, str) and status else ""
        return unknown(f"{INVALID_STATUS}{shown}")
    return Verdict(named, message if isinstance(message, str) else "")


def _field(fields: Mapping[str, object], lowered: str) -> object:
    # Names are in any case; of several, the last one in byte order counts.
    names = [name for name in sorted(fields) if name.lower() == lowered]
    return fields[names[-1]] if names else None


def library_hint(error: str, script: Script) -> str:
    """A hint for a script that needs more libraries than its setting opens."""
    wants = ("'string'", "'math'", "string value")
    if not script.open_libraries and any(name in error for name in wants):
        return "; set useOpenLibs for it"
    return ""


def patterns_of(lines: Iterable[str]) -> tuple[str, ...]:
    """The keys in a file with a key on each line."""
    words = (line.partition("#")[0].strip() for line in lines)
    return tuple(filter(None, words))


def is_among(patterns: Iterable[str], group: str, kind: str) -> bool:
    """Return whether one of the keys of folders fits a kind."""
    key = key_of(group, kind)
    return any(
        pattern == key or (is_wild(pattern) and _fits_by_parts(pattern, key))
        for pattern in patterns
    )
