"""Install and link the Jsonnet libraries of a single component."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from commodore_py.adapters.files import make_folder
from commodore_py.adapters.git.program import over_network
from commodore_py.adapters.process import ProgramFailed
from commodore_py.dependencies.git.clones import has_commit, init_clone
from commodore_py.errors import raise_collected
from commodore_py.model.inventory import parameter_key

from .fetch import Clones
from .install import SOURCE, TARGET, install, render_jsonnetfiles
from .libraries import (
    aliases_of,
    libraries_of,
    link_libraries,
    links_of,
    update_links,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from commodore_py.config import Config
    from commodore_py.model.dependency import Dependency
    from commodore_py.model.inventory import Parameters

    from .jsonnetfile import Remote
    from .resolve import ResolveLocked

log = logging.getLogger(__name__)


def install_component_libraries(
    config: Config,
    component: Dependency,
    parameters: Parameters,
    *,
    keep_others: bool = False,
    resolve_locked: ResolveLocked | None = None,
) -> None:
    """Install the Jsonnet libraries that the component requires into its folder."""
    if not config.fetch_dependencies:
        return
    render_jsonnetfiles(_with_lists(component), parameters)
    if not (component.directory / TARGET).is_file():
        log.info("no Jsonnet libraries to install: %s does not exist", component.directory / TARGET)
        return
    make_folder(config.paths.bare_clones)  # remotes are queried from there
    # With a lock, trees of commits are compared.
    clones = PartialClones.of(config) if resolve_locked is None else Clones.of(config, borrow=True)
    install(
        component.directory,
        clones,
        strict=config.strict,
        keep_others=keep_others,
        resolve_locked=resolve_locked,
    )


def requirements_fingerprint(component: Dependency, parameters: Parameters) -> str:
    """Key of the required libraries: test cases with equal ones share them."""
    if not any((with_list.worktree / SOURCE).is_file() for with_list in _with_lists(component)):
        return ""
    settings = parameters.get(parameter_key(component.spec.name))
    given = settings.get("jsonnetfile_parameters") if isinstance(settings, Mapping) else None
    return json.dumps(given, sort_keys=True, default=str)


def link_component_libraries(
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
    listed = parameters.get("components")
    others = {str(key) for key in listed} if isinstance(listed, dict) else set()
    aliases, errors = aliases_of([name], parameters, deployed={name, *others})
    raise_collected(errors, "cannot link the component's Jsonnet libraries")
    links = links_of(name, aliases.get(name, {}), libraries_of(component))
    update_links(config.paths.libraries, links, prune=False)


def _with_lists(component: Dependency) -> list[Dependency]:
    """The component in its repository, and in its own folder if that is another one.

    Commodore computes the list in the one and reads it in the other.
    """
    inner = replace(component, worktree=component.directory, spec=component.spec._replace(path=""))
    return [component] if component.directory == component.worktree else [component, inner]


# A clone for one compile needs neither maintenance nor negotiation.
_FETCH = ("-c", "maintenance.auto=false", "-c", "fetch.negotiationAlgorithm=noop", "fetch")
_SHALLOW = ("--quiet", "--no-tags", "--no-write-fetch-head", "--filter=blob:none", "--depth=1")


@dataclass(slots=True)
class PartialClones(Clones):
    """Fetches files when they are written; falls back to complete clones."""

    _partial: set[Path] = field(default_factory=set, init=False)
    _present: set[tuple[Path, str]] = field(default_factory=set, init=False)

    def provide(self, remote: Remote, commit: str) -> None:
        """Fetch a commit without its files, which Git fetches when they are written."""
        bare, url = self._place(remote)
        if (bare, commit) in self._present:
            return
        if bare in self._partial or not has_commit(bare, url, commit, self.mirrors):
            try:
                if not (bare / "HEAD").is_file():
                    init_clone(bare, url)
                    self._partial.add(bare)
                over_network(bare, *_FETCH, *_SHALLOW, "origin", commit)
            except ProgramFailed:
                # Not every server supports filters, or sends commits by their ids.
                self.commit(remote, commit)
        self._present.add((bare, commit))
