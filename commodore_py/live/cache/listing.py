"""Lists of the objects of a kind, page by page, and what differs from what was known."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any, NamedTuple

from commodore_py.adapters.http import HttpError
from commodore_py.live.access.answers import mapping, mappings
from commodore_py.live.access.client import GONE, NOT_ACCEPTABLE

from .records import Record
from .settings import ALWAYS_WHOLE

if TYPE_CHECKING:
    from commodore_py.live.access.client import Client
    from commodore_py.live.access.discovery import Api

    from .settings import Settings

_JSON = "application/json"
_METADATA = "application/json;as=PartialObjectMetadata{};g=meta.k8s.io;v=v1,application/json"
_PAGE = "500"
_MOST_INFO = 2048


class Part(NamedTuple):
    """The objects of a kind, in one namespace if it is named."""

    api: Api
    namespace: str = ""

    def __str__(self) -> str:
        name = f"{self.api.resource}.{self.api.group}" if self.api.group else self.api.resource
        return f"{name} in {self.namespace}" if self.namespace else name


class Listed(NamedTuple):
    """The objects of a part at one moment."""

    records: tuple[Record, ...]
    version: str


class Reader:
    """Makes records of what a server sends about a kind."""

    def __init__(self, api: Api, settings: Settings) -> None:
        self._api = api
        self._settings = settings
        self.whole = api.key in ALWAYS_WHOLE or settings.whole(api)

    def accept(self, *, is_list: bool) -> str:
        """What to ask for: metadata only, if nothing else is needed."""
        return _JSON if self.whole else _METADATA.format("List" if is_list else "")

    def record(self, content: dict[str, Any]) -> Record:
        """What is kept of an object."""
        metadata = content.get("metadata")
        record = Record(self._api, content)
        found = metadata.get("annotations") if isinstance(metadata, dict) else None
        if isinstance(found, dict) and self._settings.annotations:
            kept = sorted(self._settings.annotations & found.keys())
            record.annotations = tuple((name, str(found[name])) for name in kept)
        if self.whole and self._settings.make is not None and self._settings.whole(self._api):
            # Items of a list don't say what they are.
            content = {"apiVersion": self._api.api_version, "kind": self._api.kind, **content}
            made = self._settings.make(self._api, content)
            if made.info is not None and len(pickle.dumps(made.info)) > _MOST_INFO:
                raise ValueError(f"the info of {record.id} is larger than {_MOST_INFO} bytes")
            record.info = made.info
            record.manifest = content if made.manifest else None
        return record


def listed(client: Client, part: Part, reader: Reader) -> Listed:
    """All objects of a part; the pages of one state, or of one list if they take too long."""
    try:
        return _pages(client, part, reader, _PAGE)
    except HttpError as error:
        if error.status != GONE:
            raise
    try:
        return _pages(client, part, reader, _PAGE)
    except HttpError as error:
        if error.status != GONE:
            raise
    return _pages(client, part, reader, "")


def _pages(client: Client, part: Part, reader: Reader, size: str) -> Listed:
    records: list[Record] = []
    params = {"limit": size} if size else {}
    while True:
        answer = _page(client, part, reader, params)
        metadata = mapping(answer.get("metadata"))
        records += (reader.record(one) for one in answer.get("items") or ())
        following = metadata.get("continue")
        if not following:
            return Listed(tuple(records), str(metadata.get("resourceVersion") or ""))
        params["continue"] = str(following)


def _page(client: Client, part: Part, reader: Reader, params: dict[str, str]) -> dict[str, Any]:
    path = part.api.path(part.namespace)
    try:
        answer = client.get(path, params, accept=reader.accept(is_list=True))
    except HttpError as error:
        if error.status != NOT_ACCEPTABLE:
            raise
        answer = client.get(path, params)
    items = mapping(answer).get("items") or []
    if not isinstance(answer, dict) or mappings(items) != items:
        raise HttpError("answered with something that is not a list of objects", where=path)
    return answer
