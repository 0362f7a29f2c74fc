"""Which application of Argo CD syncs which object of a catalog (pure)."""

from __future__ import annotations

from functools import partial
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from commodore_py.manifests.objects import Content, KubeObject

KIND = ("argoproj.io", "Application")
PRUNE_LAST, CREATE_NAMESPACE = "PruneLast=true", "CreateNamespace=true"


class Application(NamedTuple):
    """An application: the folders that it syncs, and how."""

    name: str = ""
    paths: tuple[str, ...] = ()
    namespace: str = ""
    options: tuple[str, ...] = ()
    url: str = ""
    """The repository of its first source."""


class Assigned(NamedTuple):
    """Objects by application, those of none, and those of several."""

    applications: tuple[tuple[Application, tuple[KubeObject, ...]], ...]
    unapplied: tuple[KubeObject, ...] = ()
    shared: tuple[tuple[KubeObject, tuple[str, ...]], ...] = ()
    outside: tuple[Application, ...] = ()
    """Applications whose path holds none of the files: of another repository, or not compiled."""


def application_of(one: KubeObject) -> Application | None:
    """An object of the kind Application as what it says."""
    if (one.id.group, one.id.kind) != KIND:
        return None
    spec = _fields(one.content, "spec")
    sources = spec.get("sources")
    named = [spec.get("source"), *(sources if isinstance(sources, list) else ())]
    paths = [source.get("path") for source in named if isinstance(source, dict)]
    urls = [
        str(source["repoURL"])
        for source in named
        if (isinstance(source, dict) and isinstance(source.get("repoURL"), str))
    ]
    options = _fields(spec, "syncPolicy").get("syncOptions")
    namespace = _fields(spec, "destination").get("namespace")
    return Application(
        one.id.name,
        tuple(_clean(path) for path in paths if isinstance(path, str)),
        namespace if isinstance(namespace, str) else "",
        tuple(map(str, options)) if isinstance(options, list) else (),
        next(iter(urls), ""),
    )


def assigned(objects: Sequence[KubeObject], root: str) -> Assigned:
    """The application of each object: the one with the longest path that holds its file.

    Without any application, all objects are one.
    """
    known = [found for one in objects if (found := application_of(one)) is not None]
    files = {_relative(one.file, root) for one in objects}
    here = [one for one in known if any(map(partial(_holds, one), files))]
    outside = tuple(one for one in known if one not in here)
    if not here:
        return Assigned(((Application(), tuple(objects)),), outside=outside)
    groups: dict[str, list[KubeObject]] = {one.name: [] for one in here}
    unapplied: list[KubeObject] = []
    shared: list[tuple[KubeObject, tuple[str, ...]]] = []
    owners = {file: _owners(here, file) for file in files}
    for one in objects:
        names = owners[_relative(one.file, root)]
        if not names:
            unapplied.append(one)
            continue
        groups[names[0]].append(one)
        if len(names) > 1:
            shared.append((one, names))
    synced = tuple((one, tuple(groups[one.name])) for one in here if groups[one.name])
    return Assigned(synced, tuple(unapplied), tuple(shared), outside)


def owner_of(file: str, among: Assigned) -> Application:
    """The application that syncs a file; one without a name if none does."""
    known = {one.name: one for one, _ in among.applications}
    names = _owners(known.values(), file)
    return known[names[0]] if names else Application()


def _owners(applications: Iterable[Application], file: str) -> tuple[str, ...]:
    lengths = {
        one.name: max(len(path) for path in one.paths if _is_below(path, file))
        for one in applications
        if _holds(one, file)
    }
    longest = max(lengths.values(), default=0)
    return tuple(name for name, length in lengths.items() if length == longest)


def _holds(one: Application, file: str) -> bool:
    return any(_is_below(path, file) for path in one.paths)


def _is_below(path: str, file: str) -> bool:
    return not path or f"/{path}/" in f"/{file}"


def _relative(file: str, root: str) -> str:
    path = PurePosixPath(file)
    return str(path.relative_to(root)) if path.is_relative_to(root) else file


def _clean(path: str) -> str:
    cleaned = str(PurePosixPath(path))
    return "" if cleaned == "." else cleaned


def _fields(content: Content, name: str) -> dict[str, Any]:
    found = content.get(name)
    return found if isinstance(found, dict) else {}
