"""Files and folders as natives find them: by name, in the search paths in order."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from commodore_py.errors import CommodoreError
from commodore_py.model.git_names import is_git_name

if TYPE_CHECKING:
    from commodore_py.adapters.files.view import Files


@dataclass(frozen=True, slots=True)
class Lookup:
    """The files of one target at one moment of its compile, and where they are searched for.

    Output of earlier entries of the target is at `compiled/<target>/...` below the working
    directory, which is one of the search paths.
    """

    search_paths: tuple[Path, ...]
    files: Files


def argument(value: object, *, what: str = "a name") -> str:
    """An argument that must be a string."""
    if not isinstance(value, str):
        raise CommodoreError(f"{what} must be a string")
    return value


def seek(lookup: Lookup, name: object) -> str | None:
    """The first path of that name, written as Kapitan joins it; an absolute name is itself."""
    for folder in lookup.search_paths:
        # Not as paths: component code gets to see it, and those would drop a `./`.
        path = os.path.join(folder, argument(name))  # noqa: PTH118
        if lookup.files.kind(Path(path)) is not None:
            return path
    return None


def find(lookup: Lookup, name: object) -> str:
    """The path of a name that must exist."""
    path = seek(lookup, name)
    if path is None:
        raise missing(lookup, name)
    return path


def missing(lookup: Lookup, name: object, kind: str = "file or folder") -> CommodoreError:
    """The error for a name, with the places that were searched."""
    looked = ", ".join(map(str, lookup.search_paths))
    return CommodoreError(f"there is no {kind} of this name", hint=f"looked for {name} in {looked}")


def content_at(lookup: Lookup, path: str) -> bytes:
    """The content of a file that was found."""
    content = lookup.files.read(Path(path))
    if content is None:
        raise CommodoreError("the file is gone", where=path)
    return content


def decoded(content: bytes, path: str) -> str:
    """The text of a file."""
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise CommodoreError("the file is not UTF-8 text", where=f"{path}:{line}") from error


def file_read(lookup: Lookup, name: object) -> str:
    """The text of a file, with its line ends as they are."""
    path = find(lookup, name)
    return _whole(lookup, path)


def file_exists(lookup: Lookup, name: object) -> dict[str, object]:
    """Whether there is a file or folder of that name, and where."""
    path = seek(lookup, name)
    if path is not None:
        lookup.files.judge(path)
        lookup.files.show(Path(path))
    return {"exists": path is not None, "path": path or ""}


def dir_files_list(lookup: Lookup, name: object) -> list[str]:
    """The names of the files in a folder, sorted."""
    return list(lookup.files.files_in(Path(find(lookup, name))))


def dir_files_read(lookup: Lookup, name: object) -> dict[str, str] | None:
    """The texts of the files in a folder, None if there is no such folder."""
    folder = seek(lookup, name)
    if folder is None:
        return None
    return {
        file: _whole(lookup, str(Path(folder, file)))
        for file in lookup.files.files_in(Path(folder))
        if not is_git_name(file)  # in the root of a checkout
    }


def list_dir(lookup: Lookup, name: object, basename: object) -> list[str]:
    """The names of `dir_files_list`, or paths with the folder in front of each."""
    names = dir_files_list(lookup, name)
    return names if basename else [str(Path(argument(name), file)) for file in names]


def _whole(lookup: Lookup, path: str) -> str:
    text = decoded(content_at(lookup, path), path)
    if "\0" in text:
        raise CommodoreError(
            "not a text file: it holds a null byte, where Jsonnet would end the text",
            where=path,
            hint="use importbin",
        )
    return text
