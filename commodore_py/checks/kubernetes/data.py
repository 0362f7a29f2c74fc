"""Configuration and secrets: which keys they have, and how much they hold."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING

from commodore_py.checks.base import mapping

from .issues import missing, wrong

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from commodore_py.checks.base import Content, Issue

_MOST = 1 << 20
_KEYS = {
    "kubernetes.io/dockercfg": (".dockercfg",),
    "kubernetes.io/dockerconfigjson": (".dockerconfigjson",),
    "kubernetes.io/ssh-auth": ("ssh-privatekey",),
    "kubernetes.io/tls": ("tls.crt", "tls.key"),
}
"""Keys that secrets of a type must have."""
_JSON = (".dockercfg", ".dockerconfigjson")


def config_map_issues(content: Content) -> Iterator[Issue]:
    """A key is in one of both places, and all is at most 1 MiB."""
    texts, blobs = mapping(content.get("data")), mapping(content.get("binaryData"))
    for key in sorted(texts.keys() & blobs.keys()):
        yield wrong(f"binaryData.{key}", f"{key} is in data, too", subject=key)
    if _size(texts) + _size(blobs, encoded=True) > _MOST:
        yield wrong("data", "it holds more than 1 MiB")


def secret_issues(content: Content) -> Iterator[Issue]:
    """A secret of a type has its keys, and all is at most 1 MiB."""
    texts, blobs = mapping(content.get("stringData")), mapping(content.get("data"))
    for key in _KEYS.get(str(content.get("type")), ()):
        if key not in texts and key not in blobs:
            yield missing("data", key, f" for type {content['type']}")
        elif key in _JSON and key not in texts and not _is_json(blobs[key]):
            yield wrong(f"data.{key}", "it is not an object in JSON", subject=key)
    if _size(texts) + _size(blobs, encoded=True) > _MOST:
        yield wrong("data", "it holds more than 1 MiB")


def _is_json(blob: object) -> bool:
    """Whether an encoded value is an object in JSON; others may be what stands for a reference."""
    try:
        return isinstance(json.loads(base64.b64decode(str(blob or ""))), dict)
    except ValueError:
        return False


def _size(values: Mapping[str, object], *, encoded: bool = False) -> int:
    sizes = (len(one.encode()) for one in values.values() if isinstance(one, str))
    return sum(size * 3 // 4 if encoded else size for size in sizes)
