"""Files and folders as natives find them: by name, in the search paths in order."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from commodore_py.errors import CommodoreError
from commodore_py.model.git_names import is_git_name

if TYPE_CHECKING:
    from commodore_py.adapters.files.view import Files


def argument(value: object, *, what: str = "a name") -> str:
    """An argument that must be a string."""
    if not isinstance(value, str):
        raise CommodoreError(f"{what} must be a string")
    return value


def seek(files: Files, name: object) -> str | None:
    """The first path of that name, written as Kapitan joins it; an absolute name is itself."""
    for folder in files.search_paths:
        # Not as paths: component code gets to see it, and those would drop a `./`.
        path = os.path.join(folder, argument(name))  # noqa: PTH118
        if files.kind(Path(path)) is not None:
            return path
    return None


def find(files: Files, name: object, kind: str = "file or folder") -> str:
    """The path of a name that must exist."""
    path = seek(files, name)
    if path is None:
        hint = f"looked for {name} in {', '.join(map(str, files.search_paths))}"
        raise CommodoreError(f"there is no {kind} of this name", hint=hint)
    return path


def decoded(content: bytes, path: str) -> str:
    """The text of a file."""
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise CommodoreError("the file is not UTF-8 text", where=f"{path}:{line}") from error


def file_read(files: Files, name: object) -> str:
    """The text of a file, with its line ends as they are."""
    return _whole(files, find(files, name))


def file_exists(files: Files, name: object) -> dict[str, object]:
    """Return whether there is a file or folder of that name, and where."""
    path = seek(files, name)
    if path is not None:
        files.judge(path)
        files.show(Path(path))
    return {"exists": path is not None, "path": path or ""}


def dir_files_list(files: Files, name: object) -> list[str]:
    """The names of the files in a folder, sorted."""
    return list(files.files_in(Path(find(files, name))))


def dir_files_read(files: Files, name: object) -> dict[str, str] | None:
    """The texts of the files in a folder, None if there is no such folder."""
    folder = seek(files, name)
    if folder is None:
        return None
    return {
        file: _whole(files, str(Path(folder, file)))
        for file in files.files_in(Path(folder))
        if not is_git_name(file)  # in the root of a checkout
    }


def list_dir(files: Files, name: object, basename: object) -> list[str]:
    """The names of `dir_files_list`, or paths with the folder in front of each."""
    names = dir_files_list(files, name)
    return names if basename else [str(Path(argument(name), file)) for file in names]


def _whole(files: Files, path: str) -> str:
    text = decoded(files.read(Path(path)) or b"", path)
    if "\0" in text:
        raise CommodoreError(
            "not a text file: it holds a null byte, where Jsonnet would end the text",
            where=path,
            hint="use importbin",
        )
    return text
