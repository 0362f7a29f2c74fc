"""Kustomizations: the folders and remote bases that they are built on."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol
from urllib.parse import parse_qs, unquote

from commodore_py.errors import CommodoreError

from . import yaml
from .process import ProgramFailed, run
from .reading import content_of

if TYPE_CHECKING:
    from pathlib import Path

_FILES = ("kustomization.yaml", "kustomization.yml", "Kustomization")
# Lists of files, folders and URLs; of these, folders are kustomizations of their own.
_LISTS = (
    "resources",
    "bases",
    "components",
    "crds",
    "configurations",
    "generators",
    "transformers",
    "validators",
    "patchesStrategicMerge",
)
_GENERATORS = ("configMapGenerator", "secretGenerator")
_NESTED = ("patches", "patchesJson6902", "replacements")
_REMOTE = re.compile(
    r"(?:[a-z][a-z0-9+.-]*::)?"
    r"(?:[a-z][a-z0-9+.-]*://|[\w.-]+@[\w.-]+:|(?:www\.)?github\.com[:/]|gh:|[\w.-]+\.\w+/.*(?:\.git|//))",
    re.IGNORECASE,
)


_ADDRESS = re.compile(
    r"(?P<start>(?P<sign>[a-z][a-z0-9+.-]*://|[\w.-]+@(?=[\w.-]+:))?[^/:]*(?::\d+)?[/:])(?P<path>.+)",
    re.IGNORECASE,
)
_GITHUB = re.compile(r"(?:https?://)?(?:www\.)?github\.com[/:]", re.IGNORECASE)
_GITHUB_FILE = re.compile(
    r"https://raw\.githubusercontent\.com/(?P<repository>[^/]+/[^/]+)/(?P<ref>[^/]+)/.+"
)
_FILE_NAMES = (".yaml", ".yml", ".json")


class Files(Protocol):
    """The files that kustomizations are looked up in."""

    def kind(self, path: Path) -> str | None:
        """Return whether a file or a folder is there."""

    def read(self, path: Path) -> bytes | None:
        """The content of a file."""


class _Disk:
    def kind(self, path: Path) -> str | None:
        return "folder" if path.is_dir() else "file" if path.exists() else None

    def read(self, path: Path) -> bytes | None:
        try:
            return content_of(path)
        except (CommodoreError, OSError):  # kustomize will say so
            return None


ON_DISK: Files = _Disk()


@dataclass(frozen=True, slots=True)
class RemoteBase:
    """Something that kustomize fetches by itself."""

    url: str
    file: Path
    line: int

    @property
    def where(self) -> str:
        """The kustomization that names it."""
        return f"{self.file}:{self.line}"

    @property
    def local_places(self) -> tuple[str, ...]:
        """Where it lies, if that is on this machine: the repository, and the folder in it."""
        url = self.url.partition("::")[2] or self.url
        if url[:7].lower() != "file://":
            return (url,) if url.startswith("/") else ()
        path = unquote(url[7:].partition("?")[0])
        path = path if path.startswith("/") else f"/{path.partition('/')[2]}"
        return tuple(dict.fromkeys(("/" + path.lstrip("/").partition("//")[0], path)))


@dataclass(frozen=True, slots=True)
class GitBase:
    """A base in a Git repository."""

    repository: str
    """As kustomize clones it; it may add `.git`."""
    ref: str
    """Empty for the default branch."""
    folder: str


@lru_cache
def version() -> str:
    """The version of the program that the wrapper runs; empty if it does not print one."""
    program, words = shutil.which("kustomize"), ["version"]
    if program is None:
        program, words = shutil.which("kubectl"), ["version", "--client"]
    if program is None:
        return ""
    try:
        printed = run([program, *words]).decode(errors="replace")
    except ProgramFailed:
        return ""
    versions = re.findall(r"v\d+\.\d+\.\d+[\w.+-]*", printed)
    return versions[-1] if versions else ""


def git_base(url: str) -> GitBase | None:
    """The repository that kustomize clones for a base; None for a file that it downloads."""
    place, _, query = url.removeprefix("git::").partition("?")
    match = _ADDRESS.fullmatch(place)
    if match is None or place.endswith(_FILE_NAMES):
        return None
    start, path = match["start"], match["path"]
    of_github = _GITHUB.fullmatch(start) is not None
    start = "https://github.com/" if of_github else start if match["sign"] else f"https://{start}"
    if "//" in path:
        repository, _, folder = path.partition("//")
    elif git := re.match(r"(.+?\.git)(?:/(.*))?$", path):
        repository, folder = git[1], git[2] or ""
    elif of_github:
        parts = path.split("/", 2)
        repository, folder = "/".join(parts[:2]), "/".join(parts[2:])
    elif start.startswith(("http:", "https:")):
        return None
    else:
        repository, folder = path, ""
    given = parse_qs(query)
    (ref, *_) = given.get("ref") or given.get("version") or [""]
    return GitBase(start + repository.rstrip("/"), ref, folder.strip("/"))


def version_of(url: str) -> GitBase | None:
    """The repository and the version that a base, or a file of GitHub, comes from."""
    file = _GITHUB_FILE.fullmatch(url)
    if file is not None:
        return GitBase(f"https://github.com/{file['repository']}", file["ref"], "")
    return git_base(url)


@dataclass(frozen=True, slots=True)
class Kustomizations:
    """A kustomization and all those that it is built on."""

    folders: tuple[Path, ...]
    remote_bases: tuple[RemoteBase, ...]
    """The places that something of them has to be fetched from."""
    unknown_inputs: str
    """Why more is read than the folders and the remote bases; empty if nothing is.

    What else a kustomization names has to lie in its own folder: kustomize sees to that.
    """


def read_kustomizations(folder: Path, files: Files = ON_DISK) -> Kustomizations:
    """Read a kustomization and all those that it is built on, each once."""
    folders: dict[str, Path] = {}
    bases: dict[tuple[Path, str], RemoteBase] = {}
    unknown: list[str] = []
    waiting = [folder]
    while waiting:
        current = waiting.pop()
        if os.path.realpath(current) in folders:
            continue
        folders[os.path.realpath(current)] = current
        candidates = (current / name for name in _FILES)
        file = next((path for path in candidates if files.kind(path) == "file"), None)
        if file is None:
            unknown.append(f"{current} is not a kustomization")
            continue
        text = files.read(file) or b""
        content = _parsed(text)
        charts = (c for c in _items(content.get("helmCharts")) if isinstance(c, Mapping))
        fetched = [str(c["repo"]) for c in charts if isinstance(c.get("repo"), str)]
        if "helmCharts" in content or "helmChartInflationGenerator" in content:
            unknown.append("kustomize renders charts")
        for name in _names(content):
            kind = files.kind(current / name)
            is_remote = kind is None and _REMOTE.match(name)
            if kind == "folder":
                waiting.append(current / name)
            if is_remote:
                fetched.append(name)
            if name.startswith("/") or not (kind or is_remote):
                unknown.append(f"{name} is not below the kustomization")
        lines = text.decode(errors="replace").splitlines()
        for name in fetched:
            number = next((number for number, line in enumerate(lines, 1) if name in line), 1)
            bases.setdefault((file, name), RemoteBase(name, file, number))
    return Kustomizations(
        tuple(folders.values()),
        tuple(sorted(bases.values(), key=lambda base: (str(base.file), base.line, base.url))),
        next(iter(unknown), ""),
    )


def _parsed(text: bytes) -> Mapping[object, object]:
    try:
        content = yaml.load(text, name="")
    except CommodoreError:  # kustomize will say so
        return {}
    return content if isinstance(content, Mapping) else {}


def _names(content: Mapping[object, object]) -> Iterator[str]:
    for key in _LISTS:
        yield from (
            item for item in _items(content.get(key)) if isinstance(item, str) and "\n" not in item
        )
    for key in _NESTED:
        for item in _items(content.get(key)):
            path = item.get("path") if isinstance(item, Mapping) else None
            if isinstance(path, str):
                yield path
    for key in _GENERATORS:
        for item in _items(content.get(key)):
            if isinstance(item, Mapping):
                files = (*_items(item.get("files")), *_items(item.get("envs")), item.get("env"))
                yield from (file.rpartition("=")[2] for file in files if isinstance(file, str))
    schema = content.get("openapi")
    if isinstance(schema, Mapping) and isinstance(schema.get("path"), str):
        yield str(schema["path"])


def _items(value: object) -> list[object]:
    return value if isinstance(value, list) else []
