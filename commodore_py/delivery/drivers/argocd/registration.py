"""A remote cluster as Argo CD knows it: names, and the Secret that registers it (pure)."""

from __future__ import annotations

import hashlib
import json
import re
from ipaddress import IPv6Address
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from commodore_py.delivery.findings import Finding
from commodore_py.delivery.settings import DELIVERY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from commodore_py.delivery.settings import Cluster

LABEL = "commodore-py/cluster"
_DNS_NAME = re.compile(r"[a-z0-9](?:[-.a-z0-9]{0,251}[a-z0-9])?")
_TLS = ("insecure", "serverName", "caData", "certData", "keyData")


def server_name(cluster: Cluster) -> str:
    """The name that destinations refer to."""
    values = ":".join(value for _, value in cluster.labels)
    return f"{cluster.name}-{values}" if values else cluster.name


def label_of(cluster: Cluster) -> str:
    """A value of a label, which a server name may be too long for."""
    return f"cluster-{hashlib.sha256(server_name(cluster).encode()).digest()[:8].hex()}"


def secret_name(cluster: Cluster) -> str:
    """As Argo CD's command line names the Secret of a cluster: host and FNV-1a of the URL."""
    number = 0x811C9DC5
    for byte in cluster.server.encode():
        number = (number ^ byte) * 0x01000193 & 0xFFFFFFFF
    return f"{cluster.prefix}-{_host(cluster.server).replace(':', '-')}-{number}"


def _host(server: str) -> str:
    host = urlsplit(server).hostname or ""
    return str(IPv6Address(host)) if ":" in host else host


def secret_of(
    cluster: Cluster, namespace: str, complete: Callable[[Any], Any]
) -> dict[str, object]:
    """The Secret; credentials are secret references, which a plugin of Argo CD replaces."""
    given: dict[str, Any] = complete(dict(cluster.credentials))
    tls = {key: given.pop(key) for key in _TLS if key in given}
    if tls or "tlsClientConfig" in given:
        given["tlsClientConfig"] = {**given.get("tlsClientConfig", {}), **tls}
    data = {
        "name": server_name(cluster),
        "server": cluster.server,
        "config": json.dumps(given, separators=(",", ":"), sort_keys=True),
    }
    if cluster.namespaces:
        data["namespaces"] = ",".join(cluster.namespaces)
    if cluster.cluster_resources is not None:
        data["clusterResources"] = str(cluster.cluster_resources).lower()
    if cluster.project:
        data["project"] = cluster.project
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {
            "labels": {
                "argocd.argoproj.io/secret-type": "cluster",
                LABEL: label_of(cluster),
            },
            "name": secret_name(cluster),
            "namespace": namespace,
        },
        "stringData": data,
        "type": "Opaque",
    }


def cluster_findings(clusters: tuple[Cluster, ...]) -> Iterator[Finding]:
    """Servers that cannot be registered, and clusters that would have one name."""
    taken: dict[str, str] = {}
    for cluster in clusters:
        path = (*DELIVERY, "clusters", cluster.name, "server")
        problem = problem_of(cluster.server)
        if problem:
            remedy = "write a URL such as https://cluster.example.com:6443"
            yield Finding(
                "plan/server", f"the server of cluster {cluster.name} {problem}", path, remedy
            )
            continue
        if not _DNS_NAME.fullmatch(secret_name(cluster)):
            message = f"{secret_name(cluster)} is not a valid name of a Secret"
            yield Finding("plan/server", message, path, "change prefix or server")
        for name in dict.fromkeys((server_name(cluster), secret_name(cluster), label_of(cluster))):
            other = taken.setdefault(name, cluster.name)
            if other != cluster.name:
                message = f"clusters {other} and {cluster.name} would both be called {name}"
                yield Finding("plan/alias", message, path, "change a name, a label or a server")


def problem_of(server: str) -> str:
    """Why a server cannot be registered."""
    try:
        parts = urlsplit(server)
        _host(server)
    except ValueError:
        return "is not a URL"
    if not server or parts.scheme not in {"http", "https"} or not parts.hostname:
        return "is not an absolute URL with a host"
    return "has user information" if parts.username or parts.password else ""
