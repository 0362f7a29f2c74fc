"""Lists of the objects of a kind, page by page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from commodore_py.adapters.http import HttpError
from commodore_py.live.access.answers import mapping, mappings
from commodore_py.live.access.client import GONE, NOT_ACCEPTABLE

from .records import STATEFUL_SET, record_of

if TYPE_CHECKING:
    from commodore_py.live.access.client import Client
    from commodore_py.live.access.discovery import Api

    from .records import Record
    from .settings import Settings

_JSON = "application/json"
_METADATA = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json"
_PAGE = "500"
_TRIES = 2


@dataclass(frozen=True, slots=True)
class Part:
    """The objects of a kind, in one namespace if it is named."""

    api: Api
    namespace: str = ""

    def accept(self, settings: Settings) -> str:
        """The request of a list: metadata only, if nothing else is needed."""
        # What a StatefulSet owns is named in its content.
        if self.api.key == STATEFUL_SET or settings.whole(self.api):
            return _JSON
        return _METADATA


def listed(client: Client, part: Part, settings: Settings) -> tuple[Record, ...]:
    """All objects of a part; the pages of one state, or of one list if they take too long."""
    for _ in range(_TRIES):
        try:
            return _pages(client, part, settings, _PAGE)
        except HttpError as error:
            if error.status != GONE:
                raise
    return _pages(client, part, settings, "")


def _pages(client: Client, part: Part, settings: Settings, size: str) -> tuple[Record, ...]:
    records: list[Record] = []
    params = {"limit": size} if size else {}
    while True:
        answer = _page(client, part, settings, params)
        metadata = mapping(answer.get("metadata"))
        records += (record_of(part.api, item, settings) for item in answer.get("items") or ())
        following = metadata.get("continue")
        if not following:
            return tuple(records)
        params["continue"] = str(following)


def _page(client: Client, part: Part, settings: Settings, params: dict[str, str]) -> dict[str, Any]:
    path = part.api.path(part.namespace)
    try:
        answer = client.get(path, params, accept=part.accept(settings))
    except HttpError as error:
        if error.status != NOT_ACCEPTABLE:
            raise
        answer = client.get(path, params)
    items = mapping(answer).get("items") or []
    if not isinstance(answer, dict) or mappings(items) != items:
        raise HttpError("answered with something that is not a list of objects", where=path)
    return answer
