"""The last resolved hierarchy of a working directory, taken again while it would come out the same.

What it was made from is told by one digest: of every class file there is, read or not, and of the
targets. So nothing depends on what a class list may come to include. If that is another one,
targets are put together anew, and of their parameters those are taken again that come out the same.
"""

from __future__ import annotations

import functools
import hashlib
import logging
import marshal
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from commodore_py.cache.program import program_digest
from commodore_py.cache.store import Store
from commodore_py.errors import CommodoreError, raise_collected

from .nodes import Answer

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from commodore_py.inventory.targets import Target
    from commodore_py.model.inventory import Node

    from .classes import ClassFiles
    from .sharing import Record

# Later versions of marshal write what is shared as references, and that is no part of a value.
_BY_VALUE_ALONE = 2
_ROOM = logging.getLogger(__package__)

_Answers: TypeAlias = "dict[str, tuple[dict[Any, Any], tuple[str, ...], tuple[str, ...]]]"


class KeptHierarchy:
    """Where the results of one working directory are kept: one for each kind of question."""

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
        except CommodoreError:  # a class that nobody can read, and perhaps nobody includes
            return _anew(files, targets, uris, missing_ok=missing_ok)
        about = str(self._root), _question(targets), missing_ok
        slot = _digest("hierarchy", *about).hex()
        known = self._known(slot)
        if known is not None and known.made_of == made_of and not self._verify:
            for name, level, message in known.said:
                logging.getLogger(name).log(level, "%s", message)
            return {name: Answer(*known.answers[name]).node(name, uris[name]) for name in targets}
        # What is not resolved again would not be told again, either.
        silent = not _ROOM.isEnabledFor(logging.DEBUG) and not self._verify
        earlier = known.resolved if known and silent else ()
        read_before = self._read_before(files, _digest("classes", *about).hex())
        with _heard() as records, read_before:
            nodes, resolved = _recorded(files, targets, uris, earlier, missing_ok=missing_ok)
        # A warning is given once a run, whoever comes upon it first: that cannot be told again.
        if all(record.levelno < logging.WARNING for record in records):
            said = [(record.name, record.levelno, record.getMessage()) for record in records]
            self._keep(slot, tuple(_Known(made_of, said, _answers(nodes), resolved)))
        if known is not None and known.made_of == made_of:
            _refuse_differences(known.answers, nodes)
        return nodes

    @contextmanager
    def _read_before(self, files: ClassFiles, slot: str) -> Iterator[None]:
        """Take class files for read that an earlier run has read, and keep what this one reads."""
        if self._verify:
            yield
            return
        before = self._noted(slot) or {}
        files.know(before)
        yield
        known = files.known()
        if known.keys() != before.keys():
            self._keep(slot, known)

    def _known(self, slot: str) -> _Known | None:
        try:
            found = self._noted(slot)
            return None if found is None else _Known(*found)
        except TypeError:
            return None

    def _noted(self, slot: str) -> Any:  # noqa: ANN401 - plain values
        content = self._store.noted(slot)
        if content is None or not content.startswith(_code()):
            return None
        try:
            return marshal.loads(memoryview(content)[len(_code()) :])  # noqa: S302 - ours: the store tells
        except (ValueError, TypeError, EOFError):
            return None

    def _keep(self, slot: str, known: Any) -> None:  # noqa: ANN401 - as above
        try:
            # Written at once, so that what is shared is shared when it is read, too.
            content = marshal.dumps(known)
        except ValueError:  # nested too deeply for that
            return
        self._store.note(slot, _code() + content)


class _Known(NamedTuple):
    """What is kept of one question."""

    made_of: bytes
    said: list[tuple[str, int, str]]
    answers: _Answers
    resolved: list[Record]


def _anew(
    files: ClassFiles, targets: Mapping[str, Target], uris: Mapping[str, str], *, missing_ok: bool
) -> dict[str, Node]:
    from .render import render_targets  # noqa: PLC0415 - an engine that may not be needed

    return render_targets(files, targets, uris, missing_ok=missing_ok)


def _recorded(
    files: ClassFiles,
    targets: Mapping[str, Target],
    uris: Mapping[str, str],
    earlier: Iterable[Record],
    *,
    missing_ok: bool,
) -> tuple[dict[str, Node], list[Record]]:
    """The same, by what is known of an earlier run; and what a later one may go by."""
    from .marks import Marks  # noqa: PLC0415 - as above
    from .render import Engine, render_all  # noqa: PLC0415 - as above

    engine = Engine(files, missing_ok=missing_ok, marks=Marks(), earlier=earlier)
    nodes = render_all(engine, targets, uris)
    return nodes, engine.shared.records


def _answers(nodes: Mapping[str, Node]) -> _Answers:
    return {
        name: (dict(node.parameters), node.applications, node.classes)
        for name, node in nodes.items()
    }


def _refuse_differences(known: _Answers, nodes: Mapping[str, Node]) -> None:
    """With --verify-cache, what would have been wrong is an error."""
    anew = _answers(nodes)
    raise_collected(
        (
            CommodoreError(
                f"the hierarchy is another one for target {name} than the cache says",
                hint="the cache is mended; please report this, with what was changed before",
            )
            for name in anew
            if _digest(anew[name]) != _digest(known.get(name))
        ),
        "the cache holds another hierarchy than there is",
    )


def _question(targets: Mapping[str, Target]) -> str:
    return next(iter(targets)) if len(targets) == 1 else ""


def _made_of(files: ClassFiles, targets: Mapping[str, Target], *, missing_ok: bool) -> bytes:
    classes = [
        (name, files.folder(name).parts, files.digest(name)) for name in sorted(files.names())
    ]
    return _digest(_ROOM.getEffectiveLevel(), classes, list(targets.items()), missing_ok)


def _digest(*parts: Any) -> bytes:  # noqa: ANN401 - plain values
    return hashlib.blake2b(marshal.dumps(parts, _BY_VALUE_ALONE), digest_size=32).digest()


@functools.cache
def _code() -> bytes:
    """Equal for equal programs, wherever they are installed."""
    room = [(path.name, path.read_bytes()) for path in sorted(Path(__file__).parent.glob("*.py"))]
    return _digest(program_digest(), room)


@contextmanager
def _heard() -> Iterator[list[logging.LogRecord]]:
    """What is logged meanwhile, as far as it is shown."""
    records: list[logging.LogRecord] = []

    class Listener(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            records.append(record)

    listener = Listener()
    _ROOM.addHandler(listener)
    try:
        yield records
    finally:
        _ROOM.removeHandler(listener)
