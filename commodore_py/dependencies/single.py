"""What a component by itself needs: its Jsonnet libraries, and those it takes from elsewhere."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING

from commodore_py.errors import raise_collected

from .aliases import offers_of, problems_of
from .bundler_install import install
from .bundler_single import FilesOnly
from .jsonnetfile_rendered import TARGET, render_jsonnetfiles
from .lending import Lender
from .libraries import bring_links, libraries_of, links_of, wrongly_named

if TYPE_CHECKING:
    from pathlib import Path

    from commodore_py.config import Config
    from commodore_py.errors import CommodoreError
    from commodore_py.model import Dependency, Parameters

log = logging.getLogger(__name__)


def misnamed_libraries(component: Dependency) -> list[CommodoreError]:
    """Libraries that do not carry the name of their component."""
    return wrongly_named(component.spec.name, libraries_of(component))


def fetch_single(config: Config, component: Dependency, parameters: Parameters) -> None:
    """Link the component's library aliases, and bring the Jsonnet libraries it asks for.

    Its own libraries are not linked: without a cluster, imports find them by search paths.
    """
    _link_aliases(config, component, parameters)
    render_jsonnetfiles(_with_lists(component), parameters)
    if not (component.directory / TARGET).is_file():
        log.info("no Jsonnet libraries to bring: there is no %s", component.directory / TARGET)
        return
    config.paths.bare_clones.mkdir(parents=True, exist_ok=True)  # remotes are asked from there
    clones = FilesOnly(config.paths.bare_clones, Lender.of(config), offline=config.offline)
    install(component.directory, clones, strict=config.strict)


def _link_aliases(config: Config, component: Dependency, parameters: Parameters) -> None:
    name = component.spec.name
    offers, errors = offers_of([name], parameters)
    listed = parameters.get("components")
    others = {str(key) for key in listed} if isinstance(listed, dict) else set()
    errors += problems_of(offers, deployed={name, *others}, parameters=parameters)
    raise_collected(errors, "the component's Jsonnet libraries cannot be linked")
    libraries = libraries_of(component)
    wanted: dict[str, Path] = {}
    for offer in offers:
        wanted |= links_of(offer, libraries)
    bring_links(config.paths.libraries, wanted, sweep=False)


def _with_lists(component: Dependency) -> list[Dependency]:
    """The component as its repository holds it, and as its own folder does if that is another.

    Commodore computes the list in the one and reads it in the other.
    """
    inner = replace(component, worktree=component.directory, spec=replace(component.spec, path=""))
    return [component] if component.directory == component.worktree else [component, inner]
