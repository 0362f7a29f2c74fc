"""What jsonnet-bundler would bring: local libraries linked by us, others by its own program."""

from __future__ import annotations

import json
import logging
import shutil
from typing import TYPE_CHECKING, Any

from commodore_py.adapters.files import link, remove, write_if_changed
from commodore_py.adapters.process import run
from commodore_py.errors import CommodoreError, NotBuiltYet, raise_collected
from commodore_py.model import Kind

from .libraries import link_libraries
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
    write_if_changed(paths.jsonnetfile, _jsonnetfile(components))
    remote = [name for one in components for name in _remote_libraries(one)]
    if remote:
        _run_bundler(paths, remote)
    else:
        _link_vendor(paths, components)


def _jsonnetfile(components: Sequence[Dependency]) -> bytes:
    folders = [f"dependencies/{component.spec.name}" for component in components]
    content = {
        "version": 1,
        "dependencies": [
            {"source": {"local": {"directory": folder}}}
            for folder in (*folders, "dependencies/lib")
        ],
        "legacyImports": True,
    }
    return (json.dumps(content, indent=4) + "\n").encode()


def _remote_libraries(component: Dependency) -> list[str]:
    """Jsonnet libraries that a component wants from Git, as `component: remote`."""
    if (component.worktree / "jsonnetfile.jsonnet").is_file():
        raise NotBuiltYet.named(
            f"rendering jsonnetfile.jsonnet of component {component.spec.name}",
            instead="commit a jsonnetfile.json instead",
        )
    file = component.worktree / "jsonnetfile.json"
    if not file.is_file():
        return []
    return [
        f"{component.spec.name}: {source['git'].get('remote', '?')}"
        for source in _sources(file)
        if "git" in source
    ]


def _sources(file: Path) -> list[dict[str, Any]]:
    try:
        content = json.loads(file.read_bytes() or b"{}")
        return [dependency["source"] for dependency in content.get("dependencies") or []]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise CommodoreError(
            f"not a jsonnet-bundler file: {error}",
            where=str(file),
            hint='expected {"version": 1, "dependencies": [{"source": {...}, "version": "..."}]}',
        ) from error


def _run_bundler(paths: WorkPaths, remote: Sequence[str]) -> None:
    if shutil.which("jb") is None:
        raise NotBuiltYet.named(
            f"fetching Jsonnet libraries from Git without jb ({'; '.join(remote)})",
            instead="install jsonnet-bundler (jb), or remove these libraries",
        )
    paths.root.joinpath("jsonnetfile.lock.json").unlink(missing_ok=True)
    log.info("jb fetches %d Jsonnet libraries", len(remote))
    run(["jb", "install"], cwd=paths.root)


def _link_vendor(paths: WorkPaths, components: Sequence[Dependency]) -> None:
    wanted = {
        **{c.spec.name: paths.dependencies / c.spec.name for c in components},
        "lib": paths.libraries,
    }
    paths.vendor.mkdir(exist_ok=True)
    for present in paths.vendor.iterdir():
        if present.is_symlink() and present.name not in wanted:
            remove(present)
    for name, target in wanted.items():
        link(paths.vendor / name, target)
