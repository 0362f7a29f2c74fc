"""Objects of commits of a catalog."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from commodore_py.adapters.git.program import git_bytes
from commodore_py.adapters.yaml.manifests import load_manifests
from commodore_py.catalog.diff.staged import contents_of
from commodore_py.errors import CommodoreError
from commodore_py.manifests.documents import may_hold_objects
from commodore_py.manifests.objects import KubeObject, identify, members

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path


def objects_at(catalog: Path, commits: Iterable[str]) -> Iterator[KubeObject]:
    """The objects of some commits; each content is read once."""
    blobs: dict[str, dict[str, None]] = {}
    for commit in commits:
        listing = git_bytes(catalog, "ls-tree", "-r", "-z", commit, "--", "manifests")
        for line in os.fsdecode(listing).split("\0"):
            about, _, path = line.partition("\t")
            if path and about.split(" ")[1] == "blob" and may_hold_objects(path):
                blobs.setdefault(about.split(" ")[2], {})[path] = None
    for blob, content in contents_of(catalog, set(blobs)).items():
        paths = tuple(blobs[blob])
        try:
            documents = load_manifests(content, name=paths[0])
        except CommodoreError:
            continue  # what could not be read could not be applied
        for document in documents:
            for one in members(document):
                id_ = identify(one)
                if id_ is not None and isinstance(one, dict):
                    yield from (KubeObject(id_, one, path) for path in paths)
