"""Install the Jsonnet libraries of a cluster."""

from __future__ import annotations

import json
import logging
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from commodore_py.adapters.files import make_folder, write_if_changed
from commodore_py.dependencies.versions import ClusterParameters, overrides_without_url
from commodore_py.errors import raise_collected
from commodore_py.model.dependency import Kind
from commodore_py.model.spot import NOWHERE

from .fetch import Clones
from .install import install, render_jsonnetfiles
from .libraries import link_libraries

if TYPE_CHECKING:
    from collections.abc import Sequence

    from commodore_py.config import Config
    from commodore_py.errors import CommodoreError
    from commodore_py.model.classpath import ClassPath
    from commodore_py.model.inventory import Inventory, Node
    from commodore_py.model.spot import Places

    from .resolve import ResolveLocked

log = logging.getLogger(__name__)


def install_cluster_libraries(
    config: Config,
    classes: ClassPath,
    inventory: Inventory,
    places: Places = NOWHERE,
    *,
    resolve_locked: ResolveLocked | None = None,
) -> None:
    """Link the components' libraries, and install the Jsonnet libraries they require."""
    parameters = inventory.bootstrap.parameters
    raise_collected(
        overrides_without_url(ClusterParameters(parameters, places), inventory.instances),
        "versions without a repository",
    )
    components = classes.of_kind(Kind.COMPONENT)
    paths = config.paths
    link_libraries(paths.libraries, components, parameters, keep_others=config.local)
    make_folder(paths.dependencies / "libs")  # empty, but expected by scripts
    if config.local and not config.fetch_dependencies:
        return
    render_jsonnetfiles(components, parameters)
    names = [component.spec.name for component in components]
    write_if_changed(paths.jsonnetfile, jsonnetfile(names))
    clones = Clones.of(config, classes.dependencies, borrow=config.lock_file is not None)
    install(paths.root, clones, strict=config.strict, resolve_locked=resolve_locked)


def jsonnetfile(components: Sequence[str]) -> bytes:
    """The `jsonnetfile.json` of a cluster (pure)."""
    sources = [
        {"source": {"local": {"directory": f"dependencies/{name}"}}}
        for name in [*sorted(components), "lib"]
    ]
    content = {"version": 1, "dependencies": sources, "legacyImports": True}
    return (json.dumps(content, indent=4) + "\n").encode()


_SUFFIXES = {".libsonnet", ".libjsonnet"}
_FOLDER = "lib"


def explain_missing_library(error: CommodoreError, node: Node, *, alone: bool) -> None:
    """Add to errors about imports which component usually provides the library.

    A component that is compiled alone gets libraries of others from folders that the user names.
    """
    for part in error.parts:
        path = PurePosixPath(str(part.subject))
        if path.suffix not in _SUFFIXES or path.parts[:-1] != (_FOLDER,):
            continue
        listed = node.parameters.get("components")
        # Libraries are named after their component: the longest name wins.
        fitting = [name for name in listed or () if f"{path.stem}-".startswith(f"{name}-")]
        component = max(fitting, key=len, default=path.stem)
        if alone:
            advice = "name a folder that has it with -J"
        elif component in node.applications:
            advice = "the version in use has no such library"
        elif component in (listed or ()):
            advice = "add it to `applications`"
        else:
            advice = "add it to `applications`, and its url and version to parameters.components"
        part.hint = f"component {component} usually provides it: {advice}; {part.hint}"
