"""`parameters.components` and `parameters.packages` to dependency specs (pure)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from posixpath import normpath
from typing import TYPE_CHECKING, Any

from commodore_py.errors import CommodoreError, raise_collected
from commodore_py.model.dependency import DependencySpec, Kind

if TYPE_CHECKING:
    from commodore_py.model.inventory import Instance

    from .askers import Said


def package_spec(said: Said, name: str) -> DependencySpec:
    """Where a package comes from."""
    url, version, path = _complete(said, "packages", name)
    return DependencySpec(Kind.PACKAGE, name, url, version, path)


def component_spec(said: Said, name: str) -> DependencySpec:
    """Where a component comes from."""
    url, version, path = _complete(said, "components", name)
    return DependencySpec(Kind.COMPONENT, name, url, version, path, component=name)


def instance_spec(said: Said, instance: Instance, component: DependencySpec) -> DependencySpec:
    """Where an instance comes from: what it does not say itself is its component's."""
    entry = _Entry.of(said, _known(said, "components").get(instance.name) or {}, instance.name)
    return DependencySpec(
        Kind.INSTANCE,
        instance.name,
        entry.text("url") or component.url,
        entry.text("version") or component.version,
        entry.folder() or component.path,
        component=instance.component,
    )


def overrides_without_url(said: Said, instances: tuple[Instance, ...]) -> list[CommodoreError]:
    """Entries that set a version of something nobody knows the repository of."""
    aliased = {instance.name: instance.component for instance in instances if instance.aliased}
    components, packages = _known(said, "components"), _known(said, "packages")
    found = []
    for name, entry in sorted(components.items()):
        if name in aliased:
            if aliased[name] not in components:
                found.append(_without_url(said, "components", aliased[name]))
        elif not _has_url(entry):
            found.append(_without_url(said, "components", name))
    for name, entry in sorted(packages.items()):
        if not _has_url(entry):
            found.append(_without_url(said, "packages", name))
    return found


def _has_url(entry: object) -> bool:
    return isinstance(entry, Mapping) and "url" in entry


def _without_url(said: Said, *path: str) -> CommodoreError:
    return said.wrong(
        "there is a version, but no repository url",
        *path,
        hint="add the url, or remove the entry",
    )


def _complete(said: Said, key: str, name: str) -> tuple[str, str, str]:
    known = _known(said, key)
    kind = key.removesuffix("s")
    if name not in known:
        raise _unknown(said, kind, name, known)
    entry = _Entry.of(said, known[name], name, key=key)
    url, version, path = entry.text("url"), entry.text("version"), entry.folder()
    raise_collected(
        [
            said.wrong(
                f"{kind} {name} has no {field}",
                key,
                name,
                hint=f"add parameters.{key}.{name}.{field}",
            )
            for field, value in (("url", url), ("version", version))
            if not value
        ],
        f"{kind} {name} is incomplete",
    )
    return url, version, path


def _known(said: Said, key: str) -> Mapping[str, Any]:
    return _mapping(said, said.parameters.get(key) or {}, key)


def _unknown(said: Said, kind: str, name: str, known: Mapping[str, Any]) -> CommodoreError:
    shown = name if name == name.strip() else repr(name)  # spaces around it are easily overlooked
    similar = get_close_matches(name, map(str, known), n=1)
    meant = f"did you mean {similar[0]}? Else " if similar else ""
    return said.wrong(
        f"unknown {kind} {shown}",
        f"{kind}s",
        hint=f"{meant}add parameters.{kind}s.{shown} with url and version,"
        " or remove the application",
    )


def _mapping(said: Said, value: object, *path: str) -> Mapping[str, Any]:
    if isinstance(value, Mapping):
        return value
    raise said.wrong(
        f"expected a mapping, found {_describe(value)}",
        *path,
        hint="write it as url, version and, where needed, path, each on a line of its own",
    )


@dataclass(frozen=True, slots=True)
class _Entry:
    """One entry of the listed components or packages."""

    said: Said
    path: tuple[str, str]
    fields: Mapping[str, Any]

    @classmethod
    def of(cls, said: Said, value: object, name: str, *, key: str = "components") -> _Entry:
        return cls(said, (key, name), _mapping(said, value, key, name))

    def text(self, field: str) -> str:
        value = self.fields.get(field)
        if value is None or isinstance(value, str):
            return value or ""
        raise self.said.wrong(
            f"expected a text, found {_describe(value)}",
            *self.path,
            field,
            hint="put it in quotes",
        )

    def folder(self) -> str:
        path = self.text("path").removeprefix("/")
        if normpath(path.strip("/")).split("/")[0] == "..":
            raise self.said.wrong(
                f"path {path} leads out of the repository",
                *self.path,
                "path",
                hint="it is the folder of the component or package, seen from the repository's top",
            )
        return path


def _describe(value: object) -> str:
    return "nothing" if value is None else f"{type(value).__name__} {value!r}"
