"""Ignore rules, built in or of a configuration, and the changes that they hide (pure)."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import TYPE_CHECKING

from commodore_py.adapters.time_limits import cpu_limit
from commodore_py.model.difference import GRADES, IgnoreRule

from . import grades, merge_keys, paths
from .diff import importance
from .values import SecretValue

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from commodore_py.model.difference import Grade

    from .diff import ObjectChange
    from .fields import FieldChange

_MOST_SECONDS = 5
"""CPU time to compare a pattern with the values of a field."""

_KUBERNETES = ("core/*", "apps/*", "autoscaling/*", "batch/*", "policy/*", "*.k8s.io/*")
_HAPPENED = ("added", "removed", "changed", "reordered")

BUILT_IN: Mapping[str, tuple[bool, IgnoreRule]] = {
    "list-order": (
        True,
        IgnoreRule(
            "list-order",
            tuple(f"**.{name}" for name in sorted(merge_keys.UNORDERED)),
            kinds=(*_KUBERNETES, "rbac.authorization.k8s.io/*"),
            changes=("reordered",),
            up_to="none",
        ),
    ),
    "server-fields": (
        True,
        IgnoreRule(
            "server-fields",
            (
                "metadata.creationTimestamp",
                "metadata.generation",
                "metadata.managedFields",
                "metadata.resourceVersion",
                "metadata.selfLink",
                "metadata.uid",
            ),
            up_to="none",
        ),
    ),
    "chart-labels": (
        False,
        IgnoreRule(
            "chart-labels",
            (
                '**.labels."helm.sh/chart"',
                '**.labels."app.kubernetes.io/version"',
                "**.labels.chart",
            ),
        ),
    ),
    "checksums": (
        False,
        IgnoreRule("checksums", ('**.annotations."checksum/*"', '**.annotations."*/checksum-*"')),
    ),
    "tiller-labels": (
        False,
        IgnoreRule(
            "tiller-labels",
            ('**.labels."app.kubernetes.io/managed-by"', "**.labels.heritage"),
            values="Tiller|Helm",
            changes=("changed",),
        ),
    ),
}
"""Built-in rules by name, and whether they are on by default."""


class BadRule(ValueError):
    """An invalid rule."""


def rules_from(value: object) -> tuple[tuple[IgnoreRule, ...], tuple[str, ...]]:
    """The built-in rules with those of a configuration, and the problems of the latter."""
    rules = {name: rule for name, (on, rule) in BUILT_IN.items() if on}
    problems: list[str] = []
    if value is not None and not isinstance(value, dict):
        return tuple(rules.values()), ("rules must be a mapping of names to rules",)
    for name, given in (value or {}).items():
        try:
            rule = _rule(str(name), given)
        except BadRule as problem:
            problems.append(f"{name}: {problem}")
            continue
        rules.pop(str(name), None)
        if rule is not None:
            rules[rule.name] = rule
    return tuple(rules.values()), tuple(problems)


def _rule(name: str, given: object) -> IgnoreRule | None:
    """The rule, or None if it is switched off."""
    if given is None or given is False:
        return None
    if given is True:
        if name not in BUILT_IN:
            raise BadRule(f"there is no built-in rule of this name: {', '.join(BUILT_IN)}")
        return BUILT_IN[name][1]
    if not isinstance(given, dict):
        raise BadRule("a rule must be a mapping, or true or false for a built-in rule")
    keys = {name.replace("_", "-") for name in IgnoreRule._fields} - {"name"}
    if unknown := sorted({str(key) for key in given} - keys):
        raise BadRule(f"unknown key {unknown[0]}; a rule has {', '.join(sorted(keys))}")
    rule = IgnoreRule(
        name,
        paths=_words(given, "paths"),
        kinds=_words(given, "kinds"),
        values=_pattern(given.get("values")),
        changes=_words(given, "changes"),
        up_to=str(given.get("up-to", "data-loss")),
    )
    if not rule.paths:
        raise BadRule("a rule needs paths")
    for path in rule.paths:
        _check_path(path)
    if unknown := sorted({*rule.changes} - {*_HAPPENED}):
        raise BadRule(f"unknown change {unknown[0]}; there are {', '.join(_HAPPENED)}")
    if rule.up_to not in GRADES:
        raise BadRule(f"unknown grade {rule.up_to}; there are {', '.join(GRADES)}")
    return rule


def _words(given: Mapping[object, object], key: str) -> tuple[str, ...]:
    value = given.get(key)
    if value is None:
        return ()
    if isinstance(value, str):
        return (value,)
    if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
        raise BadRule(f"{key} must be a list of strings")
    return tuple(map(str, value))


def _pattern(value: object) -> str:
    if value is None:
        return ""
    try:
        re.compile(str(value))
    except re.error as error:
        raise BadRule(f"values is not a valid regular expression: {error}") from error
    return str(value)


def _check_path(path: str) -> None:
    try:
        paths.parse_path(path)
    except paths.BadPattern as error:
        raise BadRule(f"{path!r} is not a valid path") from error


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
        return all(re.fullmatch(pattern, _plain(value)) for value in values)


def _plain(value: object) -> str:
    value = value.value if isinstance(value, SecretValue) else value
    return value if isinstance(value, str) else json.dumps(value, default=str)
