"""A folder of facts in place of a server: the API's objects, one file each."""

from __future__ import annotations

import json
import logging
import math
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from commodore_py.adapters.files import write_if_changed
from commodore_py.errors import CommodoreError, raise_collected

from . import documents
from .described import Reader, kind_of
from .guess import hint_for

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from .described import Described

log = logging.getLogger(__name__)

# What the API's objects hold; a file may hold more, but hardly a slip of one of these.
_KNOWN_FIELDS = (
    "annotations",
    "compileMeta",
    "displayName",
    "dynamicFacts",
    "facts",
    "gitRepo",
    "globalGitRepoRevision",
    "globalGitRepoURL",
    "id",
    "installURL",
    "tenant",
    "tenantGitRepoRevision",
)
SORT_KEYS = ("id", "tenant", "displayName")

_SUFFIXES = (".yaml", ".yml")
_WHAT_BELONGS_THERE = (
    "a folder of cluster facts holds clusters/<id>.yaml and tenants/<id>.yaml,"
    " with the objects of Lieutenant's API"
)


@dataclass(frozen=True, slots=True)
class FactsFolder:
    """Clusters and tenants in files that people write and review."""

    root: Path

    def cluster(self, cluster_id: str) -> Described:
        """The cluster object of that name."""
        files = self._cluster_files()
        if cluster_id not in files:
            raise CommodoreError(
                f"cluster {cluster_id} is not known",
                where=str(self.root / "clusters"),
                hint=hint_for(cluster_id, tuple(files), kind="cluster"),
            )
        return _read("cluster", cluster_id, files[cluster_id])

    def tenant(self, tenant_id: str) -> Described:
        """The tenant object of that name."""
        folder = self.root / "tenants"
        files = _files_of(folder) if folder.is_dir() else {}
        if tenant_id not in files:
            raise CommodoreError(
                f"tenant {tenant_id} is not known",
                where=str(folder),
                hint=f"create {folder / tenant_id}.yaml; {_present(files)}",
            )
        return _read("tenant", tenant_id, files[tenant_id])

    def clusters(self, *, tenant: str = "", sort_by: str = "") -> list[dict[str, Any]]:
        """Every cluster object, by id unless another order is asked for."""
        key = sort_by or SORT_KEYS[0]
        if key not in SORT_KEYS:
            raise CommodoreError(
                f"clusters cannot be sorted by {sort_by}", hint=f"choices: {', '.join(SORT_KEYS)}"
            )
        found = [
            cluster
            for cluster in self._all_clusters()
            if not tenant or cluster.get("tenant") == tenant
        ]
        return sorted(found, key=lambda cluster: (str(cluster.get(key) or ""), cluster["id"]))

    def ids(self) -> list[str]:
        """The ids of all clusters, by their files' names: somebody waits at a prompt."""
        return list(self._cluster_files())

    def report(self, cluster_id: str, body: Mapping[str, Any]) -> None:
        """Keep what a server would be told about a compile."""
        path = self.root / "reports" / f"{cluster_id}.json"
        try:
            write_if_changed(path, f"{json.dumps(body, indent=2)}\n".encode())
        except OSError as error:
            raise CommodoreError(
                f"cannot write the report: {error.strerror}", where=str(path)
            ) from error

    def _cluster_files(self) -> dict[str, Path]:
        folder = self.root / "clusters"
        for needed in (self.root, folder):
            if not needed.is_dir():
                raise CommodoreError("no such folder", where=str(needed), hint=_WHAT_BELONGS_THERE)
        return _files_of(folder)

    def _all_clusters(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        problems: list[CommodoreError] = []
        for name, path in self._cluster_files().items():
            try:
                found.append(dict(_read("cluster", name, path).fields))
            except CommodoreError as error:
                problems.extend(getattr(error, "errors", (error,)))
        raise_collected(problems, f"clusters in {self.root}")
        return found


def _files_of(folder: Path) -> dict[str, Path]:
    # Ids are looked up among what is there and never made into paths: none leads elsewhere.
    found: dict[str, Path] = {}
    try:
        paths = sorted(folder.iterdir())
    except OSError as error:
        raise CommodoreError(f"cannot read: {error.strerror}", where=str(folder)) from error
    for path in paths:
        if path.suffix not in _SUFFIXES or path.name.startswith(".") or not path.is_file():
            continue
        if path.stem in found:
            raise CommodoreError(
                f"{path.stem} is described twice",
                where=f"{found[path.stem]} and {path}",
                hint="remove one of the files",
            )
        found[path.stem] = path
    return found


def _present(files: Mapping[str, Path]) -> str:
    names = ", ".join(path.name for path in files.values())
    return f"present: {names}" if names else "there is no tenant yet"


def _read(kind: str, name: str, path: Path) -> Described:
    found = documents.read(path, expected=f"one {kind} object, as Lieutenant's API gives it")
    reader = Reader(found)
    for where, complaint in _foreign_to_json(found.fields, ()):
        reader.reject(complaint, *where, hint="put it in quotes")
    own = reader.needed("id", missing="id is missing", hint=f"write `id: {name}`")
    if own and own != name:
        reader.reject(
            f"the id is {own}, but the file is named {path.name}",
            "id",
            hint="rename the file, or mend the id",
        )
    raise_collected(reader.problems, str(path))
    for field in found.fields:
        close = get_close_matches(field, _KNOWN_FIELDS, n=1, cutoff=0.75)
        if close and field not in _KNOWN_FIELDS:
            log.warning("%s: %s is ignored; did you mean %s?", found.place(field), field, close[0])
    return found


def _foreign_to_json(
    value: object, where: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], str]]:
    """What YAML can say and the API's JSON cannot: dates, keys that are no texts."""
    match value:
        case dict():
            for key, inner in value.items():
                here = (*where, str(key))
                if not isinstance(key, str):
                    yield here, f"{'.'.join(here)}: a key must be a text, not {kind_of(key)}"
                yield from _foreign_to_json(inner, here)
        case list():
            for inner in value:
                yield from _foreign_to_json(inner, where)
        case float() if not math.isfinite(value):
            yield where, f"{'.'.join(where)} is no finite number"
        case None | bool() | str() | int() | float():
            return
        case _:
            yield where, f"{'.'.join(where)} must be a text or a number, not {kind_of(value)}"
