"""The cache of a cluster, for questions at one moment and to follow what changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from .contents import Contents, unseen_key
from .handlers import API_ADDED, API_REMOVED, CREATED, DELETED, UPDATED
from .objects import iterate
from .settings import Settings, selects
from .upkeep import Upkeep

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from commodore_py.live.access.client import Client
    from commodore_py.live.access.discovery import Api, Discovery
    from commodore_py.manifests.objects import ObjectId

    from .objects import Graph
    from .records import Record


class Info(NamedTuple):
    """What a cache holds."""

    objects: int
    kinds: int
    watched: int
    polled: tuple[str, ...]
    unseen: Mapping[str, str]
    """What cannot be read, and why."""
    is_loaded: bool


class ClusterCache:
    """The objects of one cluster; every method may be called from any thread.

    `load` reads everything once. `follow` keeps it up to date from then on, until `close`.
    """

    def __init__(self, client: Client, settings: Settings | None = None) -> None:
        self._settings = (settings or Settings()).checked()
        self._contents = Contents()
        self._upkeep = Upkeep(client, self._settings, self._contents)

    def load(self) -> None:
        """Read the kinds, then all objects of those that are held."""
        self._upkeep.load()

    def follow(self) -> None:
        """Load, and then watch; returns once everything is loaded."""
        self._upkeep.follow()

    def invalidate(self, settings: Settings | None = None) -> None:
        """Load everything again, with other settings if they are given."""
        self._settings = (settings or self._settings).checked()
        self._upkeep.reload(self._settings)

    def close(self) -> None:
        """End all watches and call no more handlers."""
        self._contents.handlers.close()
        self._upkeep.close()

    def list(
        self,
        selector: str = "",
        *,
        namespaces: Iterable[str] = (),
        namespaced_only: bool = False,
        cluster_only: bool = False,
        top_level_only: bool = False,
    ) -> tuple[ObjectId, ...]:
        """The ids of objects, sorted; copies of one object count once."""
        wanted = frozenset(namespaces)
        if namespaced_only and cluster_only:
            raise ValueError("namespaced_only and cluster_only contradict each other")
        if wanted and cluster_only:
            raise ValueError("namespaces and cluster_only contradict each other")
        fits = selects(selector)
        with self._contents.lock:
            found = [
                one.id
                for one in self._contents.objects.nodes()
                if (not wanted or one.id.namespace in wanted)
                and (not namespaced_only or one.id.namespace)
                and (not cluster_only or not one.id.namespace)
                and fits(dict(one.labels))
                and (not top_level_only or self._contents.objects.is_top_level(one))
            ]
        return tuple(sorted(found))

    def holds(self, api: Api) -> bool:
        """Whether objects of a kind are held at all; those of others may be in the cluster."""
        return api.can_be_watched and self._settings.filter.holds(api)

    def copies(self, id_: ObjectId) -> tuple[ObjectId, ...]:
        """Every id of an object: it may be served in several groups."""
        with self._contents.lock:
            record = self._contents.objects.get(id_)
            if record is None:
                return ()
            return tuple(one.id for one in self._contents.objects.copies(record))

    def get(self, id_: ObjectId) -> Record | None:
        """What is known about an object."""
        with self._contents.lock:
            return self._contents.objects.get(id_)

    def owners(self, id_: ObjectId) -> tuple[Record, ...]:
        """The owners of an object, inferred ones included."""
        with self._contents.lock:
            record = self._contents.objects.get(id_)
            return self._contents.objects.owners(record) if record is not None else ()

    def is_dangling(self, id_: ObjectId) -> bool:
        """Whether an object names owners, and none of them is there."""
        with self._contents.lock:
            record = self._contents.objects.get(id_)
            return record is not None and self._contents.objects.is_dangling(record)

    def graph(self, roots: Iterable[ObjectId]) -> Graph:
        """Some objects and what they own."""
        with self._contents.lock:
            found = [self._contents.objects.get(one) for one in roots]
            return self._contents.objects.below(one for one in found if one is not None)

    def iterate_children(
        self, roots: Iterable[ObjectId], action: Callable[[Record], bool]
    ) -> tuple[tuple[ObjectId, ...], ...]:
        """Visit objects and what they own, each once and after its owners; the cycles found.

        Where the action returns false, what only that object owns is left out.
        """
        return iterate(self.graph(roots), action)

    def api_metadata(self, group: str, kind: str) -> Api | None:
        """A kind as the server has it."""
        with self._contents.lock:
            return (
                self._contents.discovery.find(group, kind)
                if self._contents.discovery is not None
                else None
            )

    @property
    def discovery(self) -> Discovery | None:
        """All kinds of the server, once they are known."""
        return self._contents.discovery

    def unseen(self, group: str, kind: str, namespace: str = "") -> str:
        """Why objects of a kind cannot be read; empty if they can."""
        with self._contents.lock:
            for key in ((group, kind, namespace), (group, kind, "")):
                if why := self._contents.unseen.get(unseen_key(*key)):
                    return why
            if self.api_metadata(group, kind) is None:
                return self._contents.unseen.get(unseen_key(group, "*"), "")
        return ""

    def info(self) -> Info:
        """What is held, what is not, and how."""
        with self._contents.lock:
            return Info(
                objects=len(self._contents.objects),
                kinds=self._contents.objects.kinds(),
                watched=self._upkeep.watched,
                polled=self._upkeep.polled,
                unseen=dict(sorted(self._contents.unseen.items())),
                is_loaded=self._contents.discovery is not None,
            )

    def on_created(self, handler: Callable[[Record], object]) -> Callable[[], None]:
        """Call a handler with each new object; the function returned ends that."""
        return self._contents.handlers.subscribe(CREATED, handler)

    def on_updated(self, handler: Callable[[Record], object]) -> Callable[[], None]:
        """The same with each object that was changed."""
        return self._contents.handlers.subscribe(UPDATED, handler)

    def on_deleted(self, handler: Callable[[ObjectId], object]) -> Callable[[], None]:
        """The same with the id of each object that was deleted."""
        return self._contents.handlers.subscribe(DELETED, handler)

    def on_api_added(self, handler: Callable[[Api], object]) -> Callable[[], None]:
        """The same with each new kind."""
        return self._contents.handlers.subscribe(API_ADDED, handler)

    def on_api_removed(self, handler: Callable[[Api], object]) -> Callable[[], None]:
        """The same with each kind that is no longer there."""
        return self._contents.handlers.subscribe(API_REMOVED, handler)

    def settle(self, seconds: float = 5) -> bool:
        """Wait until the handlers have seen everything that has happened."""
        return self._contents.handlers.wait(seconds)
