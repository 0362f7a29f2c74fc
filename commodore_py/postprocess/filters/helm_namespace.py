"""Put a namespace into every object of a folder, for charts that leave that to their user."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from commodore_py.adapters import yaml
from commodore_py.adapters.jsonnet.values import read_all
from commodore_py.errors import CommodoreError
from commodore_py.postprocess.output import BadOutput, inside, place

from .base import Apply, BadArguments, Job

if TYPE_CHECKING:
    from commodore_py.adapters.jsonnet.values import Json
    from commodore_py.model.tree import Tree

_NAMESPACE_FILE = "00_namespace"


class NotAnObject(CommodoreError):
    """A document in the folder is not a Kubernetes object."""


@dataclass(frozen=True, slots=True)
class _Arguments:
    namespace: str
    create: bool
    excluded: tuple[Mapping[str, Any], ...]


def parse(args: Mapping[str, Any]) -> Apply:
    """`namespace` is needed; `create_namespace` and `exclude_objects` may be left out."""
    if "namespace" not in args:
        raise BadArguments(
            "filter argument namespace is missing", hint="set filterargs.namespace to a name"
        )
    namespace = args["namespace"]
    if not isinstance(namespace, str):
        raise BadArguments(f"filter argument namespace is not a string: {namespace!r}")
    create = args.get("create_namespace", "false")
    if not isinstance(create, bool | str):
        raise BadArguments(f"filter argument create_namespace is neither true nor false: {create}")
    arguments = _Arguments(
        namespace, create in (True, "true"), _excluded(args.get("exclude_objects", []))
    )
    return functools.partial(_apply, arguments)


def _excluded(value: object) -> tuple[Mapping[str, Any], ...]:
    entries = value if isinstance(value, list) else [None]
    if not all(isinstance(entry, Mapping) and "kind" in entry for entry in entries):
        raise BadArguments(
            f"filter argument exclude_objects is not a list of kinds and names: {value}",
            hint="write a list of {kind: <kind>, name: <name>}",
        )
    return tuple(entries)


def _apply(arguments: _Arguments, tree: Tree, job: Job) -> Tree:
    fields: dict[str, object] = {}
    sources: dict[str, str] = {}
    folder = job.root / inside(job.root, job.folder)
    for name in job.files.files_in(folder):
        key = name.rpartition(".")[0]
        if key in sources:
            raise BadOutput(
                f"both {sources[key]} and {name} would become {key}.yaml",
                where=str(job.output_path),
                hint="let the component write only one of them",
            )
        sources[key] = name
        content = job.files.read(folder / name) or b""
        fields[key] = _patch_file(content, arguments, str(folder / name))
    if arguments.create:
        fields[_NAMESPACE_FILE] = _namespace(arguments.namespace)
    return place(tree, job.root, job.folder, fields)


def _patch_file(content: bytes, arguments: _Arguments, name: str) -> list[Json]:
    patched = []
    for number, document in enumerate(read_all(content, name=name)):
        if document is None:
            continue
        try:
            patched.append(_patch(document, arguments))
        except NotAnObject as error:
            error.where = f"{name}:{yaml.line_at(content, (number,))}"
            raise
    return patched


def _patch(found: Json, arguments: _Arguments) -> Json:
    if isinstance(found, dict):
        if _is_excluded(found, arguments.excluded):
            return found
        metadata = found.get("metadata", {})
        return {**found, "metadata": _plus(metadata, {"namespace": arguments.namespace})}
    return _plus(found, {"metadata": {"namespace": arguments.namespace}})


def _plus(value: Json, more: dict[str, Json]) -> Json:
    """Like `+` of Jsonnet, in which the filter used to be written: text takes everything."""
    match value:
        case dict():
            return {**value, **more}
        case str():
            return value + json.dumps(more, ensure_ascii=False)
        case _:
            raise NotAnObject("a document or its metadata is not a mapping")


def _is_excluded(found: dict[str, Json], excluded: tuple[Mapping[str, Any], ...]) -> bool:
    metadata = found.get("metadata")
    if "kind" not in found or not isinstance(metadata, dict) or "name" not in metadata:
        return False
    return any(
        entry["kind"] == found["kind"] and entry.get("name") == metadata["name"]
        for entry in excluded
    )


def _namespace(name: str) -> dict[str, object]:
    return {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {
            "annotations": {},
            "labels": {"name": name.replace(":", "-")},
            "name": name,
        },
    }
