"""A Lieutenant server, asked over HTTP."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from commodore_py.adapters import http
from commodore_py.errors import CommodoreError

from .described import Described, kind_of
from .guess import hint_for
from .urls import base_url, request_url

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_LOG_IN_AGAIN = "`commodore logout` and then `commodore login` get another token"
_REMEDIES: dict[int, str] = {
    # Lieutenant calls a request with a broken token a bad one.
    HTTPStatus.BAD_REQUEST: f"check the options of the command, and the token; {_LOG_IN_AGAIN}",
    HTTPStatus.UNAUTHORIZED: f"check the token that was given; {_LOG_IN_AGAIN}",
}


def knock(api_url: str, timeout: float) -> None:
    """Ask a server for nothing; raises if nobody answers."""
    try:
        http.get_json(base_url(api_url), timeout=timeout, pauses=())
    except http.ServerAway:
        raise
    except http.HttpError as error:
        # Whatever a server says to who shows no token, it is there.
        if not error.status:
            raise


@dataclass(frozen=True, slots=True)
class Server:
    """The API at a URL."""

    api_url: str
    token: str = field(repr=False)
    timeout: float
    pauses: Sequence[float] = http.PAUSES

    def cluster(self, cluster_id: str) -> Described:
        """The cluster object; an unknown id is answered with the nearest known one."""
        try:
            return self._object("clusters", cluster_id)
        except http.NotFound as error:
            unknown = error
        unknown.hint = hint_for(cluster_id, self._known_ids(), kind="cluster")
        raise unknown

    def tenant(self, tenant_id: str) -> Described:
        """The tenant object."""
        return self._object("tenants", tenant_id)

    def clusters(self, *, tenant: str = "", sort_by: str = "") -> list[dict[str, Any]]:
        """Every cluster object, as the server filters and sorts them."""
        given = {"tenant": tenant, "sort_by": sort_by}
        return self._list({name: value for name, value in given.items() if value}, self.pauses)

    def ids(self) -> list[str]:
        """The ids of all clusters, asked for once: somebody waits at a prompt."""
        ids = (cluster.get("id") for cluster in self._list({}, ()))
        return [cluster_id for cluster_id in ids if isinstance(cluster_id, str)]

    def report(self, cluster_id: str, body: Mapping[str, Any]) -> None:
        """Tell the API how a catalog was compiled."""
        url = f"{request_url(self.api_url, 'clusters', cluster_id)}/compileMeta"
        with _remedies():
            http.post_json(url, body, token=self.token, timeout=self.timeout)

    def _object(self, endpoint: str, name: str) -> Described:
        url = request_url(self.api_url, endpoint, name)
        with _remedies():
            answer = http.get_json(url, token=self.token, timeout=self.timeout, pauses=self.pauses)
        if not isinstance(answer, dict):
            raise CommodoreError(f"expected an object, the API sent {kind_of(answer)}", where=url)
        return Described(answer, name=url)

    def _list(self, params: Mapping[str, str], pauses: Sequence[float]) -> list[dict[str, Any]]:
        url = request_url(self.api_url, "clusters")
        with _remedies():
            answer = http.get_json(
                url, token=self.token, params=params, timeout=self.timeout, pauses=pauses
            )
        if isinstance(answer, list) and all(isinstance(cluster, dict) for cluster in answer):
            return answer
        raise CommodoreError(
            "expected a list of objects, the API sent"
            f" {'other things in it' if isinstance(answer, list) else kind_of(answer)}",
            where=url,
        )

    def _known_ids(self) -> list[str]:
        try:
            return self.ids()
        except CommodoreError:
            # Whoever may not list clusters still hears that this one is unknown.
            return []


@contextmanager
def _remedies() -> Iterator[None]:
    """Say how to get a token that the API takes."""
    try:
        yield
    except http.HttpError as error:
        error.hint = _REMEDIES.get(error.status, error.hint)
        raise
