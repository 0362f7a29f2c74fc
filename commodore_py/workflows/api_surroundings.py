"""Whether cluster facts can be had: the API or the folder, and the token for it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from http import HTTPStatus
from typing import TYPE_CHECKING

from commodore_py import lieutenant
from commodore_py.adapters.http import HttpError, ServerAway, get_json
from commodore_py.errors import CommodoreError
from commodore_py.lieutenant.claims import expiry_of, has_expired
from commodore_py.lieutenant.token_cache import TokenCache
from commodore_py.lieutenant.tokens import usable_token
from commodore_py.lieutenant.urls import base_url, facts_folder

if TYPE_CHECKING:
    from pathlib import Path

    from commodore_py.config import Config

_REFUSED = {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}


@dataclass(frozen=True, slots=True)
class Token:
    """The token that would be sent, without being shown."""

    needed: bool = False
    origin: str = ""
    """`given` or `kept`; empty when there is none."""
    expiry: float | None = None
    has_expired: bool = False
    renewable: bool = False
    problem: CommodoreError | None = None
    text: str = field(default="", repr=False)

    @property
    def is_good(self) -> bool:
        """Whether it may be sent at all."""
        return bool(self.text) and not self.has_expired and not self.problem


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


def look_for_token(config: Config, cache: Path | None, now: float) -> Token:
    """The token given, or else the one of an earlier login."""
    if not config.api_url or facts_folder(config.api_url) is not None:
        return Token()
    try:
        given = usable_token(config.api_token, now=now)
    except CommodoreError as error:
        return Token(needed=True, origin="given", problem=error)
    if given:
        return Token(needed=True, origin="given", expiry=expiry_of(given), text=given)
    return _kept(TokenCache(cache / "token"), config.api_url, now) if cache else Token(needed=True)


def look_at_api(config: Config, token: Token) -> Api:
    """Ask for the clusters, or only whether somebody is there when there is no token."""
    if not config.api_url:
        return Api()
    api = Api(config.api_url, is_folder=facts_folder(config.api_url) is not None)
    try:
        if api.is_folder:
            return replace(api, clusters=_read_all(config))
        if token.is_good:
            clusters = lieutenant.list_clusters(replace(config, may_log_in=False))
            return replace(api, clusters=len(clusters))
        _knock(config)
    except CommodoreError as error:
        refused = isinstance(error, HttpError) and error.status in _REFUSED
        return replace(api, refusal=error) if refused else replace(api, problem=error)
    return api


def _kept(cache: TokenCache, api_url: str, now: float) -> Token:
    try:
        sessions = [one for one in cache.sessions(api_url) if one.id_token]
    except CommodoreError:  # a URL that is none: told where the API is looked at
        sessions = []
    if not sessions:
        return Token(needed=True)
    session = sessions[0]
    return Token(
        needed=True,
        origin="kept",
        expiry=expiry_of(session.id_token),
        has_expired=has_expired(session.id_token, now),
        renewable=bool(session.refresh_token),
        text=session.id_token,
    )


def _read_all(config: Config) -> int:
    """Read every cluster and its tenant; returns how many clusters there are."""
    clusters = lieutenant.list_clusters(config)
    for cluster in clusters:
        lieutenant.load_cluster(config, cluster["id"])
    return len(clusters)


def _knock(config: Config) -> None:
    try:
        get_json(base_url(config.api_url), timeout=config.request_timeout, pauses=())
    except ServerAway:
        raise
    except HttpError as error:
        # Whatever a server says to who shows no token, it is there.
        if not error.status:
            raise
