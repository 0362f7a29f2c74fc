"""Workloads: which pods they select, and how they replace them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from commodore_py.checks.base import items, mapping

from .issues import missing, spec_of, wrong

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from commodore_py.checks.base import Content, Issue

_LABELS = "spec.template.metadata.labels"
_DEADLINE = 600
_NONE = re.compile(r"0+%?")


def selector_issues(content: Content) -> Iterator[Issue]:
    """The selector matches the labels of the template."""
    spec = spec_of(content)
    selector = mapping(spec.get("selector"))
    if is_empty(selector):
        yield wrong("spec.selector", "it selects nothing", "write matchLabels of the template")
    elif not matches(selector, _labels(spec)):
        yield _not_matched()


def old_selector_issues(content: Content) -> Iterator[Issue]:
    """The selector of a ReplicationController is a mapping of labels; the template may set it."""
    spec = spec_of(content)
    if spec.get("template") is None:
        yield missing("spec", "template")
    elif not spec.get("selector") and not _labels(spec):
        yield missing("spec", "selector")
    elif not matches({"matchLabels": spec.get("selector")}, _labels(spec)):
        yield _not_matched()


def deadline_issues(content: Content) -> Iterator[Issue]:
    """Progress takes longer than it takes to be available."""
    spec = spec_of(content)
    deadline = spec.get("progressDeadlineSeconds")
    if (_DEADLINE if deadline is None else deadline) <= (spec.get("minReadySeconds") or 0):
        yield wrong("spec.progressDeadlineSeconds", "it must be more than minReadySeconds")


def update_issues(content: Content) -> Iterator[Issue]:
    """Pods are replaced either after or before others are there."""
    update = _rolling(content, "strategy")
    if _is_zero(update.get("maxUnavailable")) and _is_zero(update.get("maxSurge")):
        yield wrong(
            "spec.strategy.rollingUpdate.maxUnavailable", "it must not be 0 where maxSurge is 0"
        )


def daemon_update_issues(content: Content) -> Iterator[Issue]:
    """Nodes have one pod less, or one more, never both."""
    update = _rolling(content, "updateStrategy")
    field = "spec.updateStrategy.rollingUpdate"
    surges = not _is_zero(update.get("maxSurge") or 0)
    if _is_zero(update.get("maxUnavailable")) and not surges:
        yield wrong(f"{field}.maxUnavailable", "it must not be 0 where maxSurge is 0")
    elif surges and not _is_zero(update.get("maxUnavailable")):
        yield wrong(f"{field}.maxSurge", "it must be 0 unless maxUnavailable is 0")


def _rolling(content: Content, field: str) -> Mapping[str, Any]:
    return mapping(mapping(spec_of(content).get(field)).get("rollingUpdate"))


def _is_zero(value: object) -> bool:
    return value == 0 or (isinstance(value, str) and _NONE.fullmatch(value) is not None)


def _labels(spec: Mapping[str, Any]) -> Mapping[str, Any]:
    return mapping(mapping(mapping(spec.get("template")).get("metadata")).get("labels"))


def _not_matched() -> Issue:
    text = "the selector does not match these labels"
    return wrong(_LABELS, text, "write the labels of spec.selector")


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
