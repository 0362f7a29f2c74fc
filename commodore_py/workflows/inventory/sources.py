"""Hierarchies to inspect: two checkouts of configuration, a working directory, a cluster."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from commodore_py import pipeline
from commodore_py.adapters import yaml
from commodore_py.adapters.files import read_tree
from commodore_py.adapters.reading import content_of
from commodore_py.dependencies.discover import instances_of
from commodore_py.errors import CommodoreError
from commodore_py.inventory.resolve import resolve, resolve_bootstrap
from commodore_py.lieutenant.clusters import load_cluster
from commodore_py.manifests.objects import mapping, value_in
from commodore_py.model.inventory import BOOTSTRAP, Instance, parameter_key
from commodore_py.model.names import did_you_mean
from commodore_py.workflows.dry_run import elsewhere

from .hierarchy import Hierarchy, parameters_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from collections.abc import Set as AbstractSet

    from commodore_py.config import Config, WorkPaths
    from commodore_py.model.inventory import Parameters
    from commodore_py.model.tree import Tree

_BASE, _TARGET, _ENTRY = "base", "global", "global.commodore"
_GIVEN = "given-facts"
COMPILE = "run `commodore catalog compile CLUSTER`"


def of_configuration(
    global_config: Path,
    tenant_config: Path | None,
    values: Sequence[Path],
    facts: Mapping[str, Any],
) -> Hierarchy:
    """The hierarchy of a cluster, with made-up values for all that is not given."""
    tenant, cluster = ids_in(values)
    made_up = {f"facts.{name}": _FACTS[name] for name in ("distribution", "cloud", "region")}
    made_up |= {} if tenant else {"cluster.tenant": _TENANT}
    made_up |= {} if cluster else {"cluster.name": _CLUSTER}
    tenant, cluster = tenant or _TENANT, cluster or _CLUSTER
    entries = [("global", global_config)]
    generated = {_BASE: yaml.dump(_parameters_of_cluster(tenant, cluster))}
    if tenant_config is not None:
        entries.append((tenant, tenant_config))
    else:
        # Without any ids, the class of the made-up cluster is not reported as missing.
        generated[f"{_TENANT}.{_CLUSTER}"] = b""
    names = class_names(values, taken={_BASE, _GIVEN, tenant, *dict(entries)})
    entries += zip(names, values, strict=True)
    classes = [_BASE, *names]
    if facts:
        generated[_GIVEN] = class_of_facts(facts)
        classes.append(_GIVEN)
    target = {"classes": [*classes, _ENTRY], "parameters": {"_instance": _TARGET}}
    return Hierarchy(tuple(entries), _TARGET, target, generated, made_up)


def of_working_directory(
    paths: WorkPaths, target: str | None = None, facts: Mapping[str, Any] | None = None
) -> Hierarchy:
    """A target as the last compile left it, over the classes as they are now."""
    target = target or BOOTSTRAP
    file = paths.targets / f"{target}.yml"
    if not file.is_file():
        names = sorted(path.stem for path in paths.targets.glob("*.yml"))
        raise unknown_target(target, names, where=str(paths.targets))
    content = yaml.load_file(file)
    classes = content.get("classes") if isinstance(content, dict) else None
    if not isinstance(classes, list) or not all(isinstance(name, str) for name in classes):
        raise CommodoreError(
            "a target must be a mapping with a list of names of classes",
            where=str(file),
            hint="run `catalog compile` to write it again",
        )
    entries = tuple((path.stem if path.is_file() else path.name, path) for path in _top(paths))
    generated = {}
    if facts:
        generated[_GIVEN] = class_of_facts(facts)
        # The facts of the cluster come first; the hierarchy may override them.
        content["classes"] = [*content["classes"][:1], _GIVEN, *content["classes"][1:]]
    return Hierarchy(entries, target, content, generated)


def parameters_here(paths: WorkPaths, target: str | None = None) -> Parameters:
    """The parameters of a target that was compiled here, whatever classes are missing."""
    hierarchy = of_working_directory(paths, target)
    return parameters_of(hierarchy, engine="native", missing_ok=True)


def is_compiled(paths: WorkPaths) -> bool:
    """Return whether a compile left an inventory in this working directory."""
    return (paths.targets / f"{BOOTSTRAP}.yml").is_file()


def nothing_compiled(paths: WorkPaths) -> CommodoreError:
    """The error for a working directory without a compile."""
    return CommodoreError("nothing was compiled here", where=str(paths.root), hint=COMPILE)


def compiled_trees(paths: WorkPaths) -> dict[str, Tree]:
    """The output of the last compile, by instance; an error if there is none."""
    if not is_compiled(paths) or not paths.compiled.is_dir():
        raise nothing_compiled(paths)
    folders = (folder for folder in sorted(paths.compiled.iterdir()) if folder.is_dir())
    return {folder.name: read_tree(folder) for folder in folders}


def instances_of_working_directory(
    paths: WorkPaths, parameters: Parameters
) -> Iterator[tuple[Instance, Path]]:
    """The instances of the last compile, and the folders of their components."""
    components = {
        parameter_key(str(component)): str(component)
        for component in parameters.get("components") or ()
    }
    for file in sorted(paths.targets.glob("*.yml")):
        given = mapping(mapping(yaml.load_file(file)).get("parameters"))
        if given.get("_base_directory"):
            # An alias is the value of its component's key.
            reference = f"${{{parameter_key(file.stem)}}}"
            key = next((name for name in given if given[name] == reference), "")
            instance = Instance(file.stem, components.get(key, file.stem))
            yield instance, Path(given["_base_directory"])


def parameters_of_cluster(
    config: Config,
    cluster_id: str,
    target: str | None = None,
    facts: Mapping[str, Any] | None = None,
) -> Parameters:
    """The parameters of a cluster's target, gathered as for a compile in a temporary folder."""
    target = target or BOOTSTRAP
    with elsewhere(config) as scratch_config:
        cluster = load_cluster(scratch_config, cluster_id)
        cluster = replace(cluster, facts=overlaid(cluster.facts, facts or {}))
        classes, node = pipeline.gather_classes(scratch_config, cluster)
        if target == BOOTSTRAP:
            return resolve_bootstrap(scratch_config, cluster, classes).parameters
        instances = instances_of(node, classes)
        nodes = resolve(scratch_config, cluster, classes, instances).nodes
        if target not in nodes:
            raise unknown_target(target, sorted(nodes), where=f"cluster {cluster_id}")
        return nodes[target].parameters


