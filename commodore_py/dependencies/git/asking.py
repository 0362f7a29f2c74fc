"""One round of questions: all remotes at once, and what needs nothing done is settled with it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from commodore_py import run_log
from commodore_py.errors import CommodoreError

from . import checkouts, clones, unchanged
from .groups import CheckedOut, override_of, place_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from commodore_py.config import Config
    from commodore_py.model.dependency import Dependency

    from .groups import Group
    from .remotes import RemoteClient, RemoteRefs

PARALLEL = 8  # waiting for servers, not computing

ResponsesByClone: TypeAlias = "Mapping[Path, RemoteRefs | CommodoreError | None]"


def query_all(
    groups: tuple[Group, ...], config: Config, client: RemoteClient
) -> tuple[Mapping[Path, list[CheckedOut | Dependency]], ResponsesByClone]:
    """What needs nothing done, and what the remotes of all else have."""
    settled: dict[Path, list[CheckedOut | Dependency]] = {}
    responses: dict[Path, RemoteRefs | CommodoreError | None] = {}

    def settle(group: Group, ask: Callable[[str, str], RemoteRefs | None]) -> bool:
        found = _as_wanted(group, ask, config)
        if found is not None:
            settled[group.clone] = found
        return found is not None

    watch = run_log.stage("ask", of="question", total=len(groups))
    with watch, ThreadPoolExecutor(max_workers=PARALLEL) as pool:
        # Servers are asked in threads, files read in this one: Python computes in one at a time.
        asked = [
            (group, pool.submit(_question, group, client))
            for group in groups
            if group.needs_server or not settle(group, client.look)
        ]
        for group, future in asked:
            response = future.result()
            if isinstance(response, CommodoreError) or not settle(group, partial(_told, response)):
                responses[group.clone] = response
    return settled, responses


def _question(group: Group, client: RemoteClient) -> RemoteRefs | CommodoreError | None:
    spec = group.configuration
    try:
        with run_log.item("question", group.clone.name):
            if spec is None:
                return clones.question(group.clone, group.url, group.specs, client)
            revision = spec.version or ""
            return checkouts.question(str(spec), group.clone, spec.url, client, revision=revision)
    except CommodoreError as error:
        error.add_note(f"while asking for {', '.join(map(str, group.specs))}")
        return error


def _as_wanted(
    group: Group, ask: Callable[[str, str], RemoteRefs | None], config: Config
) -> list[CheckedOut | Dependency] | None:
    """What comes from a clone, if nothing is to be done for it."""
    spec, rule = group.configuration, config.push_url
    if spec is None:
        places = {place_of(spec, config.paths): spec for spec in group.specs}
        wanted = {place: spec.version or "HEAD" for place, spec in places.items()}
        commits = unchanged.commits_at(group.clone, group.url, wanted, ask, rule)
        if commits is None:
            return None
        return [
            CheckedOut(group, spec, commit)
            for spec, commit in zip(group.specs, commits, strict=True)
        ]
    found = unchanged.configuration_at(group.clone, spec.url, spec.version or "", ask, rule)
    if found is None:
        return None
    override = override_of(spec, config)
    return [checkouts.as_fetched(spec, group.clone, *found, override=override)]


def _told(response: RemoteRefs | None, *_: str) -> RemoteRefs | None:
    return response
