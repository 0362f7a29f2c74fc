"""Applications to what must be fetched for them (pure)."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from commodore_py.errors import CommodoreError, raise_collected
from commodore_py.model import DependencySpec, Instance, Kind

from .versions import component_spec, instance_spec, package_spec

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from commodore_py.model import ClassPath, Cluster, Node

_Wanted = TypeVar("_Wanted")

_PACKAGE_PREFIX = "pkg."
_RESERVED_PACKAGES = {"components", "defaults", "global", "params"}
_RESERVED_INSTANCES = {"cluster", "lib", "libs"}


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

    specs, errors = _each(spec, names)
    raise_collected(errors, "cannot tell which packages to fetch")
    return specs


def wanted_components(node: Node) -> tuple[DependencySpec, ...]:
    """The components that the configuration asks for, then their aliased instances."""
    instances = _instances_in(node)
    names = sorted({instance.component for instance in instances})
    components, errors = _each(lambda name: component_spec(node.parameters, name), names)
    by_name = {spec.name: spec for spec in components}
    aliased = [one for one in instances if one.aliased and one.component in by_name]
    others, more_errors = _each(
        lambda one: instance_spec(node.parameters, one, by_name[one.component]), aliased
    )
    raise_collected([*errors, *more_errors], "cannot tell which components to fetch")
    return (*components, *others)


def instances_of(node: Node, classes: ClassPath) -> tuple[Instance, ...]:
    """The instances of the cluster that have a checkout, sorted by name."""
    return tuple(
        instance for instance in _instances_in(node) if classes.component(instance.name) is not None
    )


def requests_in(node: Node) -> Iterator[tuple[str, Instance]]:
    """The applications that are no packages, and the instances that they ask for."""
    for application in node.applications:
        if not application.startswith(_PACKAGE_PREFIX):
            component, instance = _split(application)
            yield application, Instance(instance, component)


def _instances_in(node: Node) -> tuple[Instance, ...]:
    claims: dict[str, set[str]] = {}
    for _, wanted in requests_in(node):
        claims.setdefault(wanted.name, set()).add(wanted.component)
    components = {component for claimed in claims.values() for component in claimed}
    for name in components & claims.keys():
        # A component is checked out under its own name, even if only others are instances of it.
        claims[name].add(name)
    errors = [
        *(
            _contested(name, claimed)
            for name, claimed in sorted(claims.items())
            if len(claimed) > 1
        ),
        *(_bad_name(name) for name in sorted(components | claims.keys()) if not _is_free(name)),
    ]
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


def _is_free(name: str) -> bool:
    taken = name in _RESERVED_INSTANCES or name.startswith(_PACKAGE_PREFIX)
    return _is_folder_name(name) and not taken


def _is_folder_name(name: str) -> bool:
    return bool(name) and "/" not in name and not name.startswith(".")


def _bad_name(name: str) -> CommodoreError:
    return CommodoreError(
        f"{name!r} cannot be the name of a component or an instance",
        where="applications of the cluster",
        hint="it names a folder and a target: choose one without `/` that starts neither with a"
        f" dot nor with `{_PACKAGE_PREFIX}`, and is none of "
        + ", ".join(sorted(_RESERVED_INSTANCES)),
    )


def _check_package_name(name: str) -> None:
    if name in _RESERVED_PACKAGES or name.startswith("t-") or not _is_folder_name(name):
        raise CommodoreError(
            f"{name!r} cannot be the name of a package",
            where=f"application {_PACKAGE_PREFIX}{name}",
            hint="it names a folder of classes: choose one without `/` that starts neither with a"
            " dot nor with `t-` (these belong to tenants), and is none of "
            + ", ".join(sorted(_RESERVED_PACKAGES)),
        )


def _each(
    spec: Callable[[_Wanted], DependencySpec], wanted: Iterable[_Wanted]
) -> tuple[tuple[DependencySpec, ...], list[CommodoreError]]:
    specs: list[DependencySpec] = []
    errors: list[CommodoreError] = []
    for one in wanted:
        try:
            specs.append(spec(one))
        except CommodoreError as error:
            errors.append(error)
    return tuple(specs), errors