def unknown_target(target: str, names: Sequence[str], *, where: str) -> CommodoreError:
    """The error for a target that does not exist, with the known ones."""
    return CommodoreError(
        f"target {target} not found",
        where=where,
        hint=did_you_mean(target, names, listed="there are"),
    )


def _top(paths: WorkPaths) -> Iterable[Path]:
    return sorted(
        path
        for path in paths.classes.iterdir()
        if not path.name.startswith(".") and (path.is_dir() or path.suffix in {".yml", ".yaml"})
    )


_TENANT, _CLUSTER = "t-foo", "c-bar"
_FACTS = {
    "distribution": "x-fake-distribution",
    "cloud": "x-fake-cloud",
    "region": "x-fake-region",
    "lieutenant-instance": "lieutenant-prod",
}


def _parameters_of_cluster(tenant: str, cluster: str) -> dict[str, Any]:
    """The parameters of a cluster with these ids; Commodore's default values for the rest."""
    return {
        "parameters": {
            "cluster": {
                "catalog_url": "not-a-real-repo",
                "display_name": "Foo Inc. Bar cluster",
                "name": cluster,
                "tenant": tenant,
                "tenant_display_name": "Foo Inc.",
            },
            "dynamic_facts": {},
            "facts": _FACTS,
        }
    }


def class_of_facts(facts: Mapping[str, Any]) -> bytes:
    """A class in which given facts override those known so far."""
    return yaml.dump({"parameters": {"facts": _winning(facts)}})


def overlaid(facts: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Known facts with given ones over them."""
    result = dict(facts)
    for name, value in given.items():
        below = facts.get(name)
        nested = isinstance(value, Mapping) and isinstance(below, Mapping)
        result[name] = overlaid(below or {}, value) if nested else value
    return result


def _winning(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Mappings are merged, anything else replaces what there is."""
    return {
        name if isinstance(value, Mapping) else f"~{name}": _winning(value)
        if isinstance(value, Mapping)
        else value
        for name, value in facts.items()
    }


_PLAIN = re.compile(r"[\w-]+")
_INIT = "init"  # the name of a folder's own class


def ids_in(files: Iterable[Path]) -> tuple[str, str]:
    """The tenant and the cluster in files of values; the last file with an id wins."""
    tenant = cluster = ""
    for file in files:
        content = yaml.load(content_of(file), name=str(file))
        for path in (("parameters",), ("parameters", "cluster")):
            if not isinstance(value_in(content, *path), Mapping | None):
                line = yaml.line_at(content_of(file), (0, *path))
                problem = f"`{'.'.join(path)}` must be a mapping"
                raise CommodoreError(problem, where=f"{file}:{line}")
        tenant = str(value_in(content, "parameters", "cluster", "tenant") or tenant)
        cluster = str(value_in(content, "parameters", "cluster", "name") or cluster)
    return tenant, cluster


def class_names(files: Iterable[Path], *, taken: AbstractSet[str]) -> list[str]:
    """A class name for each file: its own, unless another class has that already."""
    names: list[str] = []
    for number, file in enumerate(files, start=1):
        name = file.stem
        if name == _INIT or not _PLAIN.fullmatch(name) or name in {*taken, *names}:
            name = f"values-{number}"
            while name in {*taken, *names}:
                name += "x"
        names.append(name)
    return names
