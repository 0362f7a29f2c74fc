"""Read and write jsonnetfiles: lists of required Jsonnet libraries, and their Git remotes."""

from __future__ import annotations

import json
import os
import posixpath
import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from commodore_py.adapters import json_text
from commodore_py.adapters.json_text import JsonError
from commodore_py.adapters.masking import without_secrets
from commodore_py.adapters.reading import bytes_of
from commodore_py.errors import CommodoreError, raise_collected

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_EXPECTED = 'expected {"version": 1, "dependencies": [{"source": {...}, "version": "..."}]}'
_TOKENS = re.compile(r'(?P<string>"(?:[^"\\]|\\.)*")(?P<colon>\s*:)?|[\[\]{}]|[^\s,:\[\]{}"]+')
# Go escapes these, and the lock file must be the same.
_ESCAPED = {character: f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"}

# As in jsonnet-bundler, whose names end up in imports: a remote may be in the middle of a string,
# a port is part of an SSH host, and `ab.io` is too short for a host.
_HOST = r"(?P<host>[a-zA-Z0-9][a-zA-Z0-9.-]{1,61}[a-zA-Z0-9]\.[a-zA-Z]{2,})"
_SSH_URL = re.compile(r"ssh://git@(?P<host>[^/]+)/(?P<path>.+/.+)\.git")
_SSH_SHORT = re.compile(r"git@(?P<host>[^:]+):(?P<path>.+/.+)\.git")
_WITH_SUFFIX = re.compile(_HOST + r"/(?P<path>[\w~./-]+/[\w.-]+)\.git", re.ASCII)
_WITHOUT_SUFFIX = re.compile(_HOST + r"/(?P<path>[\w~.-]+/[\w.-]+)", re.ASCII)

_FORMS = "https://host.name/user/repository.git or ssh://git@host/user/repository.git"


@dataclass(frozen=True, slots=True)
class Remote:
    """A Git repository, independent of its spelling."""

    url: str
    name: str
    """Host and path, which is the path of its content below `vendor/`."""

    @property
    def is_github(self) -> bool:
        """True if jsonnet-bundler downloads archives instead of using Git."""
        return self.name.startswith("github.com/")


def parse_remote(text: str) -> Remote:
    """Parse a remote; the rest of the string is ignored."""
    for pattern in (_SSH_URL.search, _SSH_SHORT.match):
        if ssh := pattern(text):
            return _remote("ssh://git@", ssh)
    for form in (_WITH_SUFFIX, _WITHOUT_SUFFIX):
        if match := form.search(text):
            return _remote("https://", match)
    raise CommodoreError(
        f"{without_secrets(text)} is not a Git remote that jsonnet-bundler supports",
        hint=f"write it as {_FORMS}, without a port",
    )


def _remote(scheme: str, match: re.Match[str]) -> Remote:
    whole = f"{match['host']}/{match['path']}"
    return Remote(f"{scheme}{whole}.git", whole.removesuffix(".git"))


@dataclass(frozen=True, slots=True)
class GitSource:
    """A folder of a Git repository, or all of it."""

    remote: Remote
    subdir: str = ""

    @property
    def name(self) -> str:
        """Its path below `vendor/`."""
        return f"{self.remote.name}/{self.subdir}" if self.subdir else self.remote.name


@dataclass(frozen=True, slots=True)
class LocalSource:
    """A folder on this machine."""

    directory: str = field(compare=False)
    """Its path as it is written, relative to the file that names it."""
    folder: Path = field(default=Path(), repr=False)

    @property
    def name(self) -> str:
        """Its path below `vendor/`."""
        return self.folder.name


Source: TypeAlias = GitSource | LocalSource


Key: TypeAlias = tuple[str, str]
"""The name of a library and the requested version."""


@dataclass(frozen=True, slots=True)
class Requirement:
    """A required library in a version, and where it is required."""

    source: Source
    version: str = ""
    single: bool = False
    """Whether to ignore the requirements of the library itself."""
    alias: str = ""
    """A name for short imports, other than the last part of its path."""
    where: str = ""
    """File and line."""
    by: str = field(default="", repr=False)
    """The library or component that requires it; empty for the root."""

    @property
    def name(self) -> str:
        """Its path below `vendor/`."""
        return self.source.name

    @property
    def key(self) -> Key:
        """Identifies what is fetched once."""
        return self.name, self.version

    def __str__(self) -> str:
        required_by = f" (required by {self.by})" if self.by else ""
        if isinstance(self.source, LocalSource):
            return f"{self.source.directory}{required_by}"
        return f"{without_secrets(self.name)} in {self.version or 'no version'}{required_by}"


@dataclass(frozen=True, slots=True)
class JsonnetFile:
    """The list of required libraries, in order."""

    requirements: tuple[Requirement, ...] = ()
    legacy_imports: bool = True

    def by_name(self) -> tuple[Requirement, ...]:
        """The requirements by their names; the last one of a name wins."""
        return tuple({requirement.name: requirement for requirement in self.requirements}.values())


def read_jsonnetfile(file: Path, *, by: str = "") -> JsonnetFile:
    """The requirements in a file; a missing file has none."""
    try:
        content = bytes_of(str(file))
    except (FileNotFoundError, NotADirectoryError):
        return JsonnetFile()
    except OSError as error:
        raise CommodoreError(f"cannot read: {error.strerror}", where=str(file)) from error
    # A local source is relative to the real folder of a library, not to a link to it.
    folder = Path(os.path.realpath(file.parent)) if by else file.parent
    return parse_jsonnetfile(content, str(file), by=by, folder=folder)


def parse_jsonnetfile(
    content: bytes, where: str, *, by: str = "", folder: Path = Path()
) -> JsonnetFile:
    """Parse a `jsonnetfile.json` of version 0 or 1; an empty file requires nothing.

    `by` is what requires its libraries, and `folder` where local sources start.
    """
    if not content:
        return JsonnetFile()
    text, loaded = _load(content, where)
    version = loaded.get("version") or 0
    if version not in (0, 1) or isinstance(version, bool):
        raise CommodoreError(
            f"unsupported jsonnet-bundler file version {version}",
            where=where,
            hint="versions 0 and 1 are supported",
        )
    entries = loaded.get("dependencies")
    if entries is None:
        entries = []
    if not isinstance(entries, list):
        raise _not_a_jsonnetfile("dependencies is not a list", where)
    requirements: list[Requirement] = []
    errors: list[CommodoreError] = []
    lines = [text.count("\n", 0, start) + 1 for start in _starts_of_entries(text)]
    if len(lines) != len(entries):
        lines = [0] * len(entries)  # unknown
    for entry, line in zip(entries, lines, strict=True):
        place = f"{where}:{line}" if line else where
        try:
            requirement = _requirement(entry, folder, relaxed=version == 0)
        except CommodoreError as error:
            error.where = place
            errors.append(error)
        else:
            requirements.append(replace(requirement, where=place, by=by))
    raise_collected(errors, f"invalid dependencies in {where}")
    legacy = version == 0 or loaded.get("legacyImports", True)
    return JsonnetFile(tuple(requirements), legacy_imports=bool(legacy))


def format_jsonnetfile(entries: Iterable[dict[str, Any]], *, legacy_imports: bool) -> bytes:
    """A `jsonnetfile.json` or its lock, byte for byte as jsonnet-bundler writes it."""
    content = {"version": 1, "dependencies": list(entries), "legacyImports": legacy_imports}
    text = json.dumps(content, indent=2, ensure_ascii=False)
    for character, escaped in _ESCAPED.items():
        text = text.replace(character, escaped)
    return f"{text}\n".encode(errors="replace")


def _load(content: bytes, where: str) -> tuple[str, dict[str, Any]]:
    try:
        text = content.decode()
        loaded = json_text.load(text, name=where)
    except UnicodeDecodeError as error:
        raise _not_a_jsonnetfile(str(error), where) from error
    except JsonError as error:
        reason = str(error).removeprefix("not valid JSON: ")
        raise _not_a_jsonnetfile(reason, error.where) from error
    if not isinstance(loaded, dict):
        raise _not_a_jsonnetfile("it is not an object", where)
    return text, loaded


def _requirement(entry: object, folder: Path, *, relaxed: bool) -> Requirement:
    if not isinstance(entry, dict):
        raise _not_a_jsonnetfile("a dependency is not an object")
    source, alias = _source(entry.get("source"), folder, relaxed=relaxed), _text(entry, "name")
    path = source.name if isinstance(source, GitSource) else source.directory
    if relaxed and alias == posixpath.basename(path):
        alias = ""  # version 0 has a name for everything
    return Requirement(
        source,
        version=_text(entry, "version"),
        single=entry.get("single") is True,
        alias=alias,
    )


def _source(source: object, folder: Path, *, relaxed: bool) -> Source:
    match source:
        case {"git": {"remote": str(remote), **git}}:
            subdir = _text(git, "subdir")
            if relaxed:  # version 0 does not normalise folders
                subdir = posixpath.normpath(f"/{subdir}").strip("/")
            return GitSource(parse_remote(remote), subdir)
        case {"local": {"directory": str(directory)}}:
            # Not resolved: links stay.
            return LocalSource(directory, Path(os.path.abspath(folder / directory)))  # noqa: PTH100
    raise _not_a_jsonnetfile("a dependency has neither a Git remote nor a local directory")


def _text(entry: Mapping[Any, Any], name: str) -> str:
    value = entry.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise _not_a_jsonnetfile(f"the {name} of a dependency is not a string: {json.dumps(value)}")
    return value


def _not_a_jsonnetfile(why: str, where: str = "") -> CommodoreError:
    return CommodoreError(f"not a jsonnet-bundler file: {why}", where=where, hint=_EXPECTED)


def _starts_of_entries(text: str) -> list[int]:
    """Where the items of the last top-level list `dependencies` begin, in valid JSON."""
    starts: list[int] = []
    depth, is_inside = 0, False
    for token in _TOKENS.finditer(text):
        if depth == 1 and token["colon"]:
            is_inside = json.loads(token["string"]) == "dependencies"
            starts = [] if is_inside else starts
        elif depth == 2 and is_inside and token[0] != "]":  # noqa: PLR2004 - in a list of the object
            starts.append(token.start())
        depth += (token[0] in "[{") - (token[0] in "]}")
    return starts
