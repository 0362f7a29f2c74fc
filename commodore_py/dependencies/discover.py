"""Which repositories and instances the applications of a cluster need (pure)."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from commodore_py.errors import CommodoreError, SeveralErrors, raise_collected
from commodore_py.model.dependency import DependencySpec, Kind
from commodore_py.model.inventory import Instance
from commodore_py.model.names import problem_of_path, shown
from commodore_py.model.spot import NOWHERE

from .versions import ClusterParameters, instance_spec, spec_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from commodore_py.model.classpath import ClassPath
    from commodore_py.model.cluster import Cluster
    from commodore_py.model.inventory import Node
    from commodore_py.model.spot import Places

_Wanted = TypeVar("_Wanted")

PACKAGE_PREFIX = "pkg."
_APPLICATIONS = "applications of the cluster"
_RESERVED_PACKAGES = {"components", "defaults", "global", "params"}
_RESERVED_INSTANCES = {
    "cluster": "the bootstrap target",
    "lib": "the libraries of components",
    "libs": "the libraries of components",
}


def wanted_configuration(cluster: Cluster) -> tuple[DependencySpec, ...]:
    """The global and the tenant configuration of a cluster."""
    repos = (
        (Kind.GLOBAL, "global", cluster.global_repo),
        (Kind.TENANT, cluster.tenant, cluster.tenant_repo),
    )
    return tuple(DependencySpec(kind, name, repo.url, repo.revision) for kind, name, repo in repos)


def wanted_packages(node: Node, places: Places = NOWHERE) -> tuple[DependencySpec, ...]:
    """The packages that the configuration requests, sorted by name."""
    parameters = ClusterParameters(node.parameters, places)
    names = sorted(
        {
            application.removeprefix(PACKAGE_PREFIX)
            for application in node.applications
            if application.startswith(PACKAGE_PREFIX)
        }
    )

    def spec(name: str) -> DependencySpec:
        _check_package_name(parameters, name)
        return spec_of(parameters, Kind.PACKAGE, name)

    specs, errors = _each(spec, {name: [f"{PACKAGE_PREFIX}{name}"] for name in names}, parameters)
    raise_collected(errors, "cannot determine which packages to fetch")
    return specs


def wanted_components(node: Node, places: Places = NOWHERE) -> tuple[DependencySpec, ...]:
    """The components that the configuration requests, then their aliased instances."""
    parameters = ClusterParameters(node.parameters, places)
    instances = _instances_in(node, parameters)
    requested_by: dict[str, list[str]] = {}
    for application, instance in requests_in(node):
        requested_by.setdefault(instance.component, []).append(application)
    components, errors = _each(
        lambda name: spec_of(parameters, Kind.COMPONENT, name),
        {name: requested_by[name] for name in sorted(requested_by)},
        parameters,
    )
    by_name = {spec.name: spec for spec in components}
    aliased = [
        instance for instance in instances if instance.aliased and instance.component in by_name
    ]
    others, more_errors = _each(
        lambda instance: instance_spec(parameters, instance, by_name[instance.component]),
        {instance: [f"{instance.component} as {instance.name}"] for instance in aliased},
        parameters,
    )
    raise_collected([*errors, *more_errors], "cannot determine which components to fetch")
    return (*components, *others)


def instances_of(node: Node, classes: ClassPath) -> tuple[Instance, ...]:
    """The instances of the cluster that have a checkout, sorted by name."""
    return tuple(
        instance
        for instance in _instances_in(node, ClusterParameters(node.parameters))
        if classes.component(instance.name) is not None
    )


def requests_in(node: Node) -> Iterator[tuple[str, Instance]]:
    """The applications other than packages, and the instances that they request."""
    for application in node.applications:
        if not application.startswith(PACKAGE_PREFIX):
            component, instance = _split(application)
            yield application, Instance(instance, component)


def _instances_in(node: Node, parameters: ClusterParameters) -> tuple[Instance, ...]:
    claims: dict[str, set[str]] = {}
    listed_as: dict[str, set[str]] = {}
    for application, instance in requests_in(node):
        claims.setdefault(instance.name, set()).add(instance.component)
        for name in (instance.name, instance.component):
            listed_as.setdefault(name, set()).add(application)
    components = {component for claimed in claims.values() for component in claimed}
    for name in components & claims.keys():
        # A component is checked out under its own name, even if only others are instances of it.
        claims[name].add(name)
    contested = {name: claimed for name, claimed in sorted(claims.items()) if len(claimed) > 1}
    unusable = [
        name
        for name in sorted(listed_as)
        if name in _RESERVED_INSTANCES
        or name.startswith(PACKAGE_PREFIX)
        or not _is_folder_name(name)
    ]

    def where(name: str) -> str:
        return parameters.listed_at(listed_as[name]) or _APPLICATIONS

    raise_collected(
        (
            *(_contested(name, claimed, where(name)) for name, claimed in contested.items()),
            *(_bad_name(name, where(name)) for name in unusable),
        ),
        "invalid names of instances",
    )
    return tuple(Instance(name, claims[name].pop()) for name in sorted(claims))


def _split(application: str) -> tuple[str, str]:
    parts = application.split(" as ")
    if len(parts) == 2:  # noqa: PLR2004 - `component as instance`
        return parts[0], parts[1]
    return application, application


def _contested(instance: str, components: set[str], where: str) -> CommodoreError:
    others = sorted(components - {instance})
    if instance in components:
        message = f"component {' and '.join(others)} aliases existing component {instance}"
    else:
        message = f"duplicate instance {instance}, claimed by {' and '.join(others)}"
    return CommodoreError(
        message,
        where=where,
        hint="use a unique name for each instance: `component as instance`",
    )


def _is_folder_name(name: str) -> bool:
    # Files are named after it, too: targets and classes.
    plain = bool(name) and "/" not in name and not name.startswith(".")
    return plain and not problem_of_path(f"{name}.yml")


def _bad_name(name: str, where: str) -> CommodoreError:
    owner = _RESERVED_INSTANCES.get(name)
    reserved = f"it is reserved for {owner}: " if owner else ""
    hint = (
        f"{reserved}it names a folder and a target: choose one without `/` that starts neither"
        f" with a dot nor with `{PACKAGE_PREFIX}`, and is not one of "
    )
    hint += ", ".join(sorted(_RESERVED_INSTANCES))
    return _refused(name, "a component or an instance", where, hint)


def _check_package_name(parameters: ClusterParameters, name: str) -> None:
    if name in _RESERVED_PACKAGES or name.startswith("t-") or not _is_folder_name(name):
        hint = (
            "it names a folder of classes: choose one without `/` that starts neither with a"
            " dot nor with `t-` (these belong to tenants), and is not one of "
        )
        hint += ", ".join(sorted(_RESERVED_PACKAGES))
        where = parameters.listed_at([f"{PACKAGE_PREFIX}{name}"]) or _APPLICATIONS
        raise _refused(name, "a package", where, hint)


def _refused(name: str, what: str, where: str, hint: str) -> CommodoreError:
    problem = problem_of_path(f"{name}.yml")
    message = f"{shown(name, quoted=True)} cannot be the name of {what}"
    return CommodoreError(
        f"{message}: it {problem}" if problem else message, where=where, hint=hint
    )


def _each(
    spec: Callable[[_Wanted], DependencySpec],
    requested: Mapping[_Wanted, Iterable[str]],
    parameters: ClusterParameters,
) -> tuple[tuple[DependencySpec, ...], list[CommodoreError]]:
    """The specs of the applications, and the errors of invalid ones."""
    specs: list[DependencySpec] = []
    errors: list[CommodoreError] = []
    for request, applications in requested.items():
        try:
            specs.append(spec(request))
        except CommodoreError as error:
            listed = parameters.listed_at(applications)
            if listed:
                for problem in error.errors if isinstance(error, SeveralErrors) else (error,):
                    problem.add_note(f"requested in {listed}")
            errors.append(error)
    return tuple(specs), errors
