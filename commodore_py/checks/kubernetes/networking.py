"""Services, their addresses, and network policies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from commodore_py.checks.base import items
from commodore_py.checks.formats.texts import accepts

from .issues import each, fields_of, is_set, missing, spec_of, twice, wrong

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from commodore_py.checks.base import Content, Issue

_WAYS = (("ingress", "from"), ("egress", "to"))
_OUTER = ("NodePort", "LoadBalancer")
_BALANCED = (
    "allocateLoadBalancerNodePorts",
    "loadBalancerClass",
    "loadBalancerSourceRanges",
)
_ADDRESSES = ("IPv4", "IPv6", "FQDN")


def service_issues(content: Content) -> Iterator[Issue]:
    """A service has ports, and only fields of its type."""
    spec = spec_of(content)
    kind = spec.get("type") or "ClusterIP"
    ports = spec.get("ports")
    if not ports and kind != "ExternalName" and spec.get("clusterIP") != "None":
        yield missing("spec", "ports")
    if kind == "ExternalName" and not spec.get("externalName"):
        yield missing("spec", "externalName")
    for number, port in each(ports):
        if len(items(ports)) > 1 and not port.get("name"):
            yield missing(f"spec.ports[{number}]", "name", ": there are several ports")
        if is_set(port.get("nodePort")) and kind not in _OUTER:
            yield wrong(f"spec.ports[{number}].nodePort", f"a {kind} has no ports of nodes")
    yield from twice("spec.ports", fields_of(ports, "name"), "port")
    for key in ("port", "nodePort"):
        used = [
            f"{one[key]}/{one.get('protocol') or 'TCP'}" for _, one in each(ports) if one.get(key)
        ]
        yield from twice("spec.ports", used, "port")
    yield from _of_type(spec, kind)


def _of_type(spec: Mapping[str, Any], kind: str) -> Iterator[Issue]:
    """Fields that other types of services do not have."""
    if kind != "LoadBalancer":
        for name in _BALANCED:
            if spec.get(name) not in (None, []):
                yield wrong(f"spec.{name}", "only a LoadBalancer has it")
    policy = spec.get("externalTrafficPolicy")
    if policy and kind not in _OUTER and not spec.get("externalIPs"):
        yield wrong("spec.externalTrafficPolicy", "the service is not reached from outside")
    if spec.get("healthCheckNodePort") and (kind != "LoadBalancer" or policy != "Local"):
        text = "only a LoadBalancer with externalTrafficPolicy: Local has it"
        yield wrong("spec.healthCheckNodePort", text)


def address_issues(content: Content) -> Iterator[Issue]:
    """Addresses are of the type of their slice."""
    yield from twice("ports", fields_of(content.get("ports"), "name"), "port")
    kind = str(content.get("addressType"))
    if kind not in _ADDRESSES:
        return  # the schema reports it
    accepted = accepts(f"{kind.lower()}-address")
    for number, one in each(content.get("endpoints")):
        for index, address in enumerate(items(one.get("addresses"))):
            if not address or not accepted(address):
                field = f"endpoints[{number}].addresses[{index}]"
                yield wrong(field, f"it is not an address of type {kind}")


def peer_issues(content: Content) -> Iterator[Issue]:
    """A peer is a block of addresses or selected; the last port is not before the first."""
    if len(items(spec_of(content).get("policyTypes"))) > len(_WAYS):
        yield wrong("spec.policyTypes", "there are two of them")
    for way, key in _WAYS:
        for number, rule in each(spec_of(content).get(way)):
            field = f"spec.{way}[{number}]"
            for index, peer in each(rule.get(key)):
                yield from _peer(f"{field}.{key}[{index}]", peer)
            for index, port in each(rule.get("ports")):
                yield from _last_port(f"{field}.ports[{index}].endPort", port)


def _peer(field: str, peer: Mapping[str, Any]) -> Iterator[Issue]:
    chosen = [name for name, value in peer.items() if value is not None]
    if not chosen:
        yield wrong(field, "it selects nothing")
    elif "ipBlock" in chosen and len(chosen) > 1:
        yield wrong(field, "ipBlock excludes the other fields")


def _last_port(field: str, port: Mapping[str, Any]) -> Iterator[Issue]:
    first, last = port.get("port"), port.get("endPort")
    if last is not None:
        if not isinstance(first, int):
            yield wrong(field, "it needs a number as port")
        elif last < first:
            yield wrong(field, "it is less than port")
