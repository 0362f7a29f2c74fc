"""Pods: names that are used in them, resources, tolerations and name servers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from commodore_py.checks.base import containers_in, mapping
from commodore_py.manifests import quantities

from .issues import each, fields_of, missing, spec_of, twice, wrong

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from commodore_py.checks.base import Content, Issue

_ONCE = ("Never", "OnFailure")


def pod_issues(path: str, pod: Mapping[str, Any], content: Content) -> Iterator[Issue]:
    """What does not fit together in the specification of pods."""
    yield from _restarts(f"{path}.restartPolicy", pod, content)
    volumes = fields_of(pod.get("volumes"), "name")
    yield from twice(f"{path}.volumes", volumes, "volume")
    for number, volume in each(pod.get("volumes")):
        yield from _projected(f"{path}.volumes[{number}]", volume)
    for _, claim in each(spec_of(content).get("volumeClaimTemplates")):
        volumes.append(mapping(claim.get("metadata")).get("name"))
    containers = list(containers_in(pod))
    yield from twice(f"{path}.containers", [one.get("name") for _, one in containers], "container")
    for place, one in containers:
        yield from _container(f"{path}.{place}", one, volumes)
    spread = [
        f"{one.get('topologyKey')}, {one.get('whenUnsatisfiable')}"
        for _, one in each(pod.get("topologySpreadConstraints"))
    ]
    yield from twice(f"{path}.topologySpreadConstraints", spread, "constraint")
    for number, one in each(pod.get("tolerations")):
        yield from _toleration(f"{path}.tolerations[{number}]", one)
    if pod.get("dnsPolicy") == "None" and not mapping(pod.get("dnsConfig")).get("nameservers"):
        yield missing(f"{path}.dnsConfig", "nameservers", ": dnsPolicy is None")


def _restarts(field: str, pod: Mapping[str, Any], content: Content) -> Iterator[Issue]:
    """Pods of jobs end, those of other workloads do not."""
    policy, group = pod.get("restartPolicy"), content["apiVersion"].rpartition("/")[0]
    if group == "batch" and policy in (None, "", "Always"):
        yield wrong(field, "pods of a job cannot be restarted always", options=_ONCE)
    elif content["kind"] != "Pod" and group in ("", "apps") and policy in _ONCE:
        yield wrong(field, "these pods are always restarted", options=("Always",))


def _container(field: str, one: Mapping[str, Any], volumes: list[object]) -> Iterator[Issue]:
    for number, mount in each(one.get("volumeMounts")):
        if mount.get("name") and mount["name"] not in volumes:
            name = str(mount["name"])
            yield wrong(
                f"{field}.volumeMounts[{number}].name", f"there is no volume {name}", subject=name
            )
    paths = fields_of(one.get("volumeMounts"), "mountPath")
    yield from twice(f"{field}.volumeMounts", paths, "path")
    yield from twice(f"{field}.ports", fields_of(one.get("ports"), "name"), "port")
    yield from _resources(f"{field}.resources", mapping(one.get("resources")))
    for probe in ("livenessProbe", "startupProbe"):
        if mapping(one.get(probe)).get("successThreshold") not in (None, 0, 1):
            yield wrong(f"{field}.{probe}.successThreshold", "it must be 1")


def _projected(field: str, volume: Mapping[str, Any]) -> Iterator[Issue]:
    """Files of a projected volume have paths of their own."""
    paths = []
    for _, source in each(mapping(volume.get("projected")).get("sources")):
        for kind in ("configMap", "downwardAPI", "secret"):
            paths += fields_of(mapping(source.get(kind)).get("items"), "path")
    yield from twice(f"{field}.projected.sources", paths, "path")


def _resources(field: str, resources: Mapping[str, Any]) -> Iterator[Issue]:
    """Nothing is negative, and limits are not below requests."""
    limits, requests = mapping(resources.get("limits")), mapping(resources.get("requests"))
    for key, values in (("limits", limits), ("requests", requests)):
        for name, value in values.items():
            size = quantities.parse(value)
            if size is not None and (size < 0 or (_is_whole(name) and size.denominator != 1)):
                yield wrong(f"{field}.{key}.{name}", "it is negative, or not whole", subject=name)
    for name, value in requests.items():
        limit = quantities.parse(limits[name] or 0) if name in limits else None
        least = quantities.parse(value or 0)
        at = f"{field}.requests.{name}"
        if limit is not None and least is not None and least > limit:
            yield wrong(at, f"more {name} is requested than the limit", subject=name)
        elif (_is_whole(name) or name.startswith("hugepages-")) and (
            name not in limits or (least is not None and limit is not None and (least != limit))
        ):
            yield wrong(at, f"of {name}, the limit must be what is requested", subject=name)


def _is_whole(name: str) -> bool:
    """Whether it is one of the resources that others add, such as cards."""
    return "/" in name and "kubernetes.io/" not in name


def _toleration(field: str, one: Mapping[str, Any]) -> Iterator[Issue]:
    if not one.get("key") and one.get("operator") != "Exists":
        yield wrong(f"{field}.operator", "without a key, it must be Exists")
    elif one.get("operator") == "Exists" and one.get("value"):
        yield wrong(f"{field}.value", "Exists has no value")
    if one.get("tolerationSeconds") is not None and one.get("effect") != "NoExecute":
        yield wrong(f"{field}.effect", "with tolerationSeconds, it must be NoExecute")
