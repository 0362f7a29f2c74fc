"""Read the objects of files, folders and stdin."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from commodore_py.adapters import reading
from commodore_py.errors import CommodoreError
from commodore_py.manifests.documents import load_manifests, may_hold_objects
from commodore_py.manifests.objects import KubeObject, identify, members

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_STDIN, _STDIN_NAME = "-", "stdin"


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
        for kube_object in objects_of(text, name):
            if kube_object is None:
                others += 1
            else:
                objects.append(kube_object)
    return Found(tuple(objects), others, tuple(files))


def objects_of(text: bytes, name: str) -> Iterator[KubeObject | None]:
    """The objects of a file, lists taken apart; None for each other document."""
    for document in load_manifests(text, name=name):
        for member in members(document):
            id_ = identify(member)
            if id_ is not None and isinstance(member, dict):
                yield KubeObject(id_, member, name)
            elif member is not None:
                yield None


def _texts(names: Iterable[str]) -> Iterator[tuple[str, bytes]]:
    for name in names:
        if name == _STDIN:
            yield _STDIN_NAME, _stdin()
        elif Path(name).is_dir():
            for path in sorted(Path(name).rglob("*")):
                if may_hold_objects(path.name) and path.is_file():
                    yield str(path), reading.content_of(path)
        else:
            yield name, reading.content_of(name)


def _stdin() -> bytes:
    try:
        text = sys.stdin.read(reading.LARGEST_FILE) if sys.stdin else ""
    except ValueError as error:
        raise CommodoreError("it is not valid UTF-8", where=_STDIN_NAME) from error
    return text.encode("utf-8", "surrogatepass")
