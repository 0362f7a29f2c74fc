"""What jsonnet-bundler would bring: local libraries linked by us, others by its own program."""

from __future__ import annotations

import json
import logging
import shutil
from typing import TYPE_CHECKING, Any

from commodore_py.adapters.files import write_if_changed
from commodore_py.adapters.git_urls import without_password
from commodore_py.adapters.process import ProgramFailed, run
from commodore_py.errors import CommodoreError, NotBuiltYet, raise_collected
from commodore_py.model import Kind

from .libraries import bring_links, link_libraries
from .versions import overrides_without_url

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from commodore_py.config import Config, WorkPaths
    from commodore_py.model import ClassPath, Dependency, Inventory

log = logging.getLogger(__name__)


def fetch_vendored(config: Config, classes: ClassPath, inventory: Inventory) -> None:
    """Link the components' libraries, and bring the Jsonnet libraries they ask for."""
    parameters = inventory.bootstrap.parameters
    raise_collected(
        overrides_without_url(parameters, inventory.instances), "versions without a repository"
    )
    components = classes.of_kind(Kind.COMPONENT)
    paths = config.paths
    link_libraries(paths.libraries, components, parameters, keep_others=config.local)
    (paths.dependencies / "libs").mkdir(exist_ok=True)  # empty, but people's scripts expect it
    if config.local and not config.fetch_dependencies:
        return
    libraries = [name for one in components for name in _libraries_wanted_by(one)]
    names = [component.spec.name for component in components]
    write_if_changed(paths.jsonnetfile, jsonnetfile(names))
    if libraries:
        _run_bundler(paths, libraries)
        return
    wanted = {name: paths.dependencies / name for name in names}
    bring_links(paths.vendor, {**wanted, "lib": paths.libraries}, sweep=True)
    write_if_changed(_lock_file(paths), lock_file(names))


def jsonnetfile(components: Sequence[str]) -> bytes:
    """The list of dependencies that jsonnet-bundler is given (pure)."""
    sources = [{"source": _local(name)} for name in [*sorted(components), "lib"]]
    content = {"version": 1, "dependencies": sources, "legacyImports": True}
    return (json.dumps(content, indent=4) + "\n").encode()


def lock_file(components: Sequence[str]) -> bytes:
    """What jsonnet-bundler notes down when all of its dependencies are local (pure)."""
    locked = [{"source": _local(name), "version": ""} for name in sorted([*components, "lib"])]
    content = {"version": 1, "dependencies": locked, "legacyImports": False}
    return (json.dumps(content, indent=2) + "\n").encode()


def _local(name: str) -> dict[str, Any]:
    return {"local": {"directory": f"dependencies/{name}"}}


def _lock_file(paths: WorkPaths) -> Path:
    return paths.root / "jsonnetfile.lock.json"


def _libraries_wanted_by(component: Dependency) -> list[str]:
    """Jsonnet libraries that a component wants, each with the component's name."""
    if (component.worktree / "jsonnetfile.jsonnet").is_file():
        raise NotBuiltYet.named(
            f"rendering jsonnetfile.jsonnet of component {component.spec.name}",
            instead="commit a jsonnetfile.json instead",
        )
    file = component.worktree / "jsonnetfile.json"
    if not file.is_file():
        return []
    return [f"{component.spec.name} wants {library}" for library in _libraries_in(file)]


def _libraries_in(file: Path) -> list[str]:
    try:
        content = json.loads(file.read_bytes() or b"{}")
        sources = [entry["source"] for entry in content.get("dependencies") or []]
        return [
            without_password(str(source["git"]["remote"]))
            if "git" in source
            else str(source["local"]["directory"])
            for source in sources
        ]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise CommodoreError(
            f"not a jsonnet-bundler file: {type(error).__name__} {error}",
            where=str(file),
            hint='expected {"version": 1, "dependencies": [{"source": {...}, "version": "..."}]}',
        ) from error


def _run_bundler(paths: WorkPaths, libraries: Sequence[str]) -> None:
    if shutil.which("jb") is None:
        raise NotBuiltYet.named(
            f"fetching Jsonnet libraries without the program jb ({'; '.join(libraries)})",
            instead="install jsonnet-bundler (jb), or remove these libraries",
        )
    # Versions are always looked up anew.
    _lock_file(paths).unlink(missing_ok=True)
    log.info("jb fetches the Jsonnet libraries: %s", "; ".join(libraries))
    try:
        run(["jb", "install"], cwd=paths.root)
    except ProgramFailed as error:
        for library in libraries:
            error.add_note(f"component {library}")
        raise
