"""How much there may be of what: autoscalers, budgets, limits and quotas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from commodore_py.checks.base import mapping
from commodore_py.checks.formats.texts import COUNTED
from commodore_py.manifests import quantities

from .issues import each, fields_of, is_set, missing, spec_of, twice, wrong

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from fractions import Fraction

    from commodore_py.checks.base import Content, Issue

_MOST = (1 << 63) // 1000
"""More is not counted."""
_VALUES = {
    "resource": ("averageUtilization", "averageValue"),
    "containerResource": ("averageUtilization", "averageValue"),
    "pods": ("averageValue",),
    "object": ("averageValue", "value"),
    "external": ("averageValue", "value"),
}
"""The values of which a metric must have one."""


def quota_issues(content: Content) -> Iterator[Issue]:
    """Objects are counted in whole numbers, and nothing is negative."""
    for name, value in mapping(spec_of(content).get("hard")).items():
        size = quantities.parse(value)
        if size is not None and size < 0:
            yield wrong(f"spec.hard.{name}", "it must not be less than 0")
        elif size is not None and name in COUNTED and (size.denominator != 1 or size > _MOST):
            yield wrong(f"spec.hard.{name}", "it must be an integer")


def limit_issues(content: Content) -> Iterator[Issue]:
    """There is one limit for a type, and its values are in order."""
    limits = spec_of(content).get("limits")
    yield from twice("spec.limits", fields_of(limits, "type"), "type")
    for number, limit in each(limits):
        sizes: dict[str, tuple[str, Fraction]] = {}
        for key in ("min", "defaultRequest", "default", "max"):
            field = f"spec.limits[{number}].{key}"
            if limit.get("type") == "Pod" and key.startswith("default") and limit.get(key):
                yield wrong(field, "there are no defaults for all containers of a pod")
            for name, value in mapping(limit.get(key)).items():
                size = quantities.parse(value or 0)
                before, least = sizes.get(name, ("", size))
                if size is not None and least is not None:
                    if size < least:
                        yield wrong(f"{field}.{name}", f"it is less than {before}", subject=name)
                    sizes[name] = key, size


def budget_issues(content: Content) -> Iterator[Issue]:
    """A budget has one number."""
    spec = spec_of(content)
    if spec.get("minAvailable") is not None and spec.get("maxUnavailable") is not None:
        yield wrong("spec", "only one of these may be set: maxUnavailable, minAvailable")


def scaling_issues(content: Content) -> Iterator[Issue]:
    """Limits are in order, the scaled object is in a group, and metrics have a target."""
    spec = spec_of(content)
    if (spec.get("minReplicas") or 1) > (spec.get("maxReplicas") or 1):
        yield wrong("spec.maxReplicas", "it is less than minReplicas")
    scaled = mapping(spec.get("scaleTargetRef"))
    group = str(scaled.get("apiVersion") or "").rpartition("/")[0]
    if not group and scaled.get("kind") != "ReplicationController":
        yield wrong("spec.scaleTargetRef.apiVersion", "it has no group", "write it as apps/v1")
    for number, one in each(spec.get("metrics")):
        for name, values in _VALUES.items():
            if one.get(name) is not None:
                target = mapping(mapping(one[name]).get("target"))
                yield from _target(f"spec.metrics[{number}].{name}.target", target, values)
    for way, rules in mapping(spec.get("behavior")).items():
        if mapping(rules).get("policies") == []:
            yield wrong(f"spec.behavior.{way}.policies", "it is empty")


def _target(field: str, target: Mapping[str, Any], values: tuple[str, ...]) -> Iterator[Issue]:
    if not any(is_set(target.get(one)) for one in values):
        yield missing(field, " or ".join(values))
    for name in ("averageValue", "value"):
        size = quantities.parse(target.get(name))
        if size is not None and size <= 0:
            yield wrong(f"{field}.{name}", "it must be more than 0")
