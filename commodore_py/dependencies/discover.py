"""Applications to what must be fetched for them (pure)."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, TypeVar

from commodore_py.errors import CommodoreError, raise_collected
from commodore_py.model import DependencySpec, Instance, Kind

from .versions import component_spec, instance_spec, package_spec

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from commodore_py.model import ClassPath, Cluster, Node

_Wanted = TypeVar("_Wanted")

log = logging.getLogger(__name__)

_PACKAGE_PREFIX = "pkg."
_RESERVED_PACKAGES = {"components", "defaults", "global", "params"}
_RESERVED_INSTANCES = {"cluster", "lib", "libs", ".repos"}


def wanted_configuration(cluster: Cluster) -> tuple[DependencySpec, ...]:
    """The global and the tenant configuration of a cluster."""
    repos = (
        (Kind.GLOBAL, "global", cluster.global_repo),
        (Kind.TENANT, cluster.tenant, cluster.tenant_repo),
    )
    return tuple(DependencySpec(kind, name, repo.url, repo.revision) for kind, name, repo in repos)


def wanted_packages(node: Node) -> tuple[DependencySpec, ...]:
    """The packages that the configuration asks for, sorted by name."""
    names = sorted(
        {
            application.removeprefix(_PACKAGE_PREFIX)
            for application in node.applications
            if application.startswith(_PACKAGE_PREFIX)
        }
    )

    def spec(name: str) -> DependencySpec:
        _check_package_name(name)
        return package_spec(node.parameters, name)

    return _each(spec, names, "cannot tell which packages to fetch")


def wanted_components(node: Node) -> tuple[DependencySpec, ...]:
    """The components that the configuration asks for, then their aliased instances."""
    instances = _instances_in(node)
    components = sorted({instance.component for instance in instances})
    aliased = [instance for instance in instances if instance.aliased]
    specs = _each(
        lambda name: component_spec(node.parameters, name),
        components,
        "cannot tell which components to fetch",
    )
    by_name = {spec.name: spec for spec in specs}
    return specs + _each(
        lambda instance: instance_spec(node.parameters, instance, by_name[instance.component]),
        aliased,
        "cannot tell which component instances to fetch",
    )


def instances_of(node: Node, classes: ClassPath) -> tuple[Instance, ...]:
    """The instances of the cluster that have a checkout, sorted by name."""
    return tuple(
        instance for instance in _instances_in(node) if classes.component(instance.name) is not None
    )


def _instances_in(node: Node) -> tuple[Instance, ...]:
    claims: dict[str, set[str]] = {}
    for application in node.applications:
        if not application.startswith(_PACKAGE_PREFIX):
            component, instance = _split(application)
            claims.setdefault(instance, set()).add(component)
    errors = [
        _contested(instance, components)
        for instance, components in sorted(claims.items())
        if len(components) > 1
    ]
    errors += [_bad_name(name) for name in sorted(claims) if not _is_plain_name(name)]
    raise_collected(errors, "the applications do not name clear instances")
    return tuple(Instance(name, claims[name].pop()) for name in sorted(claims))


def _split(application: str) -> tuple[str, str]:
    parts = application.split(" as ")
    if len(parts) == 2:  # noqa: PLR2004 - `component as instance`
        return parts[0], parts[1]
    return application, application


def _contested(instance: str, components: set[str]) -> CommodoreError:
    others = sorted(components - {instance})
    if instance in components:
        message = f"component {' and '.join(others)} aliases existing component {instance}"
    else:
        message = f"duplicate instance {instance}, claimed by {' and '.join(others)}"
    return CommodoreError(
        message,
        where="applications of the cluster",
        hint="give each instance a name of its own: `component as instance`",
    )


def _is_plain_name(name: str) -> bool:
    return name not in _RESERVED_INSTANCES and "/" not in name and name not in ("", ".", "..")


def _bad_name(name: str) -> CommodoreError:
    return CommodoreError(
        f"{name!r} cannot be the name of a component instance",
        where="applications of the cluster",
        hint="it names a folder and a target: choose one without `/` that is not one of "
        + ", ".join(sorted(_RESERVED_INSTANCES)),
    )


def _check_package_name(name: str) -> None:
    if name in _RESERVED_PACKAGES or name.startswith("t-") or not _is_plain_name(name):
        raise CommodoreError(
            f"{name!r} cannot be the name of a package",
            where=f"application {_PACKAGE_PREFIX}{name}",
            hint="names starting with `t-` belong to tenants; reserved are "
            + ", ".join(sorted(_RESERVED_PACKAGES)),
        )


def _each(
    spec: Callable[[_Wanted], DependencySpec], wanted: Iterable[_Wanted], summary: str
) -> tuple[DependencySpec, ...]:
    specs: list[DependencySpec] = []
    errors: list[CommodoreError] = []
    for one in wanted:
        try:
            specs.append(spec(one))
        except CommodoreError as error:
            errors.append(error)
    raise_collected(errors, summary)
    return tuple(specs)
