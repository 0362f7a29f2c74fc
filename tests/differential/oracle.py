"""reclass-rs in a process of its own that answers many questions and may die of any of them."""

from __future__ import annotations

import os
import pickle
import resource
import signal
import struct
import subprocess
import sys
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from types import TracebackType

# What became of a target: ("rendered", its data), ("refused", why) or ("crashed", last words).
Outcome = tuple[str, Any]
_STACK = 2 << 20
_CPU_SECONDS = 10
_FIELDS = ("applications", "classes", "environment", "exports", "parameters")


class Oracle:
    """A child process that renders folders; it is started again when it dies."""

    def __init__(self) -> None:
        self._child: subprocess.Popen[bytes] | None = None
        self._asked: list[str] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stop()

    def ask(self, folder: Path, *, missing_ok: bool) -> None:
        """Have a folder of `targets` and `classes` rendered; the answer is fetched later."""
        self._asked = sorted(one.name.rpartition(".")[0] for one in (folder / "targets").iterdir())
        question = pickle.dumps((str(folder), self._asked, missing_ok))
        for _ in range(2):
            child = self._running()
            try:
                _send(child.stdin, question)
            except BrokenPipeError:
                self._stop()
            else:
                return

    def answer(self) -> dict[str, Outcome]:
        """What became of every target of the folder asked for last."""
        child = self._running()
        outcomes: dict[str, Outcome] = {}
        for name in self._asked:
            message = _receive(child.stdout)
            if message is None:
                # The targets after the deadly one are not asked for again.
                self._stop()
                return outcomes | dict.fromkeys(
                    self._asked[len(outcomes) :], ("crashed", "the process died")
                )
            outcomes[name] = pickle.loads(message)  # noqa: S301 - written by our own child
        return outcomes

    def _running(self) -> subprocess.Popen[bytes]:
        if self._child is None:
            self._child = subprocess.Popen(
                [sys.executable, "-m", __name__],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd=Path(__file__).parents[2],
                # Every error would carry a backtrace, at a millisecond each.
                env={**os.environ, "RUST_BACKTRACE": "0", "RUST_LIB_BACKTRACE": "0"},
            )
        return self._child

    def _stop(self) -> None:
        if self._child is not None:
            self._child.kill()
            self._child.communicate()
            self._child = None


def _send(stream: IO[bytes] | None, message: bytes) -> None:
    assert stream is not None
    stream.write(struct.pack(">Q", len(message)) + message)
    stream.flush()


def _receive(stream: IO[bytes] | None) -> bytes | None:
    assert stream is not None
    head = stream.read(8)
    if len(head) < 8:
        return None
    size = struct.unpack(">Q", head)[0]
    message = stream.read(size)
    return message if len(message) == size else None


def _serve() -> None:
    import reclass_rs  # only where it may crash

    # As much as its own threads have: without end it reads classes in a circle for half a second.
    resource.setrlimit(resource.RLIMIT_STACK, (_STACK, resource.RLIM_INFINITY))
    while (message := _receive(sys.stdin.buffer)) is not None:
        folder, names, missing_ok = pickle.loads(message)  # noqa: S301 - written by our own parent
        try:
            reclass = reclass_rs.Reclass(
                nodes_path=f"{folder}/targets",
                classes_path=f"{folder}/classes",
                ignore_class_notfound=missing_ok,
            )
        except ValueError as error:
            reclass, strict = None, ("refused", str(error))
        for name in names:
            # References that fail may be tried again without end: then the timer ends us.
            signal.setitimer(signal.ITIMER_VIRTUAL, _CPU_SECONDS)
            outcome = strict if reclass is None else _outcome(reclass, name)
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            _send(sys.stdout.buffer, pickle.dumps(outcome))


def _outcome(reclass: Any, name: str) -> Outcome:  # noqa: ANN401 - a library without types
    try:
        node = reclass.nodeinfo(name).as_dict()
    except (ValueError, TypeError) as error:
        # A type error is a mapping key that Python cannot hold.
        return "refused", str(error)
    except BaseException as error:  # a panic of Rust is none of Python's exceptions
        if type(error).__name__ != "PanicException":
            raise
        return "crashed", str(error)
    return "rendered", {field: node[field] for field in _FIELDS}


if __name__ == "__main__":
    _serve()
