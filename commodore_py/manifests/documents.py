"""The documents of a file: split without parsing, and parsed as objects (pure)."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from commodore_py.adapters import json_text, yaml
from commodore_py.adapters.yaml.error import MOST_LEVELS, YamlError
from commodore_py.errors import CommodoreError

from .objects import KubeObject, identify, members, value_in

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
    from pathlib import PurePosixPath

    from commodore_py.model.tree import Tree

    from .objects import ObjectId

_START = re.compile(rb"^---(?=\s|$)", re.MULTILINE)
# Directives and end markers affect other documents: such files are not split.
_DIRECTIVE_OR_END = re.compile(rb"^(?:%|\.\.\.(?:\s|$))", re.MULTILINE)
# Candidates for names: parsing a file that has no such object only costs time.
_NAME = re.compile(rb"""[nN]ame["']?:\s*["']?([^\s"',}]+)""")
_MARKS = (b"\napiVersion: ", b"\nkind: ", b"\nmetadata:")
_NAMED = re.compile(rb"^ +(?:name|generateName): \S", re.MULTILINE)
TOOL_FILES = frozenset({"kustomization.yaml", "kustomization.yml", "Kustomization", "Chart.yaml"})
"""Files by which Argo CD lets a tool render their folder."""
_ENDINGS = (".yaml", ".yml", ".json")


@dataclass(frozen=True, slots=True)
class Read:
    """The content of a file: objects, and other documents."""

    objects: tuple[KubeObject, ...]
    others: tuple[object, ...]


def may_hold_objects(path: str) -> bool:
    """Return whether a file of that name is parsed for objects."""
    return path.endswith(_ENDINGS)


def split_documents(text: bytes) -> tuple[bytes, ...]:
    """The unparsed documents of a file; each can be parsed by itself."""
    if _DIRECTIVE_OR_END.search(text):
        return (text,)
    starts = [match.start() for match in _START.finditer(text)]
    places = [0, *(start for start in starts if start), len(text)]
    return tuple(part for start, end in pairwise(places) if (part := text[start:end]))


def read(
    text: bytes, path: str, *, hide: Callable[[list[object], bytes], list[object]] | None = None
) -> Read | None:
    """Parse a file, or return None if that fails.

    `hide` gives the documents as they may be shown.
    """
    try:
        loaded = (
            _load_json(text, path) if path.endswith(".json") else yaml.load_all(text, name=path)
        )
        if hide is not None:
            loaded = hide(loaded, text)
        documents = [member for document in loaded for member in members(document)]
    except (CommodoreError, ValueError):
        return None
    objects: list[KubeObject] = []
    others: list[object] = []
    for document in documents:
        id_ = identify(document)
        if id_ is not None and isinstance(document, dict):
            objects.append(KubeObject(id_, document, path))
        elif document is not None:
            others.append(document)
    return Read(tuple(objects), tuple(others))


def load_manifests(text: bytes, *, name: str) -> list[Any]:
    """Every document of a text as Kubernetes reads it: values of JSON, and times are strings."""
    if name.endswith(".json"):
        return _load_json(text, name, yaml.ManifestLoader.most_levels)
    documents = yaml.load_all(text, name=name, loader=yaml.ManifestLoader)
    try:
        return [json.loads(json.dumps(document)) for document in documents]
    except (TypeError, ValueError) as error:
        raise YamlError(f"a manifest cannot be JSON: {error}", where=name) from error


def _load_json(text: bytes, name: str, levels: int = MOST_LEVELS) -> list[object]:
    return [json_text.load(text, name=name, levels=levels)] if text.strip() else []


def _bytes(name: str) -> bytes:
    # JSON may name half a character.
    return name.encode(errors="surrogatepass")


def _fault_of(document: object, path: str) -> str:
    """Why a document is not an object; empty for JSON that does not claim to be one."""
    if not isinstance(document, dict):
        shown = "a list" if isinstance(document, list) else f"{document!r:.40}"
        return "" if path.endswith(".json") else f"a document is {shown}"
    fields = {
        "apiVersion": document.get("apiVersion"),
        "kind": document.get("kind"),
        "metadata.name": value_in(document, "metadata", "name"),
    }
    missing = [name for name, value in fields.items() if not isinstance(value, str) or not value]
    # Dashboards and other data, which Argo CD reads as manifests only where it is configured to.
    if path.endswith(".json") and not {"apiVersion", "kind"} & document.keys():
        return ""
    words = f"{', '.join(missing[:-1])} or {missing[-1]}" if missing[1:] else "".join(missing)
    return f"a document has no {words}" if missing else ""


def _others_in(name: str, content: bytes) -> Iterator[object]:
    """The documents of a file that are not objects; what looks like an object is not parsed."""
    for text in (content,) if name.endswith(".json") else split_documents(content):
        if not all(mark in b"\n" + text for mark in _MARKS) or not _NAMED.search(text):
            parsed = read(text, name)
            yield from parsed.others if parsed else ()


def faults_in(
    tree: Tree, others: Mapping[str, Iterable[object]] | None = None
) -> Iterator[tuple[PurePosixPath, str]]:
    """Files with documents that are not objects, but for those that a tool renders.

    `others` has these documents of each file, where the files were parsed already.
    """
    rendered = {path.parent for path in tree if path.name in TOOL_FILES}
    for path, entry in tree.items():
        name = str(path)
        if not may_hold_objects(name) or rendered.intersection(path.parents):
            continue
        besides = _others_in(name, entry.content) if others is None else others.get(name, ())
        faults = [fault for beside in besides if (fault := _fault_of(beside, name))]
        if faults:
            more = f" (and {len(faults) - 1} more)" if faults[1:] else ""
            yield path, f"{faults[0]}: it is not an object{more}"


def names_in(text: bytes) -> set[bytes]:
    """Names that objects in a text may have, without parsing it."""
    return set(_NAME.findall(text))


def find_objects(texts: Iterable[bytes], ids: Collection[ObjectId]) -> set[ObjectId]:
    """Which of the objects are in one of the texts; parses only texts with their names."""
    by_name: dict[bytes, list[ObjectId]] = {}
    for id_ in ids:
        by_name.setdefault(_bytes(id_.name.removesuffix("*")), []).append(id_)
    present: set[ObjectId] = set()
    for text in texts:
        likely = [id_ for name in names_in(text) for id_ in by_name.get(name, ())]
        if any(id_ not in present and _bytes(id_.kind) in text for id_ in likely):
            content = read(text, "")
            if content is not None:
                present.update(kube_object.id for kube_object in content.objects)
    return present & set(ids)
