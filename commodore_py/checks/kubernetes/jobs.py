"""Jobs: how often they run, and which failures count."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from commodore_py.checks.base import containers_in, items, mapping, pods_in
from commodore_py.checks.formats.texts import accepts

from .issues import each, missing, spec_of, wrong

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from commodore_py.checks.base import Content, Issue

_MOST = 100_000
"""Pods of an indexed job at a time."""


def job_issues(content: Content) -> Iterator[Issue]:
    """What the fields of a job demand of each other."""
    for path, pod in pods_in(content):
        field = path.removesuffix(".template.spec")
        spec = spec_of(content)
        if content["kind"] == "CronJob":
            spec = mapping(mapping(spec.get("jobTemplate")).get("spec"))
        if spec.get("completionMode") == "Indexed":
            yield from _indexed(field, spec)
            if content["kind"] == "Job":
                yield from _pod_name(content, spec)
        elif spec.get("backoffLimitPerIndex") is not None:
            yield wrong(f"{field}.backoffLimitPerIndex", "it needs completionMode: Indexed")
        yield from _failures(field, spec, pod)


def _indexed(field: str, spec: Mapping[str, Any]) -> Iterator[Issue]:
    completions = spec.get("completions")
    if completions is None:
        yield missing(field, "completions", ": the job is indexed")
    if (spec.get("parallelism") or 0) > _MOST:
        yield wrong(f"{field}.parallelism", f"it must be {_MOST} at most: the job is indexed")
    if (
        (completions or 0) > _MOST
        and spec.get("backoffLimitPerIndex") is not None
        and spec.get("maxFailedIndexes") is None
    ):
        yield missing(field, "maxFailedIndexes", f": there are more than {_MOST} completions")


def _pod_name(content: Content, spec: Mapping[str, Any]) -> Iterator[Issue]:
    """The names of pods begin with the one of the job, and end with the index."""
    name = mapping(content.get("metadata")).get("name")
    last = max(0, (spec.get("completions") or 0) - 1)
    if name and not accepts("label")(f"{name}-{last}"):
        text = f"pods are named after it, and {name}-{last} is not a valid name for them"
        yield wrong("metadata.name", text, subject=str(name))


def _failures(field: str, spec: Mapping[str, Any], pod: Mapping[str, Any]) -> Iterator[Issue]:
    policy = spec.get("podFailurePolicy")
    if policy is not None and pod.get("restartPolicy") != "Never":
        text = "with podFailurePolicy, pods are not restarted"
        yield wrong(f"{field}.template.spec.restartPolicy", text, options=("Never",))
    names = [one.get("name") for _, one in containers_in(pod)]
    for number, rule in each(mapping(policy).get("rules")):
        at = f"{field}.podFailurePolicy.rules[{number}]"
        codes = rule.get("onExitCodes")
        if (codes is None) == (not rule.get("onPodConditions")):
            yield wrong(at, "exactly one must be set: onExitCodes, onPodConditions")
        if codes is not None:
            yield from _codes(f"{at}.onExitCodes", mapping(codes), names)


def _codes(field: str, codes: Mapping[str, Any], names: list[Any]) -> Iterator[Issue]:
    container = codes.get("containerName")
    if container is not None and container not in names:
        yield wrong(f"{field}.containerName", "there is no container of this name")
    values = [one or 0 for one in items(codes.get("values"))]
    if not values:
        yield wrong(f"{field}.values", "it is empty")
    elif codes.get("operator") == "In" and 0 in values:
        yield wrong(f"{field}.values", "0 is not a failure")
    elif values != sorted(set(values)):
        yield wrong(f"{field}.values", "they must be in order, each once")
