"""Find class files and read them, each once per content."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from commodore_py.errors import CommodoreError, raise_collected

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from .reader import ClassFile
    from .stored_classes import Packed

_EXTENSIONS = (".yml", ".yaml")
_NOT_CLASSES = {".git"}


class DuplicateClass(CommodoreError):
    """Two files claim one class name."""

    @classmethod
    def named(cls, name: str, one: Path, other: Path) -> DuplicateClass:
        """Name both files, in a fixed order."""
        first, second = sorted((one, other))
        return cls(
            f"class {name} is defined twice",
            where=f"{first}\n{second}",
            hint="remove or rename one of the files",
        )


class BrokenLink(CommodoreError):
    """A symlink below the classes is broken, or leads to a folder above it."""


class ClassFiles:
    """The class files of a class path, by name."""

    def __init__(
        self, entries: Iterable[tuple[str, Path]], *, generated: Mapping[str, bytes] | None = None
    ) -> None:
        """Find the classes; `generated` ones, by class name, have no file."""
        self._found: dict[str, tuple[Path, PurePosixPath]] = {}
        self._generated = dict(generated or {})
        self._read: dict[str, ClassFile] = {}
        self._by_content: dict[bytes, ClassFile] = {}
        self._texts: dict[str, bytes] = {}
        self._packed: Mapping[bytes, Packed] = {}
        self._digests: dict[str, bytes] = {}
        errors: list[CommodoreError] = []
        for name in self._generated:
            place = PurePosixPath(f"{name.replace('.', '/')}.yml")
            self._found[name] = (Path(place), place.parent)
        for prefix, source in entries:
            for file, relative in _files_of(prefix, source, errors):
                name, folder = _name_of(relative)
                if name in self._found:
                    errors.append(DuplicateClass.named(name, file, self._found[name][0]))
                self._found[name] = (file, folder)
        raise_collected(errors, "class names are not unique")

    def __contains__(self, name: str) -> bool:
        return name in self._found

    def names(self) -> Iterable[str]:
        """Every class name."""
        return self._found.keys()

    def path(self, name: str) -> Path:
        """The file of a class."""
        return self._found[name][0]

    def folder(self, name: str) -> PurePosixPath:
        """The folder that relative names in this class start from."""
        return self._found[name][1]

    def text(self, name: str) -> bytes:
        """The text of a class."""
        generated = self._generated.get(name)
        if generated is not None:
            return generated
        file = self._found[name][0]
        try:
            return file.read_bytes()
        except OSError as error:
            raise CommodoreError(
                f"class {name} cannot be read: {error.strerror}", where=str(file)
            ) from error

    def digest(self, name: str) -> bytes:
        """The digest of a class's text; the file is read once, for `load` as well."""
        known = self._digests.get(name)
        if known is None:
            text = self._texts[name] = self.text(name)
            known = self._digests[name] = digest_of(text)
        return known

    def load(self, name: str) -> ClassFile:
        """The content of a class."""
        known = self._read.get(name)
        if known is None:
            digest = self.digest(name)
            file = self._found[name][0]
            known = self._read[name] = self.read(self._texts[name], str(file), digest)
        return known

    def read(self, text: bytes, name: str, digest: bytes) -> ClassFile:
        """The content of a text with this digest."""
        known = self._by_content.get(digest)
        if known is None:
            packed = self._packed.get(digest)
            if packed is not None:
                from .stored_classes import unpack  # noqa: PLC0415 - not where a result is cached

                known = unpack(packed)
            else:
                from .reader import read  # noqa: PLC0415 - as above

                known = read(text, name=name)
            self._by_content[digest] = known
        return known

    def know(self, packed: Mapping[bytes, Packed]) -> None:
        """Use class files that an earlier run has read."""
        self._packed = packed

    def known(self) -> Mapping[bytes, Packed]:
        """The class files that were read, for a later run."""
        from .stored_classes import pack  # noqa: PLC0415 - as above

        found = {}
        for digest, content in self._by_content.items():
            packed = self._packed.get(digest) or pack(content)
            if packed is not None:
                found[digest] = packed
        return found


def digest_of(text: bytes) -> bytes:
    """The digest of a text."""
    return hashlib.blake2b(text, digest_size=32).digest()


def absolute_name(name: str, folder: PurePosixPath) -> str:
    """A class name as seen from a folder: each dot in front leads one folder up."""
    if not name.startswith("."):
        return name
    rest = name.lstrip(".")
    up = len(name) - len(rest) - 1
    parts = folder.parts[: len(folder.parts) - up] if up <= len(folder.parts) else ()
    return ".".join((*parts, rest))


def _files_of(
    prefix: str, source: Path, errors: list[CommodoreError]
) -> Iterator[tuple[Path, PurePosixPath]]:
    place = PurePosixPath(prefix)
    if source.is_dir():
        yield from _walk(source, place, (), errors)
    else:
        yield source, place.with_name(f"{place.name}{source.suffix}")


def _walk(
    folder: Path, relative: PurePosixPath, above: tuple[Path, ...], errors: list[CommodoreError]
) -> Iterator[tuple[Path, PurePosixPath]]:
    above = (*above, folder)
    with os.scandir(folder) as entries:
        for entry in sorted(entries, key=lambda one: one.name):
            path, link = Path(entry.path), entry.is_symlink()
            # For a symlink to itself, pathlib's is_dir returns False; entries of scandir raise.
            if path.is_dir() if link else entry.is_dir():
                if link and any(path.samefile(one) for one in above):
                    errors.append(
                        BrokenLink("the symlink leads to a folder above it", where=str(path))
                    )
                elif entry.name not in _NOT_CLASSES:
                    yield from _walk(path, relative / entry.name, above, errors)
            elif link and not path.exists():
                errors.append(BrokenLink("the symlink is broken", where=str(path)))
            elif PurePosixPath(entry.name).suffix in _EXTENSIONS:
                yield path, relative / entry.name


def _name_of(relative: PurePosixPath) -> tuple[str, PurePosixPath]:
    """The class name of a file, and the folder that its relative names start from."""
    plain = relative.with_suffix("")
    if plain.name == "init":
        return ".".join(plain.parent.parts), plain.parent.parent
    return ".".join(plain.parts), plain.parent
