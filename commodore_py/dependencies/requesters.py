"""Where applications and versions are requested: files and lines for messages."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from commodore_py.adapters.reading import bytes_of
from commodore_py.adapters.yaml.error import YamlError
from commodore_py.adapters.yaml.nodes import compose
from commodore_py.errors import CommodoreError
from commodore_py.model.inventory import BOOTSTRAP
from commodore_py.model.spot import NOWHERE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from commodore_py.model.classpath import ClassPath
    from commodore_py.model.inventory import Node, Parameters
    from commodore_py.model.spot import Places

_REFERENCE = re.compile(r"\$\{([^{}]+)\}")


class ClusterParameters(NamedTuple):
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
        found = (self.places.application(BOOTSTRAP, name) for name in sorted(applications))
        return ", ".join(dict.fromkeys(place for place in found if place))


def places_of(applications: Iterable[str], node: Node, classes: ClassPath, root: Path) -> str:
    """Files and lines that list these applications for a target, relative to the folder `root`."""
    wanted = set(applications)
    found = [
        f"{os.path.relpath(file, root)}:{line}"
        for name in node.classes
        for file in _file_of(_resolved(name, node.parameters), classes)
        for application, line in _listed_in(file)
        if application in wanted
    ]
    return ", ".join(dict.fromkeys(found)) or "applications of the cluster"


def _resolved(name: str, parameters: Parameters) -> str:
    """The name of a class with its references resolved; nodes have it unresolved."""

    def value(reference: re.Match[str]) -> str:
        found: object = parameters
        for key in reference[1].split(":"):
            found = found.get(key) if isinstance(found, Mapping) else None
        return str(found)

    return _REFERENCE.sub(value, name)


def _file_of(name: str, classes: ClassPath) -> Iterator[Path]:
    """The file of a class, if it comes from a repository."""
    path = name.replace(".", "/")
    for prefix, source in classes.entries():
        if path == prefix:
            candidates = [source, source / "init.yml", source / "init.yaml"]
        elif path.startswith(f"{prefix}/"):
            inner = source / path.removeprefix(f"{prefix}/")
            folder = [inner / "init.yml", inner / "init.yaml"]
            candidates = [inner.with_name(f"{inner.name}{s}") for s in (".yml", ".yaml")] + folder
        else:
            continue
        yield from [file for file in candidates if file.is_file()][:1]


def _listed_in(file: Path) -> Iterator[tuple[str, int]]:
    import yaml  # slow to import, and needed by messages only

    try:
        root = compose(bytes_of(str(file)), name=str(file))
    except (OSError, YamlError):
        return  # errors are reported when the hierarchy is read
    for key, value in root.value if isinstance(root, yaml.MappingNode) else ():
        if key.value == "applications" and isinstance(value, yaml.SequenceNode):
            for item in value.value:
                if isinstance(item, yaml.ScalarNode):
                    yield item.value, int(item.start_mark.line) + 1
