"""Compare two trees: added, deleted, modified and renamed files, as in Git (pure)."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Literal

from commodore_py.manifests.ignore_rules import rules_from
from commodore_py.manifests.objects import value_in
from commodore_py.model.catalog import Change, FileChange
from commodore_py.model.problem import Problem
from commodore_py.model.spot import Spot, nowhere

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import PurePosixPath

    from commodore_py.model.difference import IgnoreRule
    from commodore_py.model.inventory import Inventory
    from commodore_py.model.spot import PlaceOf
    from commodore_py.model.tree import Entry, Tree

_Kind = Literal["added", "deleted", "renamed", "modified"]

_FILE, _PROGRAM = 0o100644, 0o100755


def change_between(old: Tree, new: Tree) -> Change:
    """Added, deleted and modified files; a file that moved unchanged is a rename."""
    deleted = [path for path in old if path not in new]
    added = [path for path in new if path not in old]
    moved = dict(_moved(old, new, deleted, added))
    file_changes = [
        *(_pair("renamed", moved[path], path, old[moved[path]], new[path]) for path in moved),
        *(_pair("added", path, path, None, new[path]) for path in added if path not in moved),
        *(
            _pair("deleted", path, path, old[path], None)
            for path in deleted
            if path not in moved.values()
        ),
        *(
            _pair("modified", path, path, old[path], new[path])
            for path in new
            if path in old and old[path] != new[path]
        ),
    ]
    return Change(tuple(sorted(file_changes, key=lambda file: file.path)))


def _moved(
    old: Tree, new: Tree, deleted: list[PurePosixPath], added: list[PurePosixPath]
) -> Iterator[tuple[PurePosixPath, PurePosixPath]]:
    left = defaultdict(list)
    for path in sorted(deleted, reverse=True):
        if old[path].content:  # empty files are all alike
            left[old[path].content].append(path)
    for path in sorted(added):
        if same := left.get(new[path].content):
            yield path, same.pop()


def _pair(
    kind: _Kind, old_path: PurePosixPath, path: PurePosixPath, old: Entry | None, new: Entry | None
) -> FileChange:
    return FileChange(
        kind=kind,
        path=str(path),
        old_path=str(old_path),
        old=old.content if old else b"",
        new=new.content if new else b"",
        old_mode=_mode(old),
        new_mode=_mode(new),
    )


def _mode(entry: Entry | None) -> int:
    if entry is None:
        return 0
    return _PROGRAM if entry.executable else _FILE


_PATH = ("commodore", "diff", "ignore")


def ignore_rules(inventory: Inventory) -> tuple[IgnoreRule, ...]:
    """Our own rules, as `parameters.commodore.diff.ignore` changes them."""
    return rules_from(_given(inventory))[0]


def rule_problems(inventory: Inventory, place_of: PlaceOf = nowhere) -> tuple[Problem, ...]:
    """Rules that are ignored because they are invalid."""
    spot = Spot(inventory.bootstrap.name, _PATH)
    return tuple(
        Problem(
            f"a rule about differences is ignored: {problem}",
            where=spot.seen_from(place_of),
            strict=True,
            code="differences/invalid-rule",
        )
        for problem in rules_from(_given(inventory))[1]
    )


def _given(inventory: Inventory) -> object:
    return value_in(inventory.bootstrap.parameters, *_PATH)
