"""Where the results of filters go: files of the instance's tree, and nowhere else."""

from __future__ import annotations

import logging
import os
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from commodore_py.adapters import yaml
from commodore_py.errors import CommodoreError
from commodore_py.model.names import problem_of_path, shown
from commodore_py.model.tree import Entry, Tree

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

logger = logging.getLogger(__name__)


class BadOutput(CommodoreError):
    """A filter's result cannot be written where it wants to be."""


def inside(root: Path, *parts: str) -> PurePosixPath:
    """The place that the parts, joined as paths are, lead to; an error outside of the root."""
    place = Path(os.path.normpath(root.joinpath(*parts)))
    problem = problem_of_path(str(place))
    if problem:
        raise BadOutput(
            f"{shown(parts[-1])} cannot be a file of the output: its path {problem}",
            hint="choose another key or path",
        )
    if not place.is_relative_to(root):
        raise BadOutput(
            f"{parts[-1]!r} is writing outside its place: nothing was written",
            where=str(place),
            hint=f"paths and keys of filters stay below {root.parent.name}/{root.name}",
        )
    return PurePosixPath(place.relative_to(root))


def place(tree: Tree, root: Path, folder: str, fields: Mapping[str, object]) -> Tree:
    """The tree with each field written to `<folder>/<key>.yaml`, a list as several documents."""
    contents = {
        inside(root, folder, f"{key}.yaml"): yaml.dump_documents(_plain(value))
        for key, value in fields.items()
    }
    return with_contents(tree, root, contents)


def with_contents(tree: Tree, root: Path, contents: Mapping[PurePosixPath, bytes]) -> Tree:
    """The tree with files written; those that are there keep their mode."""
    written: dict[PurePosixPath, Entry] = {}
    for path, content in contents.items():
        old = tree.get(path)
        if old is None:
            logger.info("a filter creates %s", root / path)
        written[path] = Entry(content, executable=old.executable if old else False)
    result = tree.plus(written)
    _check_free(written, result)
    return result


def _check_free(written: Iterable[PurePosixPath], tree: Tree) -> None:
    folders = tree.folders()
    for path in written:
        in_the_way = next((parent for parent in path.parents if parent in tree), None)
        if in_the_way is not None:
            raise BadOutput(f"cannot write {path}: {in_the_way} is a file")
        if path in folders:
            raise BadOutput(f"cannot write {path}: it is a folder")


def _plain(value: object) -> object:
    """Numbers as Jsonnet prints them: a whole one has no fraction, however it was written."""
    match value:
        case float() if value.is_integer():
            return int(value)
        case list():
            return [_plain(below) for below in value]
        case dict():
            return {key: _plain(below) for key, below in value.items()}
        case _:
            return value
