"""`parameters.components` and `parameters.packages` to dependency specs (pure)."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from posixpath import normpath
from typing import TYPE_CHECKING, Any

from commodore_py.errors import CommodoreError, raise_collected
from commodore_py.model import DependencySpec, Kind

if TYPE_CHECKING:
    from commodore_py.model import Instance, Parameters


def package_spec(parameters: Parameters, name: str) -> DependencySpec:
    """Where a package comes from."""
    url, version, path = _complete(parameters, "packages", name)
    return DependencySpec(Kind.PACKAGE, name, url, version, path)


def component_spec(parameters: Parameters, name: str) -> DependencySpec:
    """Where a component comes from."""
    url, version, path = _complete(parameters, "components", name)
    return DependencySpec(Kind.COMPONENT, name, url, version, path, component=name)


def instance_spec(
    parameters: Parameters, instance: Instance, component: DependencySpec
) -> DependencySpec:
    """Where an instance comes from: what it does not say itself is its component's."""
    place = f"components.{instance.name}"
    entry = _mapping(parameters.get("components") or {}, "components").get(instance.name) or {}
    given = _mapping(entry, place)
    return DependencySpec(
        Kind.INSTANCE,
        instance.name,
        _text(given, "url", place) or component.url,
        _text(given, "version", place) or component.version,
        _path(given, place) or component.path,
        component=instance.component,
    )


def overrides_without_url(
    parameters: Parameters, instances: tuple[Instance, ...]
) -> list[CommodoreError]:
    """Entries that set a version of something nobody knows the repository of."""
    aliased = {instance.name: instance.component for instance in instances if instance.aliased}
    components = _mapping(parameters.get("components") or {}, "components")
    packages = _mapping(parameters.get("packages") or {}, "packages")
    found = []
    for name, entry in sorted(components.items()):
        if name in aliased:
            if aliased[name] not in components:
                found.append(_without_url(f"components.{aliased[name]}"))
        elif not _has_url(entry):
            found.append(_without_url(f"components.{name}"))
    for name, entry in sorted(packages.items()):
        if not _has_url(entry):
            found.append(_without_url(f"packages.{name}"))
    return found


def _has_url(entry: object) -> bool:
    return isinstance(entry, Mapping) and "url" in entry


def _without_url(place: str) -> CommodoreError:
    return CommodoreError(
        "there is a version, but no repository url",
        where=f"parameters.{place}",
        hint="add the url, or remove the entry",
    )


def _complete(parameters: Parameters, key: str, name: str) -> tuple[str, str, str]:
    known = _mapping(parameters.get(key) or {}, key)
    kind = key.removesuffix("s")
    place = f"{key}.{name}"
    if name not in known:
        raise _unknown(kind, name, known)
    entry = _mapping(known[name], place)
    url, version = _text(entry, "url", place), _text(entry, "version", place)
    path = _path(entry, place)
    raise_collected(
        [
            CommodoreError(
                f"{kind} {name} has no {field}",
                where=f"parameters.{place}",
                hint=f"add parameters.{place}.{field}",
            )
            for field, value in (("url", url), ("version", version))
            if not value
        ],
        f"{kind} {name} is incomplete",
    )
    return url, version, path


def _unknown(kind: str, name: str, known: Mapping[str, Any]) -> CommodoreError:
    shown = name if name == name.strip() else repr(name)  # spaces around it are easily overlooked
    similar = get_close_matches(name, map(str, known), n=1)
    meant = f"did you mean {similar[0]}? Else " if similar else ""
    return CommodoreError(
        f"unknown {kind} {shown}",
        where=f"parameters.{kind}s",
        hint=f"{meant}add parameters.{kind}s.{shown} with url and version,"
        " or remove the application",
    )


def _mapping(value: object, place: str) -> Mapping[str, Any]:
    if isinstance(value, Mapping):
        return value
    raise CommodoreError(
        f"expected a mapping, found {_describe(value)}",
        where=f"parameters.{place}",
        hint="write it as url, version and, where needed, path, each on a line of its own",
    )


def _text(entry: Mapping[str, Any], field: str, place: str) -> str:
    value = entry.get(field)
    if value is None or isinstance(value, str):
        return value or ""
    raise CommodoreError(
        f"expected a text, found {_describe(value)}",
        where=f"parameters.{place}.{field}",
        hint="put it in quotes",
    )


def _path(entry: Mapping[str, Any], place: str) -> str:
    path = _text(entry, "path", place).removeprefix("/")
    if normpath(path.strip("/")).split("/")[0] == "..":
        raise CommodoreError(
            f"path {path} leads out of the repository",
            where=f"parameters.{place}.path",
            hint="it is the folder of the component or package, seen from the repository's top",
        )
    return path


def _describe(value: object) -> str:
    return "nothing" if value is None else f"{type(value).__name__} {value!r}"
