"""Rules of Commodore for the hierarchy, beyond those of reclass."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from commodore_py.adapters import yaml
from commodore_py.adapters.files.reach import Reach
from commodore_py.adapters.reading import content_of
from commodore_py.adapters.yaml.error import YamlError
from commodore_py.errors import CommodoreError, raise_collected
from commodore_py.model.dependency import CONFIGURATION, Kind
from commodore_py.model.inventory import BOOTSTRAP, Instance, Inventory, Parameters
from commodore_py.model.problem import Problem

from .engine.classes import ClassWalk
from .locator import with_place
from .paths import Index, dotted

if TYPE_CHECKING:
    from commodore_py.model.classpath import ClassPath
    from commodore_py.model.spot import ParameterPath

    from .locator import Locator

# References of older releases; today they would silently stay in the output.
REMOVED_REFERENCES = {
    "${customer:name}": "${cluster:tenant}",
    "${cloud:provider}": "${facts:cloud}",
    "${cloud:region}": "${facts:region}",
    "${cluster:dist}": "${facts:distribution}",
}


class NoComponents(CommodoreError):
    """A cluster whose hierarchy lists no component."""


def check_configuration(classes: ClassPath) -> None:
    """Refuse removed references anywhere in the global and tenant configuration."""
    errors: list[CommodoreError] = []
    reach = Reach(classes.worktrees())
    walk = ClassWalk(reach, errors)
    files = [
        Path(file)
        for repository in classes.of_kind(*CONFIGURATION)
        for file, inside in walk.files_of("", repository.directory)
        if "/." not in f"/{inside}"
    ]
    raise_collected(errors, "some classes cannot be read")
    raise_collected(_in_files(files, reach), "the hierarchy uses removed references")


def check_components(classes: ClassPath) -> None:
    """Refuse removed references in the classes of the components."""
    files = [
        component.directory / "class" / name
        for component in classes.of_kind(Kind.COMPONENT)
        for name in ("defaults.yml", f"{component.spec.name}.yml")
    ]
    raise_collected(_in_files(files), "enabled components use removed references")


def check_values(files: Iterable[Path]) -> None:
    """Refuse removed references in files of values."""
    raise_collected(_in_files(files), "values use removed references")


def check_instances(inventory: Inventory, locator: Locator) -> None:
    """Refuse what the cluster's components do not support."""
    parameters = inventory.bootstrap.parameters
    if parameters.get("component_versions"):
        raise CommodoreError(
            "parameters.component_versions is no longer supported",
            where=with_place(
                "parameters.component_versions",
                locator.parameter(BOOTSTRAP, ("component_versions",)),
            ),
            hint="move its entries to parameters.components",
        )
    if not inventory.instances and any(
        not name.startswith("pkg.") for name in inventory.bootstrap.applications
    ):
        raise CommodoreError(
            "no component of the cluster is checked out",
            where="applications of the cluster",
            hint="compile once without --local to fetch them",
        )
    if not inventory.instances:
        raise NoComponents(
            "the cluster has no components: there is nothing to compile",
            where="applications of the cluster",
            hint="list at least one component under `applications` in the hierarchy",
        )
    check_support(inventory, locator)


def check_support(inventory: Inventory, locator: Locator) -> None:
    """Refuse instances and versions that their components do not support."""
    errors = [
        error
        for instance in inventory.instances
        for error in (
            _missing_key(instance, inventory, locator),
            *_unsupported(instance, inventory, locator),
        )
        if error is not None
    ]
    raise_collected(errors, "component instances that cannot be compiled")


def deprecations(inventory: Inventory) -> tuple[Problem, ...]:
    """The notices of deprecated components, each once."""
    parameters = inventory.bootstrap.parameters
    notices: dict[str, Problem] = {}
    for instance in inventory.instances:
        metadata = _metadata(parameters, instance)
        if metadata.get("deprecated"):
            parts = [f"Component {instance.component} is deprecated."]
            if "replaced_by" in metadata:
                parts.append(f"Use component {metadata['replaced_by']} instead.")
            if "deprecation_notice" in metadata:
                parts.append(str(metadata["deprecation_notice"]))
            notices.setdefault(
                instance.component, Problem(" ".join(parts), code="components/deprecated")
            )
    return tuple(notices.values())


