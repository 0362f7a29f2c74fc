"""A Lieutenant server, queried over HTTP."""

from __future__ import annotations

from contextlib import contextmanager
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from commodore_py.adapters import http
from commodore_py.errors import CommodoreError
from commodore_py.model.names import did_you_mean, kind_of

from .api_objects import ApiObject
from .urls import base_url, request_url

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_LOG_IN_AGAIN = "`commodore logout` and then `commodore login` get another token"
_REMEDIES: dict[int, str] = {
    # Lieutenant answers an invalid token with "bad request".
    HTTPStatus.BAD_REQUEST: f"check the options of the command, and the token; {_LOG_IN_AGAIN}",
    HTTPStatus.UNAUTHORIZED: f"check the token; {_LOG_IN_AGAIN}",
}

REJECTED = tuple(_REMEDIES)
"""Statuses of a server that may not accept the token."""


def check_reachable(api_url: str, timeout: float) -> None:
    """Send a request without a token; raises if there is no response."""
    try:
        http.get_json(base_url(api_url), timeout=timeout, pauses=())
    except http.ServerAway:
        raise
    except http.HttpError as error:
        # A server that denies access is reachable.
        if not error.status:
            raise


class Server:
    """The API at a URL."""

    __slots__ = ("_tenants", "api_url", "pauses", "timeout", "token")

    def __init__(
        self, api_url: str, token: str, timeout: float, pauses: Sequence[float] = http.PAUSES
    ) -> None:
        self.api_url = api_url
        self.token = token
        self.timeout = timeout
        self.pauses = pauses
        self._tenants: dict[str, ApiObject] = {}

    def cluster(self, cluster_id: str) -> ApiObject:
        """The cluster object; the error for an unknown id suggests the nearest one."""
        try:
            cluster = self._object("clusters", cluster_id)
        except http.NotFound as error:
            unknown = error
        else:
            name = cluster.fields.get("id") or cluster_id
            if name != cluster_id:
                raise CommodoreError(
                    f"the API sent cluster {name!r} instead of {cluster_id}", where=cluster.name
                )
            return cluster
        unknown.hint = did_you_mean(
            cluster_id, self._known_ids(), listed="known clusters:", otherwise="there is no cluster"
        )
        raise unknown

    def tenant(self, tenant_id: str) -> ApiObject:
        """The tenant object, requested once."""
        if tenant_id not in self._tenants:
            self._tenants[tenant_id] = self._object("tenants", tenant_id)
        return self._tenants[tenant_id]

    def clusters(self, *, tenant: str = "", sort_by: str = "") -> list[dict[str, Any]]:
        """Every cluster object, as the server filters and sorts them."""
        filters = {"tenant": tenant, "sort_by": sort_by}
        return self._list({name: value for name, value in filters.items() if value}, self.pauses)

    def ids(self) -> list[str]:
        """The ids of all clusters; without retries, as shell completion waits for them."""
        ids = (cluster.get("id") for cluster in self._list({}, ()))
        return [cluster_id for cluster_id in ids if isinstance(cluster_id, str)]

    def report(self, cluster_id: str, body: Mapping[str, Any]) -> None:
        """Send the report of a compile."""
        url = f"{request_url(self.api_url, 'clusters', cluster_id)}/compileMeta"
        with _remedies():
            http.post_json(url, body, token=self.token, timeout=self.timeout)

    def _object(self, endpoint: str, name: str) -> ApiObject:
        url = request_url(self.api_url, endpoint, name)
        with _remedies():
            response = http.get_json(
                url, token=self.token, timeout=self.timeout, pauses=self.pauses
            )
        if not isinstance(response, dict):
            raise CommodoreError(f"expected an object, the API sent {kind_of(response)}", where=url)
        return ApiObject(response, name=url)

    def _list(self, params: Mapping[str, str], pauses: Sequence[float]) -> list[dict[str, Any]]:
        url = request_url(self.api_url, "clusters")
        with _remedies():
            response = http.get_json(
                url, token=self.token, params=params, timeout=self.timeout, pauses=pauses
            )
        if isinstance(response, list) and all(isinstance(cluster, dict) for cluster in response):
            return response
        raise CommodoreError(
            "expected a list of objects, the API sent"
            f" {'a list of other things' if isinstance(response, list) else kind_of(response)}",
            where=url,
        )

    def _known_ids(self) -> list[str]:
        try:
            return self.ids()
        except CommodoreError:
            # Without permission to list clusters, the error has no suggestion.
            return []


@contextmanager
def _remedies() -> Iterator[None]:
    """Add a hint on how to get a valid token."""
    try:
        yield
    except http.HttpError as error:
        error.hint = _REMEDIES.get(error.status, error.hint)
        raise
