"""Mask the values of secrets in a diff, but not references to them (pure)."""

from __future__ import annotations

import base64
import binascii
import re
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .diff import ObjectChange
    from .fields import FieldChange
    from .folding import Fold
    from .objects import Content, KubeObject, ObjectId

MAY_BE_SECRET = re.compile(rb"Secret|\\[xuU]")
"""Where it finds nothing, a text holds no Secret; an escape may be part of any word."""

_REFERENCE = re.compile(r"\?\{[a-z0-9]+:[^}\s]*\}")
_HIDDEN_BELOW = {("data",), ("stringData",)}
# kubectl stores whole objects there.
LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"


def masked(change: ObjectChange) -> ObjectChange:
    """The change without values of secrets."""
    if not _is_secret(change.id):
        return change
    return replace(
        change,
        old=change.old and replace(change.old, content={}),
        new=change.new and replace(change.new, content={}),
        fields=tuple(map(_masked_field, change.fields)),
    )


def masked_fold(fold: Fold) -> Fold:
    """A change of several objects without values of secrets."""
    if not any(map(_is_secret, fold.objects)):
        return fold
    return replace(fold, field=_masked_field(fold.field))


def masked_content(one: KubeObject) -> Content:
    """The content of an object without values of secrets."""
    if not _is_secret(one.id):
        return one.content
    return {
        key: _masked(value) if (key,) in _HIDDEN_BELOW else _without_copies(value)
        for key, value in one.content.items()
    }


def _is_secret(id_: ObjectId) -> bool:
    return (id_.group, id_.kind) == ("", "Secret")


def _masked_field(field: FieldChange) -> FieldChange:
    if field.path[:1] in _HIDDEN_BELOW:
        return replace(field, old=_masked(field.old), new=_masked(field.new))
    if field.path[:1] == ("metadata",):
        return replace(
            field, old=_without_last(field.old, field), new=_without_last(field.new, field)
        )
    return field


def _masked(value: object) -> object:
    if isinstance(value, dict):
        return {key: _masked(below) for key, below in value.items()}
    if isinstance(value, list):
        return [_masked(below) for below in value]
    return shown_value(value) if value is not None else None


def shown_value(value: object) -> str:
    """A value without all but its references; its length is not shown."""
    text = str(value)
    decoded = text if _REFERENCE.search(text) else _decoded(text)
    if _REFERENCE.search(decoded):
        parts = _REFERENCE.split(decoded)
        found = _REFERENCE.findall(decoded)
        stars = ["***" if part else "" for part in parts]
        return "".join(a + b for a, b in zip(stars, [*found, ""], strict=True))
    return "***" if text else ""


def _decoded(text: str) -> str:
    try:
        return base64.b64decode(text, validate=True).decode()
    except (binascii.Error, ValueError):
        return ""


def _without_last(value: object, field: FieldChange) -> object:
    if field.path[-1:] == (LAST_APPLIED,):
        return _masked(value)
    return _without_copies(value)


def _without_copies(value: object) -> object:
    """A part of a Secret outside of its data, which may hold a copy of all of it."""
    if isinstance(value, dict):
        return {
            key: _masked(below) if key == LAST_APPLIED else _without_copies(below)
            for key, below in value.items()
        }
    return value
