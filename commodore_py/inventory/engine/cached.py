"""The resolved hierarchy of a working directory, cached while nothing that it is made of changes.

A working directory that is new begins with what others have stored about the same targets.

What it is made of is one digest: of every class file there is, read or not, and of the targets. So
nothing depends on what a class list may come to include. With another digest, targets are merged
again, and of their parameters those that come out the same are taken from the cache.
"""

from __future__ import annotations

import functools
import logging
import marshal
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from commodore_py.cache.digests import digest
from commodore_py.cache.program import program_digest
from commodore_py.cache.store import Store
from commodore_py.errors import CommodoreError, raise_collected

from .nodes import ResolvedTarget

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from commodore_py.inventory.targets import Target
    from commodore_py.model.inventory import Node

    from .classes import ClassFiles
    from .sharing import Record
    from .stored_classes import Packed

_LOG = logging.getLogger(__package__)

_Results: TypeAlias = "dict[str, tuple[Any, ...]]"
"""The fields of a `ResolvedTarget` by the name of the target."""


class _Cached(NamedTuple):
    """What is stored for a set of targets."""

    made_of: bytes
    messages: list[tuple[str, int, str]]
    results: _Results
    resolved: list[Record]


class CachedHierarchy:
    """The results of one working directory: one for each set of targets."""

    def __init__(self, folder: Path, root: Path, *, verify: bool = False) -> None:
        self._store = Store(folder)
        self._root = root
        self._verify = verify

    def render(
        self,
        files: ClassFiles,
        targets: Mapping[str, Target],
        uris: Mapping[str, str],
        *,
        missing_ok: bool,
    ) -> dict[str, Node]:
        """Every target's node, as `render_targets` gives it."""
        try:
            made_of = _made_of(files, targets, missing_ok=missing_ok)
        except CommodoreError:  # a class that is not readable, and perhaps not included
            return _from_scratch(files, targets, uris, missing_ok=missing_ok)
        about = str(self._root), next(iter(targets)) if len(targets) == 1 else "", missing_ok
        slots: list[tuple[object, ...]] = [about]
        cached = self._cached(_slot("hierarchy", about))
        if cached is None:
            # By content alone, what another working directory has: files as they were parsed, and
            # parameters that come out the same. Nothing else, as paths differ.
            slots.append(("", *targets, missing_ok))
            cached = self._cached(_slot("hierarchy", slots[-1]))
            cached = cached._replace(made_of=b"") if cached else None
        if cached is not None and cached.made_of == made_of and not self._verify:
            for name, level, message in cached.messages:
                logging.getLogger(name).log(level, "%s", message)
            return {
                name: ResolvedTarget(*cached.results[name]).node(name, uris[name])
                for name in targets
            }
        # Parameters that are not resolved again log nothing.
        silent = not _LOG.isEnabledFor(logging.DEBUG) and not self._verify
        earlier = cached.resolved if cached and silent else []
        verified = cached.results if cached is not None and cached.made_of == made_of else None
        del cached  # of 800 targets, half of all memory: what is not used any more is freed
        class_files = self._class_files(files, [_slot("classes", one) for one in slots])
        with _collected_log() as records, class_files:
            nodes, resolved = _recorded(files, targets, uris, earlier, missing_ok=missing_ok)
        del earlier
        # A warning is given once a run, by whichever comes first: it cannot be repeated from here.
        if all(record.levelno < logging.WARNING for record in records):
            messages = [(record.name, record.levelno, record.getMessage()) for record in records]
            found = tuple(_Cached(made_of, messages, _results(nodes), resolved))
            self._write([_slot("hierarchy", one) for one in slots], found)
        if verified is not None:
            _refuse_differences(verified, nodes)
        return nodes

    @contextmanager
    def _class_files(self, files: ClassFiles, slots: Sequence[str]) -> Iterator[None]:
        """Use class files that an earlier run has read, and store those that this one reads."""
        if self._verify:
            yield
            return
        found = filter(None, map(self._read, slots))
        before: Mapping[bytes, Packed] = next(found, {})
        files.know(before)
        yield
        known = files.known()
        if known.keys() != before.keys() or len(slots) > 1:
            self._write(slots, known)

    def _cached(self, slot: str) -> _Cached | None:
        try:
            found = self._read(slot)
            return None if found is None else _Cached(*found)
        except TypeError:
            return None

    def _read(self, slot: str) -> Any:
        """What a slot has, or the one that it names."""
        value = self._value_in(slot)
        return self._value_in(value) if isinstance(value, str) else value

    def _value_in(self, slot: str) -> Any:
        try:
            content = self._store.record(slot)
            if content is None or not content.startswith(_engine_digest()):
                return None
            return marshal.loads(memoryview(content)[len(_engine_digest()) :])  # noqa: S302 - the store gives what was put there
        except (ValueError, TypeError, EOFError):
            return None

    def _write(self, slots: Sequence[str], value: Any) -> None:
        """Store a value in the first slot, and its name in the others."""
        for slot in slots:
            try:
                # Written at once, so that what is shared is shared when it is read, too.
                content = marshal.dumps(value if slot == slots[0] else slots[0])
            except ValueError:  # nested too deeply for that
                return
            self._store.set_record(slot, _engine_digest() + content)


