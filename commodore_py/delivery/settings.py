"""`parameters.commodore.delivery`: the drivers, their settings and the clusters (pure)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from commodore_py.manifests.objects import mapping, value_in

from .findings import Finding, Shapes, near

if TYPE_CHECKING:
    from collections.abc import Mapping

    from commodore_py.model.spot import ParameterPath

DELIVERY: ParameterPath = ("commodore", "delivery")
DRIVERS = ("argocd", "flux", "plain")

_CHOICES: Mapping[tuple[str, ...], tuple[str, ...]] = {
    ("unlisted",): ("last", "error"),
    ("argocd", "rendering"): ("auto", "waves", "nested"),
    ("argocd", "health_rule"): ("catalog", "external"),
    ("argocd", "gate"): ("create", "update"),
    ("argocd", "deletion"): ("keep", "confirm", "prune"),
}
"""The first is the default."""
PLUGIN = ("argocd", "plugin")
"""What reveals secret references; `false`, here an empty word, for none."""
_TEXTS: Mapping[tuple[str, ...], str] = {
    PLUGIN: "kapitan",
    ("flux", "namespace"): "flux-system",
    ("flux", "source"): "catalog",
}
_CLUSTER: Mapping[str, type] = {
    "server": str,
    "labels": dict,
    "prefix": str,
    "credentials": dict,
    "namespaces": list,
    "clusterResources": bool,
    "project": str,
    "kubeconfig": dict,
}
_SECRETS = ("bearerToken", "password", "keyData")


@dataclass(frozen=True, slots=True)
class Cluster:
    """A remote cluster, as Argo CD and Flux reach it."""

    name: str
    server: str = ""
    labels: tuple[tuple[str, str], ...] = ()
    """By key, which makes names deterministic."""
    prefix: str = "cluster"
    credentials: Mapping[str, Any] = field(default_factory=dict)
    namespaces: tuple[str, ...] = ()
    cluster_resources: bool | None = None
    project: str = ""
    kubeconfig: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings for rendering a plan."""

    drivers: tuple[str, ...]
    words: Mapping[tuple[str, ...], str]
    clusters: Mapping[str, Cluster]
    unlisted_is_set: bool = False

    def word(self, *path: str) -> str:
        """A setting that is a word."""
        return self.words[path]


class _Reader(Shapes):
    def __init__(self) -> None:
        super().__init__(unknown="plan/setting", wrong="plan/setting")

    def settings(self, given: Any) -> Settings:
        types: dict[str, type] = {"driver": object, "unlisted": object, "clusters": dict}
        groups = dict.fromkeys(("argocd", "flux"), dict)
        given = self._mapping(given, types | groups, DELIVERY)
        paths = (*_CHOICES, *_TEXTS)
        for group in groups:
            inside = {path[1]: object for path in paths if path[0] == group}
            self._mapping(given.get(group), inside, (*DELIVERY, group))
        defaults = {**{path: choices[0] for path, choices in _CHOICES.items()}, **_TEXTS}
        return Settings(
            self._drivers(given.get("driver", "argocd")),
            {path: self._word(given, path, default) for path, default in defaults.items()},
            {
                str(name): self._cluster(str(name), c)
                for name, c in given.get("clusters", {}).items()
            },
            "unlisted" in given,
        )

    def _drivers(self, given: Any) -> tuple[str, ...]:
        names = given if isinstance(given, list) else [given]
        at = (*DELIVERY, "driver")
        for name in names:
            if name not in DRIVERS:
                self.add("plan/setting", f"{name} is not a driver", at, near(str(name), DRIVERS))
        return tuple(dict.fromkeys(name for name in names if name in DRIVERS))

    def _word(self, given: Mapping[str, Any], path: tuple[str, ...], default: str) -> str:
        value = value_in(given, *path)
        if value is None:
            return default
        if value is False and path == PLUGIN:
            return ""
        choices = _CHOICES.get(path, ())
        if not isinstance(value, str) or (choices and value not in choices):
            message = f"{value} is not a value of {path[-1]}"
            self.add("plan/setting", message, (*DELIVERY, *path), near(str(value), choices))
            return default
        return value

    def _cluster(self, name: str, given: Any) -> Cluster:
        fields = self._mapping(given, _CLUSTER, (*DELIVERY, "clusters", name))
        labels = {str(key): str(value) for key, value in fields.get("labels", {}).items()}
        return Cluster(
            name,
            fields.get("server", ""),
            tuple(sorted(labels.items())),
            fields.get("prefix") or "cluster",
            fields.get("credentials", {}),
            tuple(map(str, fields.get("namespaces", ()))),
            fields.get("clusterResources"),
            fields.get("project", ""),
            {str(key): str(value) for key, value in fields.get("kubeconfig", {}).items()},
        )

    def _mapping(self, value: Any, types: Mapping[str, type], at: ParameterPath) -> dict[str, Any]:
        if not isinstance(value, dict | None):
            self.add("plan/setting", f"{at[-1]} is not a mapping", at)
        return self.fields(mapping(value), types, at, f"a setting of {at[-1]}")


def settings_of(given: Any) -> tuple[Settings, list[Finding]]:
    """The settings, and what is wrong with them; invalid ones have their defaults."""
    reader = _Reader()
    return reader.settings(given), reader.findings


def credential_findings(cluster: Cluster) -> list[Finding]:
    """Credentials that are not secret references; their values are never shown."""
    at = (*DELIVERY, "clusters", cluster.name, "credentials")
    findings = []
    for key, value in _pairs(cluster.credentials):
        text = str(value)
        plain = key in _SECRETS and not (text.startswith("?{vaultkv:") and text.endswith("}"))
        inside = not text.startswith("?{") and "?{" in text
        if plain or inside:
            what = "is not one whole secret reference"
            remedy = "write ?{vaultkv:PATH/KEY} and nothing else"
            findings.append(
                Finding(
                    "plan/credential", f"{key} of cluster {cluster.name} {what}", (*at, key), remedy
                )
            )
    tls = cluster.credentials.get("tlsClientConfig", {})
    if not isinstance(tls, dict):
        message = f"tlsClientConfig of cluster {cluster.name} is not a mapping"
        findings.append(Finding("plan/credential", message, (*at, "tlsClientConfig")))
    keys = dict(_pairs(cluster.credentials))
    if keys.get("insecure") and "caData" in keys:
        message = f"cluster {cluster.name} has both caData and insecure"
        findings.append(Finding("plan/credential", message, at, "remove one of them"))
    return findings


def _pairs(value: Mapping[str, Any]) -> list[tuple[str, Any]]:
    pairs: list[tuple[str, Any]] = []
    for key, item in value.items():
        pairs += _pairs(item) if isinstance(item, dict) else [(str(key), item)]
    return pairs
