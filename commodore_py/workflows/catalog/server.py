"""Dry runs of single objects on the API server of a cluster."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from commodore_py.adapters.http import HttpError
from commodore_py.checks.base import ServerVerdict
from commodore_py.live.access import kubeconfig
from commodore_py.live.access.client import Writer
from commodore_py.live.access.discovery import discover
from commodore_py.manifests.objects import identify

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

_MANAGER = "commodore"
_REFUSED = (400, 409, 413, 422)
_FORBIDDEN, _ABSENT = 403, 404
_NO_SCHEMA = "failed to create typed patch object"
"""The words of a server, with status 500, for an object that does not fit its schema."""


def server_of(
    context: str, cluster: str, *, timeout: float
) -> Callable[[Mapping[str, Any]], ServerVerdict]:
    """A function that asks the server of a kubeconfig context about an object.

    Without a name, it is the context of the cluster's name, else the current one.
    """
    access = kubeconfig.find(
        context=context, cluster=cluster, variables=os.environ, home=Path.home()
    )
    writer = Writer(access, timeout=timeout)
    kinds = discover(writer)

    def ask(content: Mapping[str, Any]) -> ServerVerdict:
        version = str(content["apiVersion"])
        group, _, version_name = version.rpartition("/")
        api = kinds.find(group, str(content["kind"]), version_name)
        if api is None or api.api_version != version:
            return ServerVerdict(unknown=f"it does not serve {content['kind']} of {version}")
        id_ = identify(content)
        if id_ is None or id_.name.endswith("*"):
            return ServerVerdict(unknown="names that the server makes up are not tried")
        path = api.path(id_.namespace or "default", id_.name)
        try:
            writer.apply(path, content, manager=_MANAGER, force=True, dry_run=True)
        except HttpError as error:
            return _verdict(error, in_namespace=bool(id_.namespace))
        return ServerVerdict()

    return ask


def _verdict(error: HttpError, *, in_namespace: bool) -> ServerVerdict:
    if not error.status:  # no answer
        raise error
    if error.status in _REFUSED or _NO_SCHEMA in str(error):
        return ServerVerdict(refused=str(error))
    if error.status == _FORBIDDEN:
        return ServerVerdict(unknown="the user may not apply it")
    if error.status == _ABSENT and in_namespace:
        return ServerVerdict(unknown="its namespace is not there yet")
    return ServerVerdict(unknown=f"it answers with status {error.status}")
