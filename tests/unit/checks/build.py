"""Catalogs in memory, and what checks find in them."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

import yaml

from commodore_py.checks.base import Settings, Version
from commodore_py.checks.run import check_catalog
from commodore_py.checks.table import names
from commodore_py.model.tree import Entry, Tree

if TYPE_CHECKING:
    from collections.abc import Mapping

    from commodore_py.checks.origins import Origins
    from commodore_py.model.problem import Problem
    from commodore_py.model.verdict import Checked


VERSION = Version(1, 34)


def an_object(kind: str, name: str = "x", api_version: str = "v1", **more: Any) -> dict[str, Any]:  # noqa: ANN401 - any content
    """An object with the fields that are given."""
    metadata = {"name": name, **more.pop("metadata", {})}
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **more}


def a_deployment(name: str = "web", **pod: Any) -> dict[str, Any]:  # noqa: ANN401 - as above
    """A valid one; `pod` has fields of its pods."""
    labels = {"app": name}
    containers = pod.pop("containers", [{"name": "main", "image": "example.com/web:1"}])
    template = {"metadata": {"labels": labels}, "spec": {"containers": containers, **pod}}
    spec = {"selector": {"matchLabels": labels}, "template": template}
    return an_object("Deployment", name, "apps/v1", spec=spec)


def a_definition(schema: Mapping[str, Any], **spec: Any) -> dict[str, Any]:  # noqa: ANN401 - as above
    """The definition of Widgets of example.com."""
    versions = [{"name": "v1", "served": True, "storage": True}]
    versions[0]["schema"] = {"openAPIV3Schema": {"type": "object", **schema}}
    names = {"kind": "Widget", "plural": "widgets"}
    content = {"group": "example.com", "scope": "Namespaced", "names": names, "versions": versions}
    return an_object(
        "CustomResourceDefinition",
        "widgets.example.com",
        "apiextensions.k8s.io/v1",
        spec={**content, **spec},
    )


def a_tree(*objects: object, file: str = "out.yaml") -> Tree:
    """A file with these objects."""
    return Tree({PurePosixPath(file): Entry(yaml.safe_dump_all(objects).encode())})


def checked(
    *objects: object,
    only: str = "",
    version: Version | None = VERSION,
    origins: Origins | None = None,
    skip: tuple[str, ...] = (),
    **settings: Any,  # noqa: ANN401 - fields of Settings
) -> Checked:
    """What checks find in a catalog of one instance."""
    skip = tuple(name for name in names() if name in skip or only not in ("", name))
    known = Settings(skip=skip, version=version, **settings)
    return check_catalog({"web": a_tree(*objects)}, known, origins)


def problems(*objects: object, only: str = "", **settings: Any) -> list[Problem]:  # noqa: ANN401 - as above
    """The problems of a catalog."""
    return list(checked(*objects, only=only, **settings).problems)


def found(*objects: object, only: str, **settings: Any) -> list[tuple[str, str]]:  # noqa: ANN401 - as above
    """Codes without their area, and fields."""
    return [
        (one.code.partition("/")[2], one.place.field)
        for one in problems(*objects, only=only, **settings)
    ]
