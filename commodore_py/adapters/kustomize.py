"""Kustomizations: which of their bases lie in the network, and where."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple
from urllib.parse import parse_qs, unquote

from commodore_py.adapters.reading import content_of
from commodore_py.errors import CommodoreError

from . import yaml

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
_FILE_NAMES = (".yaml", ".yml", ".json")


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


def would_fetch(bases: Iterable[RemoteBase], *where: str) -> CommodoreError:
    """The error for an offline run."""
    bases = tuple(bases)
    return CommodoreError(
        f"kustomize would fetch {', '.join(dict.fromkeys(base.url for base in bases))}",
        where="\n".join([*(base.where for base in bases), *where]),
        hint="leave out --offline, or vendor what the kustomization is built on",
    )


class GitBase(NamedTuple):
    """A base in a Git repository."""

    repository: str
    """As kustomize clones it; it may add `.git`."""
    ref: str
    """Empty for the default branch."""
    folder: str


@lru_cache
def version() -> str:
    """The version of the program that the wrapper runs; empty if it does not print one."""
    import shutil

    from .process import ProgramFailed, run

    program, words = shutil.which("kustomize"), ["version"]
    if program is None:
        program, words = shutil.which("kubectl"), ["version", "--client"]
    if program is None:
        return ""
    try:
        printed = run([program, *words]).decode(errors="replace")
    except ProgramFailed:
        return ""
    found = re.findall(r"v\d+\.\d+\.\d+[\w.+-]*", printed)
    return found[-1] if found else ""


def git_base(url: str) -> GitBase | None:
    """The repository that kustomize clones for a base; None for a file that it downloads."""
    place, _, query = url.removeprefix("git::").partition("?")
    found = _ADDRESS.fullmatch(place)
    if found is None or place.endswith(_FILE_NAMES):
        return None
    start, path = found["start"], found["path"]
    of_github = _GITHUB.fullmatch(start) is not None
    start = "https://github.com/" if of_github else start if found["sign"] else f"https://{start}"
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


def remote_bases(folder: Path) -> tuple[RemoteBase, ...]:
    """What a kustomization, and those it is built on, would have to fetch; each place once."""
    found: dict[tuple[Path, str], RemoteBase] = {}
    for here, file, content in _kustomizations(folder):
        if file is None:
            continue
        fetched = [n for n in _names(content) if not (here / n).exists() and _REMOTE.match(n)]
        for name in [*fetched, *_charts(content)]:
            found.setdefault((file, name), RemoteBase(name, file, _line_of(file, name)))
    return tuple(sorted(found.values(), key=lambda one: (str(one.file), one.line, one.url)))


def local_folders(folder: Path) -> tuple[Path, ...]:
    """A kustomization and all those it is built on."""
    return tuple(here for here, _, _ in _kustomizations(folder))


def is_local(folder: Path) -> bool:
    """Whether a kustomization is built on these folders alone.

    What else a kustomization names has to lie in its own folder: kustomize sees to that.
    """
    return all(
        file is not None
        and "helmCharts" not in content
        and "helmChartInflationGenerator" not in content
        and all(not n.startswith("/") and (here / n).exists() for n in _names(content))
        for here, file, content in _kustomizations(folder)
    )


def _kustomizations(
    folder: Path,
) -> Iterator[tuple[Path, Path | None, Mapping[object, object]]]:
    """A folder and all it is built on, each once, with its file and what that holds."""
    waiting, seen = [folder], set[Path]()
    while waiting:
        here = waiting.pop()
        if here.resolve() in seen:
            continue
        seen.add(here.resolve())
        file = next((here / name for name in _FILES if (here / name).is_file()), None)
        content = _read(file) if file is not None else {}
        yield here, file, content
        waiting += [here / name for name in _names(content) if (here / name).is_dir()]


def _read(file: Path) -> Mapping[object, object]:
    try:
        content = yaml.load_file(file)
    except (CommodoreError, OSError):  # kustomize will say so
        return {}
    return content if isinstance(content, Mapping) else {}


def _names(content: Mapping[object, object]) -> Iterator[str]:
    for key in _LISTS:
        yield from (
            one for one in _items(content.get(key)) if isinstance(one, str) and "\n" not in one
        )
    for key in _NESTED:
        for one in _items(content.get(key)):
            path = one.get("path") if isinstance(one, Mapping) else None
            if isinstance(path, str):
                yield path
    for key in _GENERATORS:
        for one in _items(content.get(key)):
            if isinstance(one, Mapping):
                files = (*_items(one.get("files")), *_items(one.get("envs")), one.get("env"))
                yield from (file.rpartition("=")[2] for file in files if isinstance(file, str))
    schema = content.get("openapi")
    if isinstance(schema, Mapping) and isinstance(schema.get("path"), str):
        yield str(schema["path"])


def _charts(content: Mapping[object, object]) -> Iterator[str]:
    for one in _items(content.get("helmCharts")):
        repository = one.get("repo") if isinstance(one, Mapping) else None
        if isinstance(repository, str):
            yield repository


def _items(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _line_of(file: Path, text: str) -> int:
    lines = content_of(file).decode(errors="replace").splitlines()
    return next((number for number, line in enumerate(lines, 1) if text in line), 1)
