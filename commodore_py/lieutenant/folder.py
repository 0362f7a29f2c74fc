"""A folder of facts instead of a server: one file for each object of the API."""

from __future__ import annotations

import json
import logging
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from commodore_py.adapters.files import anchored, write_if_changed
from commodore_py.errors import CommodoreError, raise_collected
from commodore_py.model.names import did_you_mean, kind_of, typo_of

from .api_objects import FieldReader, is_plain_name, read_object

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from .api_objects import ApiObject

log = logging.getLogger(__name__)

Kind = Literal["cluster", "tenant"]

# Fields of the API's objects. A file may have others, but a similar name is likely a typo.
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
_LAYOUT = (
    "a folder of cluster facts holds clusters/<id>.yaml and tenants/<id>.yaml,"
    " with the objects of Lieutenant's API"
)


@dataclass(frozen=True, slots=True)
class FactsFolder:
    """Clusters and tenants in files."""

    root: Path

    def cluster(self, cluster_id: str) -> ApiObject:
        """The object of a cluster."""
        return object_in("cluster", cluster_id, self.cluster_file(cluster_id))

    def cluster_file(self, cluster_id: str) -> Path:
        """The file of a cluster."""
        return _named("cluster", cluster_id, self._cluster_files(), self.root / "clusters")

    def tenant(self, tenant_id: str) -> ApiObject:
        """The object of a tenant."""
        folder = self.root / "tenants"
        files = _files_of(folder) if folder.is_dir() else {}
        more = f" (to add one: `commodore tenant add {tenant_id}`)"
        return object_in("tenant", tenant_id, _named("tenant", tenant_id, files, folder, more))

    def new_file(self, kind: Kind, name: str) -> Path:
        """The file of an object that is not there yet."""
        folder = self.root / f"{kind}s"
        if not is_plain_name(name):
            raise CommodoreError(f"not a valid {kind} id: {name!r}")
        files = _files_of(folder) if folder.is_dir() else {}
        # Where upper and lower case are the same, this would be one file.
        existing = next(
            (path for stem, path in files.items() if stem.lower() == name.lower()), None
        )
        if existing is not None:
            raise CommodoreError(f"there is a {kind} {existing.stem}", where=str(existing))
        return folder / f"{name}{_SUFFIXES[0]}"

    def clusters(self, *, tenant: str = "", sort_by: str = "") -> list[dict[str, Any]]:
        """Every cluster object, sorted by id by default."""
        key = sort_by or SORT_KEYS[0]
        if key not in SORT_KEYS:
            raise CommodoreError(
                f"clusters cannot be sorted by {sort_by}", hint=f"choices: {', '.join(SORT_KEYS)}"
            )
        clusters = [
            cluster
            for cluster in self._all_clusters()
            if not tenant or cluster.get("tenant") == tenant
        ]
        return sorted(clusters, key=lambda cluster: (str(cluster.get(key) or ""), cluster["id"]))

    def ids(self) -> list[str]:
        """The ids of all clusters; from file names only, as shell completion waits for them."""
        return list(self._cluster_files())

    def report(self, cluster_id: str, body: Mapping[str, Any]) -> None:
        """Write the report of a compile that a server would get."""
        path = self.root / "reports" / f"{cluster_id}.json"
        try:
            with anchored(self.root):
                write_if_changed(path, f"{json.dumps(body, indent=2)}\n".encode())
        except OSError as error:
            raise CommodoreError(
                f"cannot write the report: {error.strerror}", where=str(path)
            ) from error

    def _cluster_files(self) -> dict[str, Path]:
        folder = self.root / "clusters"
        for needed in (self.root, folder):
            if not needed.is_dir():
                usual = needed.absolute().with_name("facts")
                hint = "did you mean facts?" if (usual / "clusters").is_dir() else _LAYOUT
                raise CommodoreError("no such folder", where=str(needed), hint=hint)
        return _files_of(folder)

    def _all_clusters(self) -> list[dict[str, Any]]:
        clusters: list[dict[str, Any]] = []
        problems: list[CommodoreError] = []
        for name, path in self._cluster_files().items():
            try:
                clusters.append(dict(object_in("cluster", name, path).fields))
            except CommodoreError as error:
                problems.extend(getattr(error, "errors", (error,)))
        raise_collected(problems, f"clusters in {self.root}")
        return clusters


def _named(kind: Kind, name: str, files: Mapping[str, Path], folder: Path, more: str = "") -> Path:
    if name not in files:
        hint = did_you_mean(name, files, listed=f"known {kind}s:", otherwise=f"there is no {kind}")
        raise CommodoreError(f"{kind} {name} is not known", where=str(folder), hint=hint + more)
    return files[name]


def _files_of(folder: Path) -> dict[str, Path]:
    # Ids are looked up among existing files and never turned into paths: none can escape.
    files: dict[str, Path] = {}
    try:
        paths = sorted(folder.iterdir())
    except OSError as error:
        raise CommodoreError(f"cannot read: {error.strerror}", where=str(folder)) from error
    for path in paths:
        if path.suffix not in _SUFFIXES or path.name.startswith(".") or not path.is_file():
            continue
        if path.stem in files:
            raise CommodoreError(
                f"{path.stem} has two files",
                where=f"{files[path.stem]} and {path}",
                hint="remove one of the files",
            )
        files[path.stem] = path
    return files


def object_in(kind: Kind, name: str, path: Path, content: bytes | None = None) -> ApiObject:
    """The object in a file, or in the content that it is to have."""
    api_object = read_object(
        path, expected=f"one {kind} object of Lieutenant's API", content=content
    )
    reader = FieldReader(api_object)
    for where, problem in _not_json(api_object.fields, ()):
        reader.reject(problem, *where, hint="put it in quotes")
    written_id = reader.required("id", missing="id is missing", hint=f"write `id: {name}`")
    if written_id and written_id != name:
        reader.reject(
            f"the id is {written_id}, but the file is named {path.name}",
            "id",
            hint="rename the file, or fix the id",
        )
    raise_collected(reader.problems, str(path))
    for field in api_object.fields:
        if field not in _KNOWN_FIELDS and (meant := typo_of(field, _KNOWN_FIELDS)):
            log.warning(
                "%s: %s is ignored; did you mean %s?",
                api_object.place(field),
                field,
                meant,
            )
    return api_object


def _not_json(value: object, where: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    """Values that YAML has and the API's JSON has not: dates, keys that are not strings."""
    match value:
        case dict():
            for key, inner in value.items():
                location = (*where, str(key))
                if not isinstance(key, str):
                    yield (
                        location,
                        f"{'.'.join(location)}: a key must be a string, not {kind_of(key)}",
                    )
                yield from _not_json(inner, location)
        case list():
            for inner in value:
                yield from _not_json(inner, where)
        case float() if not math.isfinite(value):
            yield where, f"{'.'.join(where)} is not a finite number"
        case None | bool() | str() | int() | float():
            return
        case _:
            yield where, f"{'.'.join(where)} must be a string or a number, not {kind_of(value)}"
