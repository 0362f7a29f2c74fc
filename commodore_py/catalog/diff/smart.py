"""Differences that do not matter: of YAML's form, and of a former Kapitan's output (pure)."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import TYPE_CHECKING

from commodore_py.adapters import yaml
from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from collections.abc import Sequence

IGNORE_YAML_FORMATTING = "ignore-yaml-formatting"
KAPITAN_0_29_TO_0_30 = "kapitan-0.29-to-0.30"

_MOVED_LABELS = (
    ("app.kubernetes.io/managed-by: Tiller", "app.kubernetes.io/managed-by: Helm"),
    ("heritage: Tiller", "heritage: Helm"),
)
# How an empty document between others shows in a diff.
_EMPTY_DOCUMENT_FOLLOWS = frozenset({"----", "---- null"})
_EMPTY_DOCUMENT_STARTS = frozenset({"-null", "---- null"})


def normalised(content: bytes) -> str | None:
    """Objects in one order and one form, or None where the content is not a stream of objects."""
    try:
        documents = yaml.load_all(content, name="")
        keyed = [(_identity(document), document) for document in documents]
        return yaml.dump_documents([d for _, d in sorted(keyed, key=lambda k: k[0])]).decode()
    except (CommodoreError, ValueError, RecursionError):
        # Besides broken syntax: dates that do not exist, and documents that hold themselves.
        return None


def is_noise(diff: Sequence[str], *, migration: str) -> bool:
    """Whether a unified diff of two normalised texts shows nothing that counts."""
    if migration == KAPITAN_0_29_TO_0_30:
        # Judged by pairs of neighbours, as Commodore does: a lone line counts as noise too.
        return all(_is_noise_pair(one, other) for one, other in pairwise(diff[2:]))
    return not diff


def _identity(document: object) -> tuple[str, str, str]:
    if document is None:
        return "", "", ""
    if not isinstance(document, Mapping):
        raise _not_an_object()
    metadata = document.get("metadata") or {}
    if not isinstance(metadata, Mapping):
        raise _not_an_object()
    return _text(document, "kind"), _text(metadata, "namespace"), _text(metadata, "name")


def _text(mapping: Mapping[object, object], key: str) -> str:
    value = mapping.get(key)
    return "" if value is None else str(value)


def _not_an_object() -> ValueError:
    return ValueError("not an object")


def _is_noise_pair(one: str, other: str) -> bool:
    if any(line.startswith(" ") or line.rstrip().startswith("@@") for line in (one, other)):
        return True
    if one in _EMPTY_DOCUMENT_STARTS and other in _EMPTY_DOCUMENT_FOLLOWS:
        return True
    return (
        one.startswith("-")
        and other.startswith("+")
        and any(one.endswith(old) and other.endswith(new) for old, new in _MOVED_LABELS)
    )