def _from_scratch(
    files: ClassFiles, targets: Mapping[str, Target], uris: Mapping[str, str], *, missing_ok: bool
) -> dict[str, Node]:
    from .render import render_targets  # an engine that may not be needed

    return render_targets(files, targets, uris, missing_ok=missing_ok)


def _recorded(
    files: ClassFiles,
    targets: Mapping[str, Target],
    uris: Mapping[str, str],
    earlier: Iterable[Record],
    *,
    missing_ok: bool,
) -> tuple[dict[str, Node], list[Record]]:
    """The same, with results of an earlier run; and those that a later one can use."""
    from .fingerprints import Fingerprints
    from .render import Engine, render_all

    engine = Engine(files, missing_ok=missing_ok, fingerprints=Fingerprints(), earlier=earlier)
    nodes = render_all(engine, targets, uris)
    return nodes, engine.shared.records


def _results(nodes: Mapping[str, Node]) -> _Results:
    return {
        name: (dict(node.parameters), node.applications, node.included)
        for name, node in nodes.items()
    }


def _refuse_differences(cached: _Results, nodes: Mapping[str, Node]) -> None:
    """With COMMODORE_VERIFY_CACHE, what would have been wrong is an error."""
    results = _results(nodes)
    raise_collected(
        (
            CommodoreError(
                f"the hierarchy of target {name} differs from the cached one",
                hint="the cache is repaired; please report this, with what was changed before",
            )
            for name in results
            if _digest(results[name]) != _digest(cached.get(name))
        ),
        "the cache holds another hierarchy than there is",
    )


def _made_of(files: ClassFiles, targets: Mapping[str, Target], *, missing_ok: bool) -> bytes:
    classes = [
        (name, files.folder(name).parts, files.digest(name)) for name in sorted(files.names())
    ]
    return _digest(_LOG.getEffectiveLevel(), classes, list(targets.items()), missing_ok)


def _slot(kind: str, about: tuple[object, ...]) -> str:
    return _digest(kind, *about).decode()


def _digest(*parts: Any) -> bytes:
    return digest(marshal.dumps(parts, 2)).encode()


@functools.cache
def _engine_digest() -> bytes:
    """Equal for equal programs, wherever they are installed."""
    room = Path(__file__).parent
    files = [*sorted(room.glob("*.py")), room.parent / "paths.py"]
    code = [(path.name, path.read_bytes()) for path in files]
    return _digest(program_digest(), code)


@contextmanager
def _collected_log() -> Iterator[list[logging.LogRecord]]:
    """What the engine logs meanwhile, as far as that is shown."""
    records: list[logging.LogRecord] = []

    class Collector(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            records.append(record)

    collector = Collector()
    _LOG.addHandler(collector)
    try:
        yield records
    finally:
        _LOG.removeHandler(collector)