def required_versions(inventory: Inventory) -> Mapping[Instance, object]:
    """Required versions of other components, by instance; most require nothing."""
    required: dict[Instance, object] = {}
    for instance in inventory.instances:
        metadata = _metadata(inventory.nodes[instance.name].parameters, instance)
        if metadata.get("requires"):
            required[instance] = metadata["requires"]
    return required


def _missing_key(
    instance: Instance, inventory: Inventory, locator: Locator
) -> CommodoreError | None:
    if isinstance(inventory.nodes[instance.name].parameters.get(instance.component_key), Mapping):
        return None
    return CommodoreError(
        f"component {instance.component} has no parameters of its own",
        where=with_place(
            f"target {instance.name}: parameters.{instance.component_key}",
            locator.class_file(f"defaults.{instance.name}"),
        ),
        hint=f"define parameters.{instance.component_key} in class/defaults.yml of the component",
    )


def _unsupported(
    instance: Instance, inventory: Inventory, locator: Locator
) -> Iterator[CommodoreError]:
    if not instance.aliased:
        return
    parameters = inventory.bootstrap.parameters
    defaults = f"defaults.{instance.component}"
    if not _metadata(parameters, instance) and not locator.class_file(defaults):
        yield CommodoreError(
            f"component {instance.component} is not here, but {instance.name} is an instance of it",
            where=locator.application(BOOTSTRAP, f"{instance.component} as {instance.name}"),
            hint="compile once without --local to fetch it",
        )
        return
    node_parameters = inventory.nodes[instance.name].parameters
    place = f"parameters.{instance.component_key}._metadata"
    if not _metadata(parameters, instance).get("multi_instance"):
        yield CommodoreError(
            f"component {instance.component} does not support instances"
            f" (wanted as {instance.name})",
            where=with_place(
                f"{place}.multi_instance",
                locator.application(BOOTSTRAP, f"{instance.component} as {instance.name}"),
            ),
            hint=f"use it under its own name, or set {place}.multi_instance in the component",
        )
    override = (parameters.get("components") or {}).get(instance.name) or {}
    if override.get("url") is None and override.get("version") is None:
        return
    versions = {"the component's version": parameters, "the instance's version": node_parameters}
    lacking = [
        which
        for which, its in versions.items()
        if not _metadata(its, instance).get("multi_version")
    ]
    if lacking:
        yield CommodoreError(
            f"component {instance.component} does not support a version of its own"
            f" for instance {instance.name}",
            where=with_place(
                f"parameters.components.{instance.name}",
                locator.parameter(BOOTSTRAP, ("components", instance.name)),
            ),
            hint=f"remove url and version there, or set {place}.multi_version"
            f" where it is missing: in {' and in '.join(lacking)}",
        )


def _metadata(parameters: Parameters, instance: Instance) -> Mapping[str, Any]:
    component = parameters.get(instance.component_key)
    metadata = component.get("_metadata") if isinstance(component, Mapping) else None
    return metadata if isinstance(metadata, Mapping) else {}


def _in_files(files: Iterable[Path], reach: Reach | None = None) -> Iterator[CommodoreError]:
    for file in files:
        read = reach.read if reach is not None else content_of
        text = read(str(file)) if file.is_file() else b""
        # Reading every file as YAML would take seconds in a large hierarchy; most hold none.
        if not any(reference.encode() in text for reference in REMOVED_REFERENCES):
            continue
        try:
            content = yaml.load(text, name=str(file))
        except YamlError:
            continue  # several documents, or an error that the resolver reports with its place
        for path, reference, replacement in removed_references(content):
            yield CommodoreError(
                f"{reference} is no longer supported",
                where=f"{file}: {dotted(path)}",
                hint=f"use {replacement}",
            )


def removed_references(content: object) -> Iterator[tuple[ParameterPath, str, str]]:
    """Removed references in the values of a file: path, reference and replacement."""
    for path, text in _strings(content, ()):
        for reference, replacement in REMOVED_REFERENCES.items():
            if reference in text:
                yield path, reference, replacement


def _strings(value: object, path: ParameterPath) -> Iterator[tuple[ParameterPath, str]]:
    if isinstance(value, str):
        yield path, value
        return
    pairs: Iterable[tuple[Hashable, object]] = ()
    if isinstance(value, Mapping):
        pairs = ((str(key), child) for key, child in value.items())
    elif isinstance(value, list):
        pairs = ((Index(index), child) for index, child in enumerate(value))
    for key, child in pairs:
        yield from _strings(child, (*path, key))
