"""Read the objects of files, folders and stdin."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from commodore_py.adapters import reading
from commodore_py.adapters.yaml import load_manifests
from commodore_py.errors import CommodoreError, of_system
from commodore_py.manifests.documents import may_hold_objects
from commodore_py.manifests.objects import KubeObject, identify, members

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

STDIN = "-"
_STDIN_NAME = "stdin"


@dataclass(frozen=True, slots=True)
class Found:
    """The objects of some files, and how many other documents there are."""

    objects: tuple[KubeObject, ...]
    others: int
    files: tuple[str, ...]


def objects_in(names: Iterable[str]) -> Found:
    """The objects of files, of the files below folders, and of stdin (`-`)."""
    objects: list[KubeObject] = []
    others = 0
    files = []
    for name, text in _texts(names):
        files.append(name)
        for document in load_manifests(text, name=name):
            for member in members(document):
                id_ = identify(member)
                if id_ is not None and isinstance(member, dict):
                    objects.append(KubeObject(id_, member, name))
                elif member is not None:
                    others += 1
    return Found(tuple(objects), others, tuple(files))


def _texts(names: Iterable[str]) -> Iterator[tuple[str, bytes]]:
    for name in names:
        if name == STDIN:
            yield _STDIN_NAME, _stdin()
        elif Path(name).is_dir():
            for path in sorted(Path(name).rglob("*")):
                if may_hold_objects(path.name) and path.is_file():
                    yield str(path), _content(str(path))
        else:
            yield name, _content(name)


def _stdin() -> bytes:
    try:
        text = sys.stdin.read(reading.LARGEST_FILE) if sys.stdin else ""
    except ValueError as error:
        raise CommodoreError("it is not valid UTF-8", where=_STDIN_NAME) from error
    return text.encode("utf-8", "surrogatepass")


def _content(name: str) -> bytes:
    try:
        return reading.bytes_of(name)
    except FileNotFoundError as error:
        raise CommodoreError("this file does not exist", where=name) from error
    except OSError as error:
        raise of_system(error) from error
