"""Selectors of labels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from commodore_py.checks.base import items, mapping

if TYPE_CHECKING:
    from collections.abc import Mapping


def is_empty(selector: Mapping[str, Any]) -> bool:
    """Whether a selector demands nothing."""
    return not selector.get("matchLabels") and not selector.get("matchExpressions")


def matches(selector: Mapping[str, Any], labels: Mapping[str, Any]) -> bool:
    """Whether labels fit a selector; what is null is an empty text."""
    given = {key: value or "" for key, value in labels.items()}
    return all(
        key in given and given[key] == (value or "")
        for key, value in mapping(selector.get("matchLabels")).items()
    ) and all(_fits(mapping(one), given) for one in items(selector.get("matchExpressions")))


def _fits(rule: Mapping[str, Any], labels: Mapping[str, Any]) -> bool:
    key, values = str(rule.get("key")), items(rule.get("values"))
    match rule.get("operator"):
        case "In":
            return key in labels and labels[key] in values
        case "NotIn":
            return labels.get(key) not in values
        case "Exists":
            return key in labels
        case "DoesNotExist":
            return key not in labels
    return True  # the schema reports other operators
