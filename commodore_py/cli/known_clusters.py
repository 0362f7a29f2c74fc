"""Names of clusters, cached for completion in the shell."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from commodore_py.adapters import json_text

from .settings import directories

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

_SCHEMA = "known-clusters/v1"
_FIELDS = ("id", "tenant", "displayName")
_FRESH_FOR = 24 * 60 * 60


@dataclass(frozen=True, slots=True)
class Known:
    """Clusters as last seen, and whether that was lately."""

    clusters: list[dict[str, str]]
    fresh: bool


def remember(api_url: str, clusters: Iterable[Mapping[str, Any]]) -> None:
    """Save the names of clusters; failures are ignored."""
    path = _path(api_url)
    if path is None:
        return
    content = {
        "schema": _SCHEMA,
        "api": api_url.rpartition("@")[2],
        "clusters": [
            {key: str(cluster[key]) for key in _FIELDS if cluster.get(key)} for cluster in clusters
        ],
    }
    aside = path.with_suffix(f".{os.getpid()}.new")
    with contextlib.suppress(OSError):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        aside.touch(mode=0o600)
        aside.write_text(json.dumps(content), encoding="utf-8")
        aside.replace(path)


def recall(api_url: str) -> Known | None:
    """The saved names, if there are any."""
    path = _path(api_url)
    if path is None:
        return None
    try:
        age = time.time() - path.stat().st_mtime
        content = json_text.load(path.read_text("utf-8"), name=str(path))
        clusters = [dict(cluster) for cluster in content["clusters"]]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return Known(clusters, fresh=0 <= age < _FRESH_FOR)


def _path(api_url: str) -> Path | None:
    cache = directories.cache_folder()
    if cache is None or not api_url:
        return None
    # A relative folder of facts is another one elsewhere.
    named = os.path.abspath(api_url) if api_url.startswith(".") else api_url.rstrip("/")  # noqa: PTH100 - no Path: a URL keeps its slashes
    digest = hashlib.sha256(named.encode()).hexdigest()[:16]
    return cache / "completion" / f"{digest}.json"
