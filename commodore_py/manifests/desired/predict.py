"""Predict a live object after its target is applied, and compare both (pure).

A field that only the live object has stays, because the server and controllers fill in fields. It
goes if it was applied last: by an annotation, by the fields that Argo CD owns, or by the commit
that was synced last.
"""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from commodore_py.manifests.objects import identify, split_version, value_in
from commodore_py.manifests.secret_parts import LAST_APPLIED

from . import managed, schema
from .completion import completed

if TYPE_CHECKING:
    from commodore_py.manifests.objects import Content

Mode: TypeAlias = Literal["two-way", "three-way", "server"]
_Object: TypeAlias = dict[str, Any]

NO_RECORD = (
    "fields that are gone from the target cannot be seen: nothing says what was applied last"
)
SYNCED = "what was applied last is taken from the commit that was synced last"
OTHER_OBJECT = "its annotation of what was applied last is of another object"
NOT_JSON = "its annotation of what was applied last is not valid JSON"

_OF_THE_SERVER = frozenset(
    {"creationTimestamp", "generation", "managedFields", "resourceVersion", "selfLink", "uid"}
)


@dataclass(frozen=True, slots=True)
class Prediction:
    """A live object and what it becomes, both without the fields of the server."""

    mode: Mode
    live: _Object
    predicted: _Object
    has_schema: bool
    notice: str = ""
    """Why removed fields cannot be seen, or how they are."""


def predict(target: Content, live: Content, synced: Content | None = None) -> Prediction:
    """Apply a target to a live object.

    `synced` is the target at the commit that was synced last; it counts if the object itself has
    no record.
    """
    recorded, notice = recorded_in(live)
    applied = managed.applied_by_driver(live)
    if recorded is None and applied is None and synced is not None:
        recorded, notice = dict(synced), f"{notice}: {SYNCED}" if notice else SYNCED
    root = schema.root_type(target)
    if root is not None and schema.root_type(live) != root:
        root = None
    now, desired = normalised(live), _without_place(normalised(target))
    records = [
        _without_place(normalised(record)) for record in (recorded, applied) if record is not None
    ]
    mode: Mode = "three-way" if records else "two-way"
    field = None if root is None else schema.Field(root)
    predicted = completed(desired, now, records, field)
    return Prediction(
        mode, now, predicted, root is not None, notice if records else notice or NO_RECORD
    )


def predicted_by_server(live: Content, outcome: Content) -> Prediction:
    """Take the result of a dry run of the server."""
    has_schema = schema.root_type(outcome) is not None
    return Prediction("server", normalised(live), normalised(outcome), has_schema)


def recorded_in(live: Content) -> tuple[_Object | None, str]:
    """Read what was applied last from an annotation; or say why that is not known."""
    text = value_in(live, "metadata", "annotations", LAST_APPLIED)
    if not isinstance(text, str):
        return None, ""
    try:
        applied = json.loads(text)
    except (ValueError, RecursionError):
        return None, NOT_JSON
    its = identify(applied)
    name = value_in(live, "metadata", "name")
    if its is None or (live.get("kind"), name) != (its.kind, its.name):
        return None, OTHER_OBJECT
    return applied, ""


def normalised(content: Content) -> _Object:
    """An object without what only the server writes, with the forms that mean the same equal."""
    kept_fields = {name: value for name, value in content.items() if name != "status"}
    metadata = kept_fields.get("metadata")
    if isinstance(metadata, dict):
        metadata = {key: value for key, value in metadata.items() if key not in _OF_THE_SERVER}
        annotations = metadata.get("annotations")
        if isinstance(annotations, dict):
            kept = {key: value for key, value in annotations.items() if key != LAST_APPLIED}
            metadata["annotations"] = kept
        metadata = {
            key: value
            for key, value in metadata.items()
            if value or key not in ("annotations", "labels")
        }
        kept_fields["metadata"] = metadata
    group, _, kind = split_version(content)
    match group, kind:
        case "", "Secret":
            return secret(kept_fields)
        case "", "Endpoints":
            return _endpoints(kept_fields)
        case "", "Namespace":
            kept_fields.pop("spec", None)  # its finalizers, which no apply changes
        case "rbac.authorization.k8s.io", "ClusterRole" if kept_fields.get("aggregationRule"):
            kept_fields.pop("rules", None)  # a controller fills them in
    return kept_fields


def secret(content: _Object) -> _Object:
    """A Secret with its `stringData` among its `data`; null becomes an empty value."""
    strings, data = content.get("stringData"), content.get("data")
    if not isinstance(strings, dict | None) or not isinstance(data, dict | None):
        return content
    kept_fields = {key: value for key, value in content.items() if key != "stringData"}
    kept_fields["type"] = kept_fields.get("type") or "Opaque"
    if strings is None and data is None:
        return kept_fields
    coded = {
        key: base64.b64encode(value.encode("utf-8", "surrogatepass")).decode()
        if isinstance(value, str)
        else value
        for key, value in (strings or {}).items()
    }
    # What is not a string stays as it is, so that its error is seen.
    values = {**(data or {}), **coded}
    kept_fields["data"] = {key: "" if value is None else value for key, value in values.items()}
    return kept_fields


def _endpoints(content: _Object) -> _Object:
    """The server sorts addresses and ports."""
    subsets = content.get("subsets")
    if not isinstance(subsets, list) or not all(isinstance(subset, dict) for subset in subsets):
        return content
    sorted_subsets = [
        {
            name: sorted(value, key=repr) if isinstance(value, list) else value
            for name, value in subset.items()
        }
        for subset in subsets
    ]
    return {**content, "subsets": sorted(sorted_subsets, key=repr)}


def _without_place(content: _Object) -> _Object:
    """Without a namespace: the one of the live object counts."""
    metadata = content.get("metadata")
    if not isinstance(metadata, dict):
        return content
    return {**content, "metadata": {k: value for k, value in metadata.items() if k != "namespace"}}
