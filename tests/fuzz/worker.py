"""A process that feeds cases to one door, within limits: `python -m tests.fuzz.worker`.

Cases come on stdin and outcomes go to stdout, both pickled with their length in front.
"""

from __future__ import annotations

import faulthandler
import os
import pickle
import resource
import struct
import sys
import traceback
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from commodore_py.cli.output import log, messages
from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from collections.abc import Callable

HEADER = struct.Struct("!Q")
ROOT = Path(__file__).resolve().parents[2]


def serve(feed: Callable[[Any], object], memory: int) -> None:
    """Feed every case that comes, until there are no more."""
    cases, outcomes = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what the door prints is not an outcome
    faulthandler.enable()
    log.set_up()
    _limit(memory)
    while header := cases.read(HEADER.size):
        content = cases.read(HEADER.unpack(header)[0])
        outcome = pickle.dumps(_outcome(feed, pickle.loads(content)))  # noqa: S301 - ours
        outcomes.write(HEADER.pack(len(outcome)) + outcome)
        outcomes.flush()
        os.ftruncate(2, 0)


def _limit(memory: int) -> None:
    """So much more memory than the process has now."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
    except FileNotFoundError:  # not on Linux
        return
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    limit = pages * resource.getpagesize() + memory
    resource.setrlimit(resource.RLIMIT_AS, (limit, hard))


def _outcome(feed: Callable[[Any], object], case: object) -> tuple[str, str, str]:
    """What came of a case: its kind, a short name for it, and the whole story."""
    try:
        try:
            feed(case)
        except CommodoreError as error:
            messages.error(error)  # it must be possible to show it
            return "error", "", ""
    except BaseException as error:  # noqa: BLE001 - that is what we are looking for
        return "crash", f"{type(error).__name__} {_place(error)}", _story(error)
    return "success", "", ""


def _place(error: BaseException) -> str:
    """The last line of our own that it passed."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "commodore_py" in frame.filename] or frames
    if not ours:
        return "somewhere"
    path = Path(ours[-1].filename)
    name = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path.name
    return f"in {name}:{ours[-1].lineno}"


def _story(error: BaseException) -> str:
    return "".join(traceback.format_exception(error, limit=-12))[-4000:]


def main() -> None:
    """Serve the function that the arguments name, as module and name, within bytes of memory."""
    module, name, memory = sys.argv[1:]
    serve(getattr(import_module(module), name), int(memory))


if __name__ == "__main__":
    main()
