"""What is not compared: what the server writes, forms of Secrets, roles and Endpoints (pure)."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any, TypeAlias

from commodore_py.manifests.objects import split_version
from commodore_py.manifests.secret_parts import LAST_APPLIED

if TYPE_CHECKING:
    from commodore_py.manifests.objects import Content

_Object: TypeAlias = dict[str, Any]

_OF_THE_SERVER = (
    *("creationTimestamp", "generation", "managedFields", "resourceVersion", "selfLink", "uid"),
)
_RBAC = "rbac.authorization.k8s.io"


def without_server_fields(content: Content, *, with_status: bool = False) -> _Object:
    """An object without what only the server writes."""
    found = dict(content)
    metadata = found.get("metadata")
    if isinstance(metadata, dict):
        metadata = {key: one for key, one in metadata.items() if key not in _OF_THE_SERVER}
        annotations = metadata.get("annotations")
        if annotations is None or isinstance(annotations, dict):
            kept = {key: one for key, one in (annotations or {}).items() if key != LAST_APPLIED}
            metadata.pop("annotations", None)
            if kept:
                metadata["annotations"] = kept
        found["metadata"] = metadata
    if not with_status:
        found.pop("status", None)
    return found


def special(content: _Object, *, ignore_aggregated: bool = False) -> _Object:
    """An object with the forms that mean the same made equal."""
    group, _, kind = split_version(content)
    if (group, kind) == ("", "Secret"):
        return secret(content)
    if group == _RBAC and kind in ("ClusterRole", "Role"):
        is_aggregated = isinstance(content.get("aggregationRule"), dict)
        if content.get("rules") == [] or (ignore_aggregated and is_aggregated):
            return {**content, "rules": None}
        return content
    if (group, kind) == ("", "Endpoints"):
        return _endpoints(content)
    return content


def secret(content: _Object) -> _Object:
    """A Secret with its `stringData` among its `data`; null becomes an empty value."""
    strings, data = content.get("stringData"), content.get("data")
    if not isinstance(strings, dict | None) or not isinstance(data, dict | None):
        return content
    found = {key: one for key, one in content.items() if key != "stringData"}
    if strings is None and data is None:
        return found
    strings, data = strings or {}, data or {}
    coded = {
        key: base64.b64encode(one.encode("utf-8", "surrogatepass")).decode()
        if isinstance(one, str)
        else one
        for key, one in strings.items()
    }
    # What is not a string stays as it is, so that its error is seen.
    found["data"] = {key: "" if one is None else one for key, one in {**data, **coded}.items()}
    return found


def _endpoints(content: _Object) -> _Object:
    subsets = content.get("subsets")
    if not isinstance(subsets, list) or not all(isinstance(one, dict) for one in subsets):
        return content
    found = [_subset(one) for one in subsets]
    return {**content, "subsets": sorted(found, key=repr)}


def _subset(subset: _Object) -> _Object:
    found = dict(subset)
    for name in ("addresses", "notReadyAddresses", "ports"):
        items = found.get(name)
        if isinstance(items, list) and all(isinstance(one, dict) for one in items):
            if name == "ports":
                items = [{"protocol": "TCP", **one} for one in items]
            found[name] = sorted(items, key=lambda one: repr(sorted(one.items())))
    return found
