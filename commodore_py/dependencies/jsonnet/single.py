"""What a component by itself needs: its Jsonnet libraries, and those it takes from elsewhere."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from commodore_py.dependencies.git.lending import Lender
from commodore_py.errors import raise_collected
from commodore_py.model.inventory import parameter_key

from .aliases import offers_of, problems_of
from .install import install
from .libraries import bring_links, libraries_of, link_libraries, links_of, wrongly_named
from .rendered import SOURCE, TARGET, render_jsonnetfiles
from .shallow import FilesOnly

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from commodore_py.config import Config
    from commodore_py.errors import CommodoreError
    from commodore_py.model.dependency import Dependency
    from commodore_py.model.inventory import Parameters

log = logging.getLogger(__name__)


def misnamed_libraries(component: Dependency) -> list[CommodoreError]:
    """Libraries that do not carry the name of their component."""
    return wrongly_named(component.spec.name, libraries_of(component))


def bring_single(
    config: Config, component: Dependency, parameters: Parameters, *, keep_others: bool = False
) -> None:
    """Bring the Jsonnet libraries that the component asks for into its folder."""
    if not config.fetch_dependencies:
        return
    render_jsonnetfiles(_with_lists(component), parameters)
    if not (component.directory / TARGET).is_file():
        log.info("no Jsonnet libraries to bring: there is no %s", component.directory / TARGET)
        return
    config.paths.bare_clones.mkdir(parents=True, exist_ok=True)  # remotes are asked from there
    clones = FilesOnly(config.paths.bare_clones, Lender.of(config), offline=config.offline)
    install(component.directory, clones, strict=config.strict, keep_others=keep_others)


def wishes_of_single(component: Dependency, parameters: Parameters) -> str:
    """What decides on the Jsonnet libraries of a component: cases with the same share them."""
    if not any((one.worktree / SOURCE).is_file() for one in _with_lists(component)):
        return ""
    settings = parameters.get(parameter_key(component.spec.name))
    given = settings.get("jsonnetfile_parameters") if isinstance(settings, Mapping) else None
    return json.dumps(given, sort_keys=True, default=str)


def link_single(
    config: Config,
    component: Dependency,
    parameters: Parameters,
    beside: Sequence[Dependency] = (),
) -> None:
    """Link the component's library aliases, and all libraries of components beside it.

    Its own libraries are not linked: without a cluster, imports find them by search paths.
    """
    if beside:
        link_libraries(config.paths.libraries, beside, parameters, keep_others=False)
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
