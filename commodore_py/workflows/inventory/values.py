"""Files of values: the ids of the cluster in them, and their class names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from commodore_py.adapters import yaml
from commodore_py.adapters.reading import content_of
from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from collections.abc import Set as AbstractSet
    from pathlib import Path

_PLAIN = re.compile(r"[\w-]+")
_INIT = "init"  # the name of a folder's own class


def ids_in(files: Iterable[Path]) -> tuple[str, str]:
    """The tenant and the cluster in files of values; the last file with an id wins."""
    tenant = cluster = ""
    for file in files:
        ids = _cluster_in(file)
        tenant = str(ids.get("tenant") or tenant)
        cluster = str(ids.get("name") or cluster)
    return tenant, cluster


def class_names(files: Iterable[Path], *, taken: AbstractSet[str]) -> list[str]:
    """A class name for each file: its own, unless another class has that already."""
    names: list[str] = []
    for number, file in enumerate(files, start=1):
        name = file.stem
        if name == _INIT or not _PLAIN.fullmatch(name) or name in {*taken, *names}:
            name = f"values-{number}"
            while name in {*taken, *names}:
                name += "x"
        names.append(name)
    return names


def _cluster_in(file: Path) -> dict[str, Any]:
    text = content_of(file)
    here: Any = yaml.load(text, name=str(file))
    if here is None:
        return {}
    path: list[str] = []
    for key in ("parameters", "cluster"):
        here = _mapping(here, file, text, path)
        if key not in here:
            return {}
        here = here[key]
        path.append(key)
    return _mapping(here, file, text, path)


def _mapping(value: object, file: Path, text: bytes, path: list[str]) -> dict[str, Any]:
    if isinstance(value, dict):
        return value
    raise CommodoreError(
        f"{'.'.join(path) or 'the file'} must be a mapping",
        where=f"{file}:{yaml.line_at(text, [0, *path])}",
        hint="values look like a class: parameters, below it cluster, below it tenant and name",
    )
