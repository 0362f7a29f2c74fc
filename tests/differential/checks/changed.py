"""Good objects, the cases of changes.yaml, and what our checks say about objects."""

from __future__ import annotations

import copy
import json
import re
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, NamedTuple

import yaml

from commodore_py.checks.run import Settings, check_catalog
from commodore_py.checks.table import names
from commodore_py.model.tree import Entry, Tree

if TYPE_CHECKING:
    from collections.abc import Sequence

    from commodore_py.checks.base import Version
    from commodore_py.manifests.objects import Content

HERE = Path(__file__).parent
SKIPPED = tuple({*names()} - {"kubernetes-schema", "custom-resources"})


class Case(NamedTuple):
    """A changed object."""

    name: str
    content: Content
    found: str
    """Codes without their area, and fields; empty if servers accept it."""


class Found(NamedTuple):
    """An error of ours."""

    code: str
    field: str
    message: str


def documents(name: str) -> list[Content]:
    """The objects of a file beside this one."""
    return list(yaml.safe_load_all((HERE / name).read_text()))


def cases() -> list[Case]:
    """The good objects of kinds.yaml, changed."""
    every: list[Any] = documents("kinds.yaml")
    good = {f"{one['kind']}/{one['metadata']['name']}": one for one in every}
    return [
        Case(f"{name} {changes}", _changed(good[name], changes), found)
        for name, changes, found in yaml.safe_load((HERE / "changes.yaml").read_text())
    ]


def _changed(good: Content, changes: dict[str, Any]) -> Content:
    content: Any = copy.deepcopy(good)
    for path, value in changes.items():
        *steps, last = [
            int(one) if one.isdecimal() else one.replace("\\", "")
            for one in re.split(r"(?<!\\)\.", path.removeprefix("-"))
        ]
        holder = content
        for step in steps:
            holder = holder[step]
        if path.startswith("-"):
            del holder[last]
        else:
            holder[last] = value
    return content  # type: ignore[no-any-return] # a mapping


def our_verdicts(contents: Sequence[Content], version: Version) -> list[list[Found]]:
    """The errors of each object."""
    tree = {
        PurePosixPath(f"{number}.json"): Entry(json.dumps(content).encode())
        for number, content in enumerate([*contents, *documents("definitions.yaml")])
    }
    checked = check_catalog({"": Tree(tree)}, Settings(version=version, skip=SKIPPED))
    found: list[list[Found]] = [[] for _ in tree]
    for one in checked.problems:
        if one.severity == "error" or one.code == "checks/unreadable":
            number = int(PurePosixPath(one.place.file).stem)
            found[number].append(Found(one.code, one.place.field, one.message))
    return found[: len(contents)]
