"""Find references of workloads that nothing in the catalog provides."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from commodore_py.manifests.objects import items, mapping, value_in

from .base import Issue, containers_in, pods_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from .base import Content, Item, Settings

NAME = "references"
_KINDS = {"ConfigMap", "Secret", "ServiceAccount", "PersistentVolumeClaim", "Service"}
# Kinds whose objects make others provide a Secret: its name is in one of these fields.
_PRODUCED = (
    ("spec", "secretName"),  # Certificate
    ("spec", "target", "name"),  # ExternalSecret
    ("spec", "writeConnectionSecretToRef", "name"),  # Crossplane
)
# A secret that an operator makes has the name of its own object.
_PRODUCERS = {"ExternalSecret", "SealedSecret", "VaultStaticSecret", "VaultDynamicSecret"}
_BUILT_IN = {("ConfigMap", "kube-root-ca.crt"), ("ServiceAccount", "default")}


def check(items_: Sequence[Item], _settings: Settings) -> Iterator[tuple[Item, Issue]]:
    """Everything that is named and not provided, once for each object and name."""
    provided: dict[tuple[str, str], set[str]] = {}
    for item in items_:
        for kind, name in _provided(item.content):
            provided.setdefault((kind, name), set()).add(item.id.namespace)
    for item in items_:
        seen: set[tuple[str, str]] = set()
        for kind, name, field in _named(item.content):
            if (kind, name) in _BUILT_IN or (kind, name) in seen:
                continue
            namespaces = provided.get((kind, name), set())
            # The namespace of some objects is only known on the cluster.
            if "" in namespaces:
                continue
            if namespaces and (not item.id.namespace or item.id.namespace in namespaces):
                continue
            seen.add((kind, name))
            elsewhere = f"; there is one in namespace {min(namespaces)}" if namespaces else ""
            yield (
                item,
                Issue(
                    "references/missing",
                    f"nothing here provides {kind} {name}{elsewhere}",
                    field,
                    "add it, or check the name",
                    subject=f"{kind} {name}",
                    value=name,
                ),
            )


def _provided(content: Content) -> Iterator[tuple[str, str]]:
    kind, metadata = content["kind"], mapping(content.get("metadata"))
    name = str(metadata.get("name"))
    if kind in _KINDS:
        yield kind, name
    if kind in _PRODUCERS:
        yield "Secret", name
    for path in _PRODUCED:
        value = value_in(content, *path)
        if isinstance(value, str) and kind != "Ingress":
            yield "Secret", value
    secret = mapping(metadata.get("annotations")).get(
        "service.beta.openshift.io/serving-cert-secret-name"
    )
    if isinstance(secret, str):
        yield "Secret", secret
    if kind == "StatefulSet":
        for claim in items(value_in(content, "spec", "volumeClaimTemplates")):
            yield "PersistentVolumeClaim", str(value_in(claim, "metadata", "name"))


def _named(content: Content) -> Iterator[tuple[str, str, str]]:
    for path, pod in pods_in(content):
        for kind, value, field in _of_pod(pod):
            if isinstance(value, str) and value:
                yield kind, value, f"{path}.{field}"
    if content["kind"] == "Ingress":
        for number, tls in enumerate(items(value_in(content, "spec", "tls"))):
            # An issuer provides the certificate where the Ingress says so.
            annotations = mapping(value_in(content, "metadata", "annotations"))
            issued = any("cert-manager.io/" in str(key) for key in annotations)
            name = mapping(tls).get("secretName")
            if isinstance(name, str) and not issued:
                yield "Secret", name, f"spec.tls[{number}].secretName"


def _of_pod(pod: Mapping[str, Any]) -> Iterator[tuple[str, object, str]]:
    yield "ServiceAccount", pod.get("serviceAccountName"), "serviceAccountName"
    for number, secret in enumerate(items(pod.get("imagePullSecrets"))):
        yield "Secret", mapping(secret).get("name"), f"imagePullSecrets[{number}].name"
    for number, volume in enumerate(items(pod.get("volumes"))):
        path = f"volumes[{number}]"
        yield from _of_sources(mapping(volume), path)
        for at, source in enumerate(items(value_in(volume, "projected", "sources"))):
            yield from _of_sources(mapping(source), f"{path}.projected.sources[{at}]")
    for path, container in containers_in(pod):
        yield from _of_container(container, path)


def _of_container(container: Mapping[str, Any], path: str) -> Iterator[tuple[str, object, str]]:
    for number, variable in enumerate(items(container.get("env"))):
        source = mapping(mapping(variable).get("valueFrom"))
        for key, kind in (("configMapKeyRef", "ConfigMap"), ("secretKeyRef", "Secret")):
            reference = mapping(source.get(key))
            if not reference.get("optional"):
                yield kind, reference.get("name"), f"{path}.env[{number}].valueFrom.{key}.name"
    for number, source in enumerate(items(container.get("envFrom"))):
        for key, kind in (("configMapRef", "ConfigMap"), ("secretRef", "Secret")):
            reference = mapping(mapping(source).get(key))
            if not reference.get("optional"):
                yield kind, reference.get("name"), f"{path}.envFrom[{number}].{key}.name"


def _of_sources(source: Mapping[str, Any], path: str) -> Iterator[tuple[str, object, str]]:
    # Projected sources have another name for it.
    secret_key = "secretName" if "secretName" in mapping(source.get("secret")) else "name"
    for key, kind, name in (
        ("configMap", "ConfigMap", "name"),
        ("secret", "Secret", secret_key),
        ("persistentVolumeClaim", "PersistentVolumeClaim", "claimName"),
    ):
        reference = mapping(source.get(key))
        if reference and not reference.get("optional"):
            yield kind, reference.get(name), f"{path}.{key}.{name}"
