"""Objects of tests, from YAML."""

from __future__ import annotations

from typing import Any

from commodore_py.manifests.objects import KubeObject, identify


def make_object(kind: str, name: str = "one", **fields: Any) -> KubeObject:  # noqa: ANN401 - any field
    """An object: `make_object("apps/v1 Deployment", "web", spec={})`."""
    version, _, word = kind.partition(" ")
    metadata = {"name": name, **fields.pop("metadata", {})}
    content = {"apiVersion": version, "kind": word, "metadata": metadata, **fields}
    id_ = identify(content)
    assert id_ is not None
    return KubeObject(id_, content)


def annotated(kind: str, name: str = "one", namespace: str = "", **annotations: str) -> KubeObject:
    """An object with annotations of Argo CD: `annotated("v1 Pod", sync_wave="1")`."""
    named = {
        f"argocd.argoproj.io/{key.replace('_', '-')}": value for key, value in annotations.items()
    }
    metadata = {"annotations": named, **({"namespace": namespace} if namespace else {})}
    return make_object(kind, name, metadata=metadata)
