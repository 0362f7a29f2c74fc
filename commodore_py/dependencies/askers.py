"""Who asks for an application: the lines of class files that list it."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

import yaml

from commodore_py.adapters.yaml import YamlError
from commodore_py.adapters.yaml_nodes import compose

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from commodore_py.model import ClassPath, Node, Parameters

_REFERENCE = re.compile(r"\$\{([^{}]+)\}")


def places_of(applications: Iterable[str], node: Node, classes: ClassPath, root: Path) -> str:
    """Files and lines that list these applications for a target; seen from the folder `root`."""
    wanted = set(applications)
    found = [
        f"{os.path.relpath(file, root)}:{line}"
        for name in node.classes
        for file in _file_of(_filled_in(name, node.parameters), classes)
        for application, line in _listed_in(file)
        if application in wanted
    ]
    return ", ".join(dict.fromkeys(found)) or "applications of the cluster"


def _filled_in(name: str, parameters: Parameters) -> str:
    """The name of a class, with the values of its references: it is kept as it was written."""

    def value(reference: re.Match[str]) -> str:
        found: object = parameters
        for key in reference[1].split(":"):
            found = found.get(key) if isinstance(found, Mapping) else None
        return str(found)

    return _REFERENCE.sub(value, name)


def _file_of(name: str, classes: ClassPath) -> Iterator[Path]:
    """The file of a class, as long as it comes from a repository."""
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
    try:
        root = compose(file.read_bytes(), name=str(file))
    except (OSError, YamlError):
        return  # the hierarchy was read before; here it is only about a place
    for key, value in root.value if isinstance(root, yaml.MappingNode) else ():
        if key.value == "applications" and isinstance(value, yaml.SequenceNode):
            for item in value.value:
                if isinstance(item, yaml.ScalarNode):
                    yield item.value, int(item.start_mark.line) + 1
