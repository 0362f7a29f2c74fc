"""Ignore rules: they hide changes from a diff and count what they hide (pure)."""

from __future__ import annotations

import json
import re
from dataclasses import fields, replace
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from commodore_py.model.difference import IgnoreRule

from . import grades, merge_keys, paths
from .fields import GRADES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from .diff import ObjectChange
    from .fields import FieldChange, Grade
    from .objects import ObjectId

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


class Hidden(NamedTuple):
    """What a rule has hidden."""

    rule: str
    changes: int
    objects: int
    worst: Grade


class BadRule(ValueError):
    """An invalid rule."""


def rules_from(value: object) -> tuple[tuple[IgnoreRule, ...], tuple[str, ...]]:
    """The built-in rules with those of a configuration, and the problems of the latter."""
    wanted = {name: rule for name, (on, rule) in BUILT_IN.items() if on}
    problems: list[str] = []
    if value is not None and not isinstance(value, dict):
        return tuple(wanted.values()), ("rules must be a mapping of names to rules",)
    for name, given in (value or {}).items():
        try:
            rule = _rule(str(name), given)
        except BadRule as problem:
            problems.append(f"{name}: {problem}")
            continue
        wanted.pop(str(name), None)
        if rule is not None:
            wanted[rule.name] = rule
    return tuple(wanted.values()), tuple(problems)


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
    known = {field.name.replace("_", "-") for field in fields(IgnoreRule)} - {"name"}
    if unknown := sorted({str(key) for key in given} - known):
        raise BadRule(f"unknown key {unknown[0]}; a rule has {', '.join(sorted(known))}")
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
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
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


def without_ignored(
    changes: Iterable[ObjectChange], rules: Iterable[IgnoreRule]
) -> tuple[tuple[ObjectChange, ...], tuple[Hidden, ...]]:
    """The changes that no rule hides, and what each rule has hidden."""
    rules = tuple(rules)
    left: list[ObjectChange] = []
    hidden: dict[str, list[list[FieldChange]]] = {rule.name: [] for rule in rules}
    for change in changes:
        found = {name: of for name, of in _hidden(change, rules).items() if of}
        for name, of in found.items():
            hidden[name].append(of)
        if not found:
            left.append(change)
            continue
        matched = {id(field) for of in found.values() for field in of}
        shown = tuple(field for field in change.fields if id(field) not in matched)
        if change.what == "changed":
            grade = grades.worst([field.grade for field in shown])
            if shown:
                left.append(replace(change, fields=shown, grade=grade))
        else:
            left.append(replace(change, fields=shown))
    counted = tuple(_counted(name, of) for name, of in hidden.items() if of)
    from .diff import importance  # noqa: PLC0415 - rules are read more often than applied

    return tuple(sorted(left, key=importance)), counted


def _hidden(change: ObjectChange, rules: Iterable[IgnoreRule]) -> Mapping[str, list[FieldChange]]:
    found: dict[str, list[FieldChange]] = {}
    if not change.fields:
        return found
    applying = [rule for rule in rules if _is_of_kind(rule, change.id)]
    for field in change.fields:
        rule = next((rule for rule in applying if _hides(rule, field)), None)
        if rule is not None:
            found.setdefault(rule.name, []).append(field)
    return found


def _counted(name: str, of: list[list[FieldChange]]) -> Hidden:
    worst = grades.worst([field.grade for fields_ in of for field in fields_])
    return Hidden(name, sum(map(len, of)), len(of), worst)


def _is_of_kind(rule: IgnoreRule, id_: ObjectId) -> bool:
    return not rule.kinds or any(_kind_matches(kind, id_.group, id_.kind) for kind in rule.kinds)


@lru_cache(maxsize=4096)
def _kind_matches(pattern: str, group: str, kind: str) -> bool:
    subject = f"{group or 'core'}/{kind}" if "/" in pattern else kind
    return fnmatchcase(subject, pattern)


def _hides(rule: IgnoreRule, field: FieldChange) -> bool:
    return (
        (not rule.changes or field.happened in rule.changes)
        and GRADES.index(field.grade) >= GRADES.index(_grade(rule))
        and any(paths.covers(path, field.path) for path in rule.paths)
        and (not rule.values or _values_match(rule.values, field))
    )


def _grade(rule: IgnoreRule) -> Grade:
    return next(grade for grade in GRADES if grade == rule.up_to)


def _values_match(pattern: str, field: FieldChange) -> bool:
    values = {"added": (field.new,), "removed": (field.old,)}.get(
        field.happened, (field.old, field.new)
    )
    return all(re.fullmatch(pattern, _text(value)) for value in values)


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, default=str)
