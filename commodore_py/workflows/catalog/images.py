"""The container images that a compiled catalog uses."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from commodore_py.checks import image_list
from commodore_py.checks.documents import Memory, documents_of, items_of
from commodore_py.errors import CommodoreError
from commodore_py.lieutenant.last_compile import cluster_id_in

from .check import compiled_trees, tree_of_folder

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from commodore_py.config import Config


class Use(NamedTuple):
    """Where an image is named."""

    instance: str
    """Empty for a folder of manifests."""
    file: str
    object: str
    field: str


class Image(NamedTuple):
    """An image as manifests name it."""

    name: str
    uses: tuple[Use, ...]


def images_of(config: Config, cluster: str, folder: Path | None) -> tuple[Image, ...]:
    """The images of the last compile, or of a folder of manifests, by name."""
    found: dict[str, list[Use]] = {}
    for name, use in _uses(config, cluster, folder):
        found.setdefault(name, []).append(use)
    return tuple(Image(name, tuple(sorted(uses))) for name, uses in sorted(found.items()))


def _uses(config: Config, cluster: str, folder: Path | None) -> Iterator[tuple[str, Use]]:
    trees = compiled_trees(config.paths) if folder is None else tree_of_folder(folder)
    compiled = cluster_id_in(config.paths) if folder is None else cluster
    if cluster not in ("", compiled):
        raise CommodoreError(
            f"cluster {cluster} was not compiled here",
            where=str(config.paths.root),
            hint=f"the last compile was of {compiled}",
        )
    memory = Memory(config.result_cache, f"images\0{config.paths.root}\0{folder or ''}")
    for document in documents_of(trees):
        known = memory.known(document, {image_list.NAME: image_list})
        for item in items_of(document, known, image_list.NAME) if known is not None else ():
            for name, field in item.fact or ():
                yield name, Use(item.instance, item.file, str(item.id), field)
    memory.keep()
