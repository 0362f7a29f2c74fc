"""The bill of materials: what is installed to run commodore, in CycloneDX's JSON.

Made of the locked requirements alone: the same for the same commit.
"""

from __future__ import annotations

import json
import uuid
from typing import TYPE_CHECKING, Any

from commodore_py import __version__

from .licences import accepted, identifier
from .requirements import licence_of, read

if TYPE_CHECKING:
    from .licences import Accepted
    from .requirements import Requirement

_ALGORITHMS = {"sha256": "SHA-256", "sha384": "SHA-384", "sha512": "SHA-512"}
_OURS = "commodore-py"


def bill_of_materials() -> bytes:
    """The document; its serial number follows from its content."""
    known = accepted()
    components = [_component(one, known) for one in read()]
    content: dict[str, Any] = {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": _OURS,
                "name": _OURS,
                "version": __version__,
                "purl": f"pkg:pypi/{_OURS}@{__version__}",
                "licenses": [{"license": {"id": "BSD-3-Clause"}}],
            }
        },
        "components": components,
        "dependencies": [
            {"ref": _OURS, "dependsOn": [one["bom-ref"] for one in components]},
            *({"ref": one["bom-ref"]} for one in components),
        ],
    }
    serial = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(content, sort_keys=True))
    return f"{json.dumps({**content, 'serialNumber': f'urn:uuid:{serial}'}, indent=1)}\n".encode()


def _component(one: Requirement, known: Accepted) -> dict[str, Any]:
    purl = f"pkg:pypi/{one.name}@{one.version}"
    component: dict[str, Any] = {
        "type": "library",
        "bom-ref": purl,
        "name": one.name,
        "version": one.version,
        "purl": purl,
        # Of every file of that version: which one is installed depends on the machine.
        "properties": [
            {"name": f"commodore:hash:{_ALGORITHMS[kind]}", "value": digest}
            for kind, digest in one.hashes
        ],
    }
    if one.marker:
        component["properties"].append({"name": "commodore:marker", "value": one.marker})
    if licence := _licence(one.name, known):
        component["licenses"] = [{"expression": licence}]
    return component


def _licence(name: str, known: Accepted) -> str:
    if name in known.packages:
        return known.packages[name]["licence"]
    return identifier(licence_of(name) or "", known)
