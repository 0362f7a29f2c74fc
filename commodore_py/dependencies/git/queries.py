"""Query all remotes in parallel, except those of dependencies that are up to date."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from commodore_py import run_log
from commodore_py.adapters.parallel import in_parallel
from commodore_py.errors import CommodoreError

from . import checkouts, clones, up_to_date
from .groups import CheckedOut, override_of, place_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from commodore_py.config import Config
    from commodore_py.model.dependency import Dependency

    from .groups import Group
    from .object_cache import ObjectCache
    from .remotes import RemoteClient, RemoteRefs

PARALLEL = 8  # waiting for servers, not computing

_Settled: TypeAlias = "list[CheckedOut | Dependency]"
ResponsesByClone: TypeAlias = "Mapping[Path, RemoteRefs | CommodoreError | None]"


def query_all(
    groups: tuple[Group, ...],
    config: Config,
    client: RemoteClient,
    object_cache: Callable[[], ObjectCache | None],
) -> tuple[Mapping[Path, _Settled], ResponsesByClone]:
    """What is up to date, and what the remotes of all else have."""

    def query(group: Group) -> tuple[_Settled | None, RemoteRefs | CommodoreError | None]:
        found = None if group.needs_server else _as_wanted(group, client.local_refs, config)
        if found is not None:
            return found, None
        response = _query(group, client, object_cache)
        if isinstance(response, CommodoreError):
            return None, response
        return _as_wanted(group, partial(_same, response), config), response

    settled: dict[Path, _Settled] = {}
    responses: dict[Path, RemoteRefs | CommodoreError | None] = {}
    with run_log.stage("ask", of="question", total=len(groups)):
        queried = in_parallel(query, groups, at_most=PARALLEL)
    for group, (found, response) in zip(groups, queried, strict=True):
        if found is None:
            responses[group.clone] = response
        else:
            settled[group.clone] = found
    return settled, responses


def _query(
    group: Group, client: RemoteClient, object_cache: Callable[[], ObjectCache | None]
) -> RemoteRefs | CommodoreError | None:
    spec = group.configuration
    try:
        with run_log.item("question", group.clone.name):
            if spec is None:
                return clones.query(group.clone, group.url, group.specs, client, object_cache)
            revision = spec.version or ""
            return checkouts.query(str(spec), group.clone, spec.url, client, revision=revision)
    except CommodoreError as error:
        error.add_note(f"while querying the remote of {', '.join(map(str, group.specs))}")
        return error


def _as_wanted(
    group: Group, query: Callable[[str, str], RemoteRefs | None], config: Config
) -> _Settled | None:
    """What comes from a clone, if nothing is to be done for it."""
    spec = group.configuration
    if spec is None:
        places = {place_of(spec, config.paths): spec for spec in group.specs}
        wanted = {place: spec.version or "HEAD" for place, spec in places.items()}
        commits = up_to_date.commits_at(group.clone, group.url, wanted, query)
        if commits is None:
            return None
        return [
            CheckedOut(group, spec, commit, place_of(spec, config.paths))
            for spec, commit in zip(group.specs, commits, strict=True)
        ]
    found = up_to_date.configuration_at(group.clone, spec.url, spec.version or "", query)
    if found is None:
        return None
    override = override_of(spec, config)
    return [checkouts.as_fetched(spec, group.clone, *found, override=override)]


def _same(response: RemoteRefs | None, *_: str) -> RemoteRefs | None:
    return response
