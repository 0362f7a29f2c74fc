"""`parameters.components` and `parameters.packages` to dependency specs (pure)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from posixpath import normpath
from typing import TYPE_CHECKING, Any

from commodore_py.errors import CommodoreError, raise_collected
from commodore_py.model.dependency import DependencySpec, Kind
from commodore_py.model.inventory import BOOTSTRAP
from commodore_py.model.names import did_you_mean, problem_of_text, shown, typo_of
from commodore_py.model.spot import NOWHERE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from commodore_py.model.inventory import Instance, Parameters
    from commodore_py.model.spot import Places


@dataclass(frozen=True, slots=True)
class ClusterParameters:
    """The parameters of a cluster, and the places that set them."""

    parameters: Parameters
    places: Places = NOWHERE

    def error(self, message: str, *path: str, hint: str) -> CommodoreError:
        """An error about a parameter, with its file and line if it has one."""
        where = f"parameters.{'.'.join(path)}"
        place = self.places.parameter(BOOTSTRAP, path)
        return CommodoreError(message, where=f"{place}\n{where}" if place else where, hint=hint)

    def listed_at(self, applications: Iterable[str]) -> str:
        """Where these applications are listed."""
        places = (self.places.application(BOOTSTRAP, name) for name in sorted(applications))
        return ", ".join(dict.fromkeys(place for place in places if place))


def spec_of(parameters: ClusterParameters, kind: Kind, name: str) -> DependencySpec:
    """Where a package or a component comes from."""
    what = kind.name.lower()
    key = f"{what}s"
    entries = _known(parameters, key)
    if name not in entries:
        raise _unknown(parameters, what, name, entries)
    entry = _Entry(parameters, key, name, entries[name])
    url, version, path = entry.text("url"), entry.text("version"), entry.folder()
    missing = [field for field, value in (("url", url), ("version", version)) if not value]
    errors = [_missing(parameters, (key, name), field, entries[name]) for field in missing]
    raise_collected(errors, f"{what} {name} is incomplete")
    component = name if kind is Kind.COMPONENT else ""
    return DependencySpec(kind, name, url, version, path, component=component)


def instance_spec(
    parameters: ClusterParameters, instance: Instance, component: DependencySpec
) -> DependencySpec:
    """Where an instance comes from: by default from where its component does."""
    fields = _known(parameters, "components").get(instance.name) or {}
    entry = _Entry(parameters, "components", instance.name, fields)
    return DependencySpec(
        Kind.INSTANCE,
        instance.name,
        entry.text("url") or component.url,
        entry.text("version") or component.version,
        entry.folder() or component.path,
        component=instance.component,
    )


def overrides_without_url(
    parameters: ClusterParameters, instances: tuple[Instance, ...]
) -> list[CommodoreError]:
    """Entries with a version but without a repository."""
    aliased = {instance.name: instance.component for instance in instances if instance.aliased}
    components, packages = _known(parameters, "components"), _known(parameters, "packages")
    paths = []
    for name, entry in sorted(components.items()):
        if name in aliased:
            paths += [] if aliased[name] in components else [("components", aliased[name])]
        elif not _has_url(entry):
            paths.append(("components", name))
    paths += [("packages", name) for name, entry in sorted(packages.items()) if not _has_url(entry)]
    text, hint = "there is a version, but no repository url", "add the url, or remove the entry"
    return [parameters.error(text, *path, hint=hint) for path in paths]


def _has_url(entry: object) -> bool:
    return isinstance(entry, Mapping) and "url" in entry


def _missing(
    parameters: ClusterParameters, path: tuple[str, str], field: str, entry: Mapping[str, Any]
) -> CommodoreError:
    message = f"{path[0].removesuffix('s')} {path[1]} has no {field}"
    if typo := typo_of(field, entry):
        return parameters.error(message, *path, typo, hint=f"write {field}, not {typo}")
    return parameters.error(message, *path, hint=f"add parameters.{'.'.join(path)}.{field}")


def _known(parameters: ClusterParameters, key: str) -> Mapping[str, Any]:
    return _mapping(parameters, parameters.parameters.get(key) or {}, key)


def _unknown(
    parameters: ClusterParameters, kind: str, name: str, entries: Mapping[str, Any]
) -> CommodoreError:
    shown = name if name == name.strip() else repr(name)  # makes surrounding spaces visible
    meant = did_you_mean(name, entries)
    return parameters.error(
        f"unknown {kind} {shown}",
        f"{kind}s",
        hint=f"{meant and meant + ' Else '}add parameters.{kind}s.{shown} with url and version,"
        " or remove the application",
    )


def _mapping(parameters: ClusterParameters, value: object, *path: str) -> Mapping[str, Any]:
    if isinstance(value, Mapping):
        return value
    raise parameters.error(
        f"expected a mapping, found {_describe(value)}",
        *path,
        hint="write it as url, version and, where needed, path, each on a line of its own",
    )


class _Entry:
    """One entry of the listed components or packages."""

    def __init__(self, parameters: ClusterParameters, key: str, name: str, value: object) -> None:
        self.parameters, self.path = parameters, (key, name)
        self.fields = _mapping(parameters, value, key, name)

    def text(self, field: str) -> str:
        value = self.fields.get(field)
        if value is None or isinstance(value, str):
            problem = problem_of_text(value or "")
            if problem:
                raise self.parameters.error(
                    f"{field} {shown(value or '')} {problem}", *self.path, field, hint="remove it"
                )
            return value or ""
        raise self.parameters.error(
            f"expected a string, found {_describe(value)}",
            *self.path,
            field,
            hint="put it in quotes",
        )

    def folder(self) -> str:
        path = self.text("path").removeprefix("/")
        if normpath(path.strip("/")).split("/")[0] == "..":
            raise self.parameters.error(
                f"path {path} is outside of the repository",
                *self.path,
                "path",
                hint="it is a folder relative to the repository's root",
            )
        return path


def _describe(value: object) -> str:
    return "nothing" if value is None else f"{type(value).__name__} {value!r}"
