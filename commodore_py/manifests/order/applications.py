"""Which application of Argo CD syncs which object of a catalog (pure)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from commodore_py.manifests.objects import items, mapping, mappings, text, value_in

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from commodore_py.manifests.objects import Content, KubeObject

KIND = ("argoproj.io", "Application")
PRUNE_LAST, CREATE_NAMESPACE = "PruneLast=true", "CreateNamespace=true"


@dataclass(frozen=True, slots=True)
class Application:
    """An application: the folders that it syncs, and how."""

    name: str = ""
    paths: tuple[str, ...] = ()
    namespace: str = ""
    options: tuple[str, ...] = ()
    url: str = ""
    """The repository of its first source."""
    flat: tuple[str, ...] = ()
    """Folders of which it reads the files, but not those in folders below."""


@dataclass(frozen=True, slots=True)
class Assigned:
    """Objects by application, and those of none."""

    applications: tuple[tuple[Application, tuple[KubeObject, ...]], ...]
    unapplied: tuple[KubeObject, ...] = ()
    outside: tuple[Application, ...] = ()
    """Applications whose path holds none of the files: of another repository, or not compiled."""


def application_of(kube_object: KubeObject, rendered: Collection[str] = ()) -> Application | None:
    """An object of the kind Application as what it says.

    Folders that a tool renders, such as kustomize, are read as a whole.
    """
    if (kube_object.id.group, kube_object.id.kind) != KIND:
        return None
    spec = mapping(kube_object.content.get("spec"))
    sources = mappings([spec.get("source"), *items(spec.get("sources"))])
    paths = {
        _clean(path): is_flat(source)
        for source in sources
        if isinstance(path := source.get("path"), str)
    }
    urls = (url for source in sources if isinstance(url := source.get("repoURL"), str))
    options = items(value_in(spec, "syncPolicy", "syncOptions"))
    return Application(
        kube_object.id.name,
        tuple(path for path, flat in paths.items() if not flat or path in rendered),
        text(value_in(spec, "destination", "namespace")),
        tuple(map(str, options)),
        next(urls, ""),
        tuple(path for path, flat in paths.items() if flat and path not in rendered),
    )


def is_flat(source: Content) -> bool:
    """Return whether Argo CD reads only the files of the folder itself."""
    plain = not any(name in source for name in ("chart", "helm", "kustomize", "plugin"))
    return plain and mapping(source.get("directory")).get("recurse") is not True


def assigned(objects: Sequence[KubeObject], root: str, rendered: Collection[str] = ()) -> Assigned:
    """The application of each object: the one with the longest path that holds its file.

    Without any application of this repository, all objects are one. The paths of applications with
    one name add up.
    """
    by_name: dict[str, Application] = {}
    for kube_object in objects:
        if (application := application_of(kube_object, rendered)) is not None:
            first = by_name.get(application.name, application)
            paths, flat = first.paths + application.paths, first.flat + application.flat
            by_name[application.name] = replace(first, paths=paths, flat=flat)
    files = {_relative(kube_object.file, root) for kube_object in objects}
    applications = [
        application
        # What is below a folder of files is of this repository, too.
        for application in by_name.values()
        if any(
            owners_of([replace(application, paths=application.paths + application.flat)], file)
            for file in files
        )
    ]
    outside = tuple(
        application for application in by_name.values() if application not in applications
    )
    if not applications:
        return Assigned(((Application(), tuple(objects)),), outside=outside)
    groups: dict[str, list[KubeObject]] = {application.name: [] for application in applications}
    unapplied: list[KubeObject] = []
    owners = {file: owners_of(applications, file) for file in files}
    for kube_object in objects:
        names = owners[_relative(kube_object.file, root)]
        (groups[names[0]] if names else unapplied).append(kube_object)
    synced = tuple(
        (application, tuple(groups[application.name]))
        for application in applications
        if groups[application.name]
    )
    return Assigned(synced, tuple(unapplied), outside)


def owners_of(applications: Iterable[Application], file: str) -> tuple[str, ...]:
    """The names of the applications that sync a file: those with the longest path."""
    lengths = {
        application.name: max(len(path) for path in paths)
        for application in applications
        if (paths := tuple(_paths_of(application, file)))
    }
    longest = max(lengths.values(), default=0)
    return tuple(name for name, length in lengths.items() if length == longest)


def _paths_of(application: Application, file: str) -> Iterator[str]:
    """The paths of an application that hold a file."""
    yield from (path for path in application.paths if not path or f"/{path}/" in f"/{file}")
    folder = f"/{file}".rpartition("/")[0]
    yield from (
        path for path in application.flat if f"{folder}/".endswith(f"/{path}/") or path == folder
    )


def _relative(file: str, root: str) -> str:
    return file.removeprefix(f"{root}/") if root else file


def _clean(path: str) -> str:
    cleaned = str(PurePosixPath(path))
    return "" if cleaned == "." else cleaned
