"""A made-up cluster, and facts given as options (pure)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from commodore_py.adapters import yaml

from .hierarchy import Assumption

_TENANT, _CLUSTER = "t-foo", "c-bar"
_FACTS = {
    "distribution": "x-fake-distribution",
    "cloud": "x-fake-cloud",
    "region": "x-fake-region",
    "lieutenant-instance": "lieutenant-prod",
}


@dataclass(frozen=True, slots=True)
class FakeCluster:
    """Parameters of a cluster that may not exist."""

    tenant: str
    cluster: str
    parameters: dict[str, Any]
    assumptions: tuple[Assumption, ...]


def fake_cluster(tenant: str = "", cluster: str = "") -> FakeCluster:
    """A cluster with these ids, if given; Commodore's default values for the rest."""
    parameters = {
        "parameters": {
            "cluster": {
                "catalog_url": "not-a-real-repo",
                "display_name": "Foo Inc. Bar cluster",
                "name": cluster or _CLUSTER,
                "tenant": tenant or _TENANT,
                "tenant_display_name": "Foo Inc.",
            },
            "dynamic_facts": {},
            "facts": _FACTS,
        }
    }
    assumed = {f"facts.{name}": _FACTS[name] for name in ("distribution", "cloud", "region")}
    if not tenant:
        assumed["cluster.tenant"] = _TENANT
    if not cluster:
        assumed["cluster.name"] = _CLUSTER
    assumptions = tuple(Assumption(parameter, value) for parameter, value in assumed.items())
    return FakeCluster(tenant or _TENANT, cluster or _CLUSTER, parameters, assumptions)


def class_of_facts(facts: Mapping[str, Any]) -> bytes:
    """A class in which given facts override those known so far."""
    return yaml.dump({"parameters": {"facts": _winning(facts)}})


def overlaid(known: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Known facts with given ones over them."""
    result = dict(known)
    for name, value in given.items():
        below = known.get(name)
        nested = isinstance(value, Mapping) and isinstance(below, Mapping)
        result[name] = overlaid(below or {}, value) if nested else value
    return result


def _winning(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Mappings are merged, anything else replaces what there is."""
    return {
        name if isinstance(value, Mapping) else f"~{name}": _winning(value)
        if isinstance(value, Mapping)
        else value
        for name, value in facts.items()
    }
