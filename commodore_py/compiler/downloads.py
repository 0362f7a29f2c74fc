"""The dependencies lists of all targets, as values that those who fetch understand (pure)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from commodore_py.model.spot import Spot

from .entries import dependencies_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from commodore_py.model.download import Download, Source
    from commodore_py.model.inventory import Inventory


def wanted_downloads(inventory: Inventory) -> tuple[Download, ...]:
    """What all instances want to have fetched, in their order."""
    return tuple(
        _download(Spot(instance.name, ("kapitan", "dependencies", f"[{index}]")), fields)
        for instance in inventory.instances
        for index, fields in enumerate(dependencies_of(inventory.nodes[instance.name]))
    )


def _download(spot: Spot, fields: Mapping[str, Any]) -> Download:
    from commodore_py.model.download import Download  # five classes, used by few

    return Download(
        source=_source_of(fields),
        output_path=fields["output_path"],
        spot=spot,
        unpack=bool(fields.get("unpack")),
        forced=bool(fields["force_fetch"]),
    )


def _source_of(fields: Mapping[str, Any]) -> Source:
    from commodore_py.model.download import (
        Artifact,
        Chart,
        Repository,
        WebFile,
    )

    source = fields["source"]
    match fields["type"]:
        case "helm":
            return Chart(
                source, fields["chart_name"], fields["version"] or "", fields["helm_path"] or ""
            )
        case "git":
            return Repository(
                source, fields["ref"], fields["subdir"] or "", bool(fields["submodules"])
            )
        case "oci":
            return Artifact(
                source,
                fields["subpath"] or "",
                fields["media_type"] or "",
                fields["insecure"],
                fields["tls_verify"],
            )
        case _:
            return WebFile(source)
