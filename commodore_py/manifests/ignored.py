"""Apply ignore rules: hide changes of objects, and count what is hidden (pure)."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import TYPE_CHECKING

from commodore_py.adapters.time_limits import cpu_limit
from commodore_py.model.difference import GRADES

from . import grades, paths
from .diff import importance
from .values import SecretValue

if TYPE_CHECKING:
    from collections.abc import Iterable

    from commodore_py.model.difference import Grade, IgnoreRule

    from .diff import ObjectChange
    from .fields import FieldChange


_MOST_SECONDS = 5
"""CPU time to compare a pattern with the values of a field."""


@dataclass(frozen=True, slots=True)
class Hidden:
    """Differences that a rule has hidden."""

    rule: str
    changes: int
    objects: int
    worst: Grade


def without_ignored(
    changes: Iterable[ObjectChange], rules: Iterable[IgnoreRule]
) -> tuple[tuple[ObjectChange, ...], tuple[Hidden, ...]]:
    """The changes that no rule hides, and what each rule has hidden."""
    rules = tuple(rules)
    left: list[ObjectChange] = []
    hidden: dict[str, list[list[FieldChange]]] = {rule.name: [] for rule in rules}
    for change in changes:
        by_rule: dict[str, list[FieldChange]] = defaultdict(list)
        shown: list[FieldChange] = []
        applying = [rule for rule in rules if _applies(rule, change)]
        for field in change.fields:
            rule = next((rule for rule in applying if _hides(rule, field)), None)
            (shown if rule is None else by_rule[rule.name]).append(field)
        for name, of in by_rule.items():
            hidden[name].append(of)
        if not by_rule:
            left.append(change)
        elif change.what != "changed":
            left.append(replace(change, fields=tuple(shown)))
        elif shown:
            grade = grades.worst([field.grade for field in shown])
            left.append(replace(change, fields=tuple(shown), grade=grade))
    counted = []
    for name, groups in hidden.items():
        if groups:
            worst = grades.worst([field.grade for of in groups for field in of])
            counted.append(Hidden(name, sum(map(len, groups)), len(groups), worst))
    return tuple(sorted(left, key=importance)), tuple(counted)


def _applies(rule: IgnoreRule, change: ObjectChange) -> bool:
    group, kind = change.id.group, change.id.kind
    return not rule.kinds or any(_kind_matches(pattern, group, kind) for pattern in rule.kinds)


@lru_cache(maxsize=4096)
def _kind_matches(pattern: str, group: str, kind: str) -> bool:
    subject = f"{group or 'core'}/{kind}" if "/" in pattern else kind
    return fnmatchcase(subject, pattern)


def _hides(rule: IgnoreRule, field: FieldChange) -> bool:
    return (
        (not rule.changes or field.happened in rule.changes)
        and GRADES.index(field.grade) >= GRADES.index(rule.up_to)
        and any(paths.covers(path, field.path) for path in rule.paths)
        and (not rule.values or _values_match(rule.values, field))
    )


def _values_match(pattern: str, field: FieldChange) -> bool:
    values = {"added": (field.new,), "removed": (field.old,)}.get(
        field.happened, (field.old, field.new)
    )
    with cpu_limit(_MOST_SECONDS, f"the pattern {pattern!r} of an ignore rule"):
        return all(re.fullmatch(pattern, _text(value)) for value in values)


def _text(value: object) -> str:
    value = value.value if isinstance(value, SecretValue) else value
    return value if isinstance(value, str) else json.dumps(value, default=str)
