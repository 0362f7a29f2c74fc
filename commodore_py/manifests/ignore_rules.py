"""Ignore rules: the built-in ones, and those of a configuration (pure)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from commodore_py.model.difference import GRADES, IgnoreRule

from . import merge_keys, paths

if TYPE_CHECKING:
    from collections.abc import Mapping

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
