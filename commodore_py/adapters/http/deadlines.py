"""Sessions of requests whose answers must be complete in time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import requests
import requests.adapters
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool

from .watch import MOST_REDIRECTS, USER_AGENT, Watched

if TYPE_CHECKING:
    from collections.abc import Mapping

    from urllib3.poolmanager import ProxyManager

    from .watch import Watch


def session(watch: Watch, **pools: Any) -> requests.Session:  # noqa: ANN401 - passed on
    """A session for a request of that exchange; `pools` are options of urllib3's pools."""
    made = requests.Session()
    made.max_redirects = MOST_REDIRECTS
    made.headers["User-Agent"] = USER_AGENT
    adapter = _Adapter(watch, pools)
    for scheme in ("http://", "https://"):
        made.mount(scheme, adapter)
    return made


class _Adapter(requests.adapters.HTTPAdapter):
    """Makes connections with a watch, to servers as to proxies."""

    def __init__(self, watch: Watch, options: Mapping[str, Any]) -> None:
        class Response(Watched):
            pass

        class Plain(HTTPConnection):
            response_class = Response

        class Secure(HTTPSConnection):
            response_class = Response

        class PlainPool(HTTPConnectionPool):
            ConnectionCls = Plain

        class SecurePool(HTTPSConnectionPool):
            ConnectionCls = Secure

        Response.watch = watch
        self._pools = {"http": PlainPool, "https": SecurePool}
        self._options = options
        super().__init__()

    def init_poolmanager(self, *words: Any, **options: Any) -> None:  # noqa: ANN401 - passed on
        super().init_poolmanager(*words, **{**options, **self._options})
        self.poolmanager.pool_classes_by_scheme = self._pools

    def proxy_manager_for(self, proxy: str, **options: Any) -> ProxyManager:  # noqa: ANN401 - as above
        manager: ProxyManager = super().proxy_manager_for(proxy, **{**options, **self._options})
        manager.pool_classes_by_scheme = self._pools
        return manager
