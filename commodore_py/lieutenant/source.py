"""Where API objects come from: a server, or a folder of facts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commodore_py.config import facts_folder
from commodore_py.errors import CommodoreError

from .auth.session import NoToken, token_for, token_without_login
from .folder import FactsFolder
from .server import Server
from .urls import HOW_TO_SET_A_URL

if TYPE_CHECKING:
    from commodore_py.config import Config


def source_of(config: Config) -> Server | FactsFolder:
    """The source that the API URL names, authenticated if it is a server."""
    if not config.api_url:
        raise CommodoreError("no API URL", hint=HOW_TO_SET_A_URL)
    folder = facts_folder(config.api_url)
    if folder is not None:
        return FactsFolder(folder)

    # Requested for each use: at the end of a long compile the first token may have expired.
    token = token_for(config) if config.may_log_in else token_without_login(config)
    if not token:
        raise NoToken.for_api(config.api_url)
    return Server(config.api_url, token, config.request_timeout)
