"""Whether cluster facts can be had from where `--api-url` leads, with the token at hand."""

from __future__ import annotations

from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import TYPE_CHECKING

from commodore_py import lieutenant
from commodore_py.adapters.http import HttpError
from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from commodore_py.config import Config
    from commodore_py.lieutenant import TokenState

_REFUSED = {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}


@dataclass(frozen=True, slots=True)
class Api:
    """What `--api-url` leads to."""

    url: str = ""
    is_folder: bool = False
    clusters: int | None = None
    """None when nobody could be asked for them."""
    problem: CommodoreError | None = None
    refusal: CommodoreError | None = None
    """Why the token was not accepted by a server that answers."""


def look_at_api(config: Config, token: TokenState) -> Api:
    """Ask for the clusters, or only whether somebody is there when there is no token."""
    if not config.api_url:
        return Api()
    api = Api(config.api_url, is_folder=lieutenant.facts_folder(config.api_url) is not None)
    try:
        if api.is_folder:
            return replace(api, clusters=_read_all(config))
        if token.is_good:
            clusters = lieutenant.list_clusters(replace(config, may_log_in=False))
            return replace(api, clusters=len(clusters))
        lieutenant.knock(config)
    except CommodoreError as error:
        refused = isinstance(error, HttpError) and error.status in _REFUSED
        return replace(api, refusal=error) if refused else replace(api, problem=error)
    return api


def _read_all(config: Config) -> int:
    """Read every cluster and its tenant; returns how many clusters there are."""
    clusters = lieutenant.list_clusters(config)
    for cluster in clusters:
        lieutenant.load_cluster(config, cluster["id"])
    return len(clusters)
