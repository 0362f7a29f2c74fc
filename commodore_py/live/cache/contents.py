"""The content of a cache, and what is reported of its changes; safe against several threads."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from .handlers import API_ADDED, API_REMOVED, CREATED, DELETED, UPDATED, Handlers
from .objects import Objects

if TYPE_CHECKING:
    from collections.abc import Callable

    from commodore_py.live.access.discovery import Discovery
    from commodore_py.manifests.objects import ObjectId

    from .listing import Listed, Part
    from .records import Record

TELLS_APIS = {
    ("apiextensions.k8s.io", "CustomResourceDefinition"),
    ("apiregistration.k8s.io", "APIService"),
}
"""Kinds whose objects say which kinds there are."""


class Contents:
    """Objects, kinds, and what could not be read."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.objects = Objects()
        self.handlers = Handlers()
        self.discovery: Discovery | None = None
        self.unseen: dict[str, str] = {}
        self.kinds_changed: Callable[[], None] = lambda: None
        """Called when kinds may have come or gone."""

    def replace(self, part: Part, listed: Listed) -> None:
        """All objects of a part as they are now; only what differs is an event."""
        with self.lock:
            new = {one.id for one in listed.records}
            for one in self.objects.of_kind(*part.api.key, part.namespace):
                if one.id not in new:
                    self._remove(one.id)
            for one in listed.records:
                self.put(one)
            self.unseen.pop(unseen_key(*part.api.key, part.namespace), None)

    def put(self, record: Record) -> None:
        """An object was created or changed."""
        with self.lock:
            known = self.objects.get(record.id)
            if known is not None and known.uid != record.uid:
                self._remove(record.id)  # deleted and created meanwhile
            elif known is not None and known.version == record.version:
                return
            before = self.objects.put(record)
            node = self.objects.of_uid(record.uid)
            if node is not None and node.id == record.id:  # a copy is reported once
                self._report(record, is_new=before is None)

    def drop(self, record: Record) -> None:
        """An object was deleted."""
        with self.lock:
            known = self.objects.get(record.id)
            if known is not None and known.uid == record.uid:
                self._remove(record.id)

    def forget(self, part: Part, why: str = "") -> None:
        """A part is no longer served, or can no longer be read for some reason.

        What cannot be read is not deleted: there are no events.
        """
        with self.lock:
            for one in self.objects.of_kind(*part.api.key, part.namespace):
                if why:
                    self.objects.remove(one.id)
                else:
                    self._remove(one.id)
            if why:
                self.unseen[unseen_key(*part.api.key, part.namespace)] = why

    def set_kinds(self, found: Discovery) -> None:
        """The kinds that a server has now; objects of those that have gone go, too."""
        silent = {group_of(one) for one in found.silent}
        with self.lock:
            before, self.discovery = self.discovery, found
            self.unseen = {key: why for key, why in self.unseen.items() if why != _SILENT}
            self.unseen |= {unseen_key(group, "*"): _SILENT for group in silent}
            if before is not None:
                self._compare_kinds(before, found, silent)

    def _compare_kinds(self, before: Discovery, after: Discovery, silent: set[str]) -> None:
        old, new = ({one.key: one for one in of.preferred()} for of in (before, after))
        for key in sorted(new.keys() - old.keys()):
            self.handlers.happened(key, API_ADDED, new[key])
        for key in sorted(old.keys() - new.keys()):
            if key[0] in silent:
                continue  # its objects may still be there
            for one in self.objects.of_kind(*key):
                self._remove(one.id)
            self.handlers.happened(key, API_REMOVED, old[key])

    def _report(self, record: Record, *, is_new: bool) -> None:
        kind = (record.id.group, record.id.kind)
        if is_new:
            self.handlers.happened(record.id, CREATED, record)
        elif kind != ("", "Endpoints"):
            self.handlers.happened(record.id, UPDATED, record)
        if kind in TELLS_APIS:
            self.kinds_changed()

    def _remove(self, id_: ObjectId) -> None:
        record = self.objects.remove(id_)
        if record is None:
            return
        if self.objects.of_uid(record.uid) is None:
            self.handlers.happened(id_, DELETED, id_)
        if (id_.group, id_.kind) in TELLS_APIS:
            self.kinds_changed()


_SILENT = "its API does not answer"


def group_of(group_version: str) -> str:
    """The group in `group/version`."""
    return group_version.rpartition("/")[0]


def unseen_key(group: str, kind: str, namespace: str = "") -> str:
    """How a kind that cannot be read is named."""
    name = f"{kind}.{group}" if group else kind
    return f"{name} in {namespace}" if namespace else name
