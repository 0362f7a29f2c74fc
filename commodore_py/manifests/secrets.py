"""Mask the values of secrets in a diff, but not references to them (pure)."""

from __future__ import annotations

import base64
import binascii
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from .objects import members
from .secret_parts import secret_parts
from .values import SecretValue

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .diff import ObjectChange
    from .fields import FieldChange
    from .folding import Fold

MAY_BE_SECRET = re.compile(
    rb"(?:Secret(?:List)*|(?is:kind.{1,12}secret(?:list)*))(?! *[A-Za-z0-9])|\\[xuU\r\n]|!!binary"
)
"""Where it finds nothing, a text holds no Secret, only words such as `secretName` or prose.

An escape may be part of any word.
"""

REFERENCE = re.compile(r"\?\{[a-z0-9]+:[^}\s]*\}")
"""A reference to a secret."""
_REFERENCE_START = "?{"
_SECRETS = ("secret", "secretlist")


def hidden(documents: list[object], text: bytes) -> list[object]:
    """The documents of a text, in which each value of a secret is a `SecretValue`."""
    if not MAY_BE_SECRET.search(text):
        return documents

    parts = [*secret_parts(documents)]
    if not parts:
        return documents
    places = {(id(part.holder), part.key) for part in parts}
    # An anchor makes copies of a value.
    copies = {text for part in parts for text in _texts(part.value)} if b"&" in text else set[str]()

    def shown(value: object, *, secret: bool) -> object:
        if isinstance(value, dict):
            return {
                key: shown(item, secret=secret or (id(value), str(key)) in places)
                for key, item in value.items()
            }
        if isinstance(value, list):
            return [
                shown(item, secret=secret or (id(value), str(at)) in places)
                for at, item in enumerate(value)
            ]
        if value is None or not (secret or (isinstance(value, str) and value in copies)):
            return value
        return SecretValue(value, shown_value(value))

    return [
        shown(document, secret=(id(documents), str(at)) in places)
        for at, document in enumerate(documents)
    ]


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _texts(item)
    elif isinstance(value, str) and value:
        yield value


def masked(change: ObjectChange) -> ObjectChange:
    """The change without values of secrets."""
    secret = (change.id.group, change.id.kind.casefold()) == ("", "secret")
    return replace(
        change,
        old=replace(change.old, content={}) if secret and change.old else change.old,
        new=replace(change.new, content={}) if secret and change.new else change.new,
        fields=tuple(map(_masked_field, change.fields)),
    )


def masked_fold(fold: Fold) -> Fold:
    """A change of several objects without values of secrets."""
    return replace(fold, field=_masked_field(fold.field))


def _masked_field(field: FieldChange) -> FieldChange:
    return replace(field, old=masked_value(field.old), new=masked_value(field.new))


def masked_value(value: object) -> object:
    """A value with what may be shown of secrets in it."""
    if isinstance(value, dict):
        return {key: masked_value(item) for key, item in value.items()}
    if isinstance(value, list):
        return [masked_value(item) for item in value]
    return value.shown if isinstance(value, SecretValue) else value


def may_be_sent(content: object) -> bool:
    """Return whether a dry run may send an object: no Secret, no reference to its value."""
    kinds = {member.get("kind") for member in members(content) if isinstance(member, dict)}
    if any(str(kind).lower() in _SECRETS for kind in kinds):
        return False
    return not any(_REFERENCE_START in text or has_reference(text) for text in _strings(content))


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for part in (*value, *value.values()):
            yield from _strings(part)
    elif isinstance(value, list):
        for part in value:
            yield from _strings(part)
    elif isinstance(value, str):
        yield value


def has_reference(text: str) -> bool:
    """Return whether a value refers to a secret, as it is or in base64."""
    return bool(REFERENCE.search(text) or REFERENCE.search(_decoded(text)))


def with_references_replaced(text: str, replace: Callable[[str], str]) -> str:
    """The value with all references replaced, as it is or in base64."""

    def revealed(plain: str) -> str:
        return REFERENCE.sub(lambda match: replace(match[0]), plain)

    if REFERENCE.search(text):
        return revealed(text)
    decoded = _decoded(text)
    if not REFERENCE.search(decoded):
        return text
    return base64.b64encode(revealed(decoded).encode()).decode()


def shown_value(value: object) -> str:
    """A value without all but its references; its length is not shown."""
    text = str(value)
    decoded = text if REFERENCE.search(text) else _decoded(text)
    if REFERENCE.search(decoded):
        parts = REFERENCE.split(decoded)
        references = REFERENCE.findall(decoded)
        stars = ["***" if part else "" for part in parts]
        return "".join(a + b for a, b in zip(stars, [*references, ""], strict=True))
    return "***" if text else ""


def _decoded(text: str) -> str:
    try:
        return base64.b64decode(text, validate=True).decode()
    except (binascii.Error, ValueError):
        return ""
