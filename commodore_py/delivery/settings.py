"""`parameters.commodore.delivery`: the drivers, their settings and the clusters (pure)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from commodore_py.manifests.objects import value_in

from .findings import Finding, near

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
_WORDS = {str: "text", dict: "a mapping", list: "a list", bool: "true or false"}
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


class _Reader:
    def __init__(self) -> None:
        self.findings: list[Finding] = []

    def settings(self, given: Any) -> Settings:
        given = self._mapping(given, DELIVERY)
        allowed = {"driver", "clusters", *(path[0] for path in (*_CHOICES, *_TEXTS))}
        self._known(given, allowed, DELIVERY)
        words: dict[tuple[str, ...], str] = {}
        for path, default in {**{p: c[0] for p, c in _CHOICES.items()}, **_TEXTS}.items():
            words[path] = self._word(given, path, default)
        for group in ("argocd", "flux"):
            inside = {p[1] for p in (*_CHOICES, *_TEXTS) if p[0] == group}
            at = (*DELIVERY, group)
            self._known(self._mapping(given.get(group), at), inside, at)
        at = (*DELIVERY, "clusters")
        clusters = self._mapping(given.get("clusters"), at)
        return Settings(
            self._drivers(given.get("driver", "argocd")),
            words,
            {str(name): self._cluster(str(name), fields) for name, fields in clusters.items()},
            "unlisted" in given,
        )

    def _drivers(self, given: Any) -> tuple[str, ...]:
        names = given if isinstance(given, list) else [given]
        at = (*DELIVERY, "driver")
        for name in names:
            if name not in DRIVERS:
                self._wrong(f"{name} is not a driver", at, near(str(name), DRIVERS))
        return tuple(dict.fromkeys(name for name in names if name in DRIVERS))

    def _word(self, given: Mapping[str, Any], path: tuple[str, ...], default: str) -> str:
        value = value_in(given, *path)
        if value is None:
            return default
        if value is False and path == PLUGIN:
            return ""
        choices = _CHOICES.get(path, ())
        if not isinstance(value, str) or (choices and value not in choices):
            self._wrong(
                f"{value} is not a value of {path[-1]}",
                (*DELIVERY, *path),
                near(str(value), choices),
            )
            return default
        return value

    def _cluster(self, name: str, given: Any) -> Cluster:
        at = (*DELIVERY, "clusters", name)
        given = self._mapping(given, at)
        self._known(given, set(_CLUSTER), at)
        for key, kind in _CLUSTER.items():
            value = given.get(key)
            if value is not None and not isinstance(value, kind):
                self._wrong(f"{key} of cluster {name} is not {_WORDS[kind]}", (*at, key))
                given = {other_key: field for other_key, field in given.items() if other_key != key}
        labels = {str(key): str(value) for key, value in (given.get("labels") or {}).items()}
        return Cluster(
            name,
            given.get("server") or "",
            tuple(sorted(labels.items())),
            given.get("prefix") or "cluster",
            given.get("credentials") or {},
            tuple(map(str, given.get("namespaces") or ())),
            given.get("clusterResources"),
            given.get("project") or "",
            {str(key): str(value) for key, value in (given.get("kubeconfig") or {}).items()},
        )

    def _mapping(self, value: Any, at: ParameterPath) -> dict[str, Any]:
        if value is None or isinstance(value, dict):
            return value or {}
        self._wrong(f"{at[-1]} is not a mapping", at)
        return {}

    def _known(self, value: Mapping[str, Any], allowed: set[str], at: ParameterPath) -> None:
        for word in value:
            if word not in allowed:
                self._wrong(
                    f"{word} is not a setting of {at[-1]}", (*at, word), near(str(word), allowed)
                )

    def _wrong(self, message: str, at: ParameterPath, remedy: str = "") -> None:
        self.findings.append(Finding("plan/setting", message, at, remedy))


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
