"""Find class files and read them, each once per content."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from commodore_py.adapters.files.reach import Reach
from commodore_py.errors import CommodoreError, raise_collected

from .reader import read

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from .reader import ClassFile

_EXTENSIONS = (".yml", ".yaml")
_NOT_CLASSES = {".git"}

MOST_CLASSES = 200_000
"""How many files and folders are looked at: links may lead to one of them in many ways."""


class DuplicateClass(CommodoreError):
    """Two files claim one class name."""


class BrokenLink(CommodoreError):
    """A symlink below the classes is broken, or leads to a folder above it."""


@dataclass(frozen=True, slots=True)
class _File:
    """A class file; strings, as there may be many."""

    path: str
    folder: str
    """The folder that relative names start from."""


class ClassFiles:
    """The class files of a class path, by name."""

    def __init__(
        self,
        entries: Iterable[tuple[str, Path]],
        *,
        generated: Mapping[str, bytes] | None = None,
        reach: Reach | None = None,
    ) -> None:
        """Find the classes; `generated` ones, by class name, have no file."""
        self._reach = reach or Reach.anywhere()
        self._files: dict[str, _File] = {}
        self._generated = dict(generated or {})
        self._loaded: dict[str, ClassFile] = {}
        errors: list[CommodoreError] = []
        for name in self._generated:
            place = f"{name.replace('.', '/')}.yml"
            self._files[name] = _File(place, place.rpartition("/")[0])
        walk = ClassWalk(self._reach, errors)
        for prefix, source in entries:
            for file, relative in walk.files_of(prefix, source):
                name, folder = _name_of(relative)
                if name in self._files:
                    files = sorted((Path(file), self.path(name)))
                    errors.append(
                        DuplicateClass(
                            f"class {name} is defined twice",
                            where="\n".join(map(str, files)),
                            hint="remove or rename one of the files",
                        )
                    )
                self._files[name] = _File(file, folder)
        raise_collected(errors, "class names are not unique")

    def __contains__(self, name: str) -> bool:
        return name in self._files

    def stage(self, name: str, text: bytes) -> None:
        """Read a class from a text in place of its file, before it is read."""
        self._generated[name] = text

    def names(self) -> Iterable[str]:
        """Every class name."""
        return self._files.keys()

    def path(self, name: str) -> Path:
        """The file of a class."""
        return Path(self._files[name].path)

    def folder(self, name: str) -> PurePosixPath:
        """The folder that relative names in this class start from."""
        return PurePosixPath(self._files[name].folder)

    def text(self, name: str) -> bytes:
        """The text of a class."""
        generated = self._generated.get(name)
        if generated is not None:
            return generated
        file = self._files[name].path
        try:
            return self._reach.read(file)
        except OSError as error:
            raise CommodoreError(
                f"class {name} cannot be read: {error.strerror}", where=file
            ) from error

    def load(self, name: str) -> ClassFile:
        """The content of a class."""
        content = self._loaded.get(name)
        if content is None:
            content = self._loaded[name] = read(self.text(name), name=self._files[name].path)
        return content


def absolute_name(name: str, folder: PurePosixPath) -> str:
    """A class name as seen from a folder: each dot in front leads one folder up."""
    if not name.startswith("."):
        return name
    rest = name.lstrip(".")
    up = len(name) - len(rest) - 1
    parts = folder.parts[: len(folder.parts) - up] if up <= len(folder.parts) else ()
    return ".".join((*parts, rest))


class ClassWalk:
    """Finds class files; what is wrong with links is collected."""

    def __init__(self, reach: Reach, errors: list[CommodoreError]) -> None:
        self._reach, self._errors = reach, errors
        self._left = MOST_CLASSES

    def files_of(self, prefix: str, source: Path) -> Iterator[tuple[str, str]]:
        """Each file of a folder, or the one file, with its path below the classes."""
        file, place = str(source), PurePosixPath(prefix)
        if os.path.isdir(file):  # noqa: PTH112 - a text
            # A part of a repository may be a link. Files in it are judged when they are read.
            real = self._judged(file, self._reach.real)
            if real is not None:
                inside = str(place) + "/" if place.parts else ""
                yield from self._below(file, inside, (real,))
        else:
            yield file, str(place.with_name(f"{place.name}{source.suffix}"))

    def _below(self, folder: str, inside: str, above: tuple[str, ...]) -> Iterator[tuple[str, str]]:
        """Files below a folder; the last of `above` is its real path, the others led here."""
        with os.scandir(folder) as entries:
            children = sorted(entries, key=lambda entry: entry.name)
        for entry in children:
            self._left -= 1
            if self._left < 0:
                raise CommodoreError(f"more than {MOST_CLASSES:,} files of classes", where=folder)
            if entry.is_symlink():
                yield from self._behind_link(entry.path, f"{inside}{entry.name}", above)
            elif entry.is_dir():
                if entry.name not in _NOT_CLASSES:
                    real = f"{above[-1]}/{entry.name}"
                    yield from self._below(
                        entry.path, f"{inside}{entry.name}/", (*above[:-1], real)
                    )
            elif _is_class(entry.name):
                yield entry.path, f"{inside}{entry.name}"

    def _behind_link(
        self, path: str, relative: str, above: tuple[str, ...]
    ) -> Iterator[tuple[str, str]]:
        name = relative.rpartition("/")[2]
        # For a symlink to itself, pathlib's is_dir returns False.
        if Path(path).is_dir():
            real = os.path.realpath(path)
            if any(f"{folder}/".startswith(f"{real.rstrip('/')}/") for folder in above):
                self._errors.append(
                    BrokenLink("the symlink leads to a folder above it", where=path)
                )
            elif (
                name not in _NOT_CLASSES and self._judged(path, self._reach.real_folder) is not None
            ):
                yield from self._below(path, f"{relative}/", (*above, real))
        elif not Path(path).exists():
            self._errors.append(BrokenLink("the symlink is broken", where=path))
        elif _is_class(name):
            yield path, relative

    def _judged(self, folder: str, judge: Callable[[str], str]) -> str | None:
        try:
            return judge(folder)
        except CommodoreError as error:
            self._errors.append(error)
            return None


def _is_class(name: str) -> bool:
    return name.endswith(_EXTENSIONS) and name not in _EXTENSIONS


def _name_of(relative: str) -> tuple[str, str]:
    """The class name of a file, and the folder that its relative names start from."""
    folder, _, last = relative.rpartition("/")
    name = PurePosixPath(last).stem if not last.endswith(_EXTENSIONS) else last.rpartition(".")[0]
    if name == "init":
        return folder.replace("/", "."), folder.rpartition("/")[0]
    return f"{folder}/{name}".lstrip("/").replace("/", "."), folder
