"""Long calls into other languages, left at once when the user interrupts us."""

from __future__ import annotations

import signal
import threading
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

Result = TypeVar("Result")

_SECONDS = 0.1


def interruptible(call: Callable[[], Result]) -> Result:
    """The result of a call that lets Python go on meanwhile; an interruption does not wait for it.

    Python reports an interruption when its main thread is back in Python, so the call is made by
    another one. An interrupted call goes on until the process ends.
    """
    in_main = threading.current_thread() is threading.main_thread()
    if not in_main or signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        return call()
    results: list[Result] = []
    errors: list[BaseException] = []

    def work() -> None:
        try:
            results.append(call())
        except BaseException as error:  # noqa: BLE001 - raised again by the caller
            errors.append(error)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    while thread.is_alive():
        # An interruption just before the wait would not end it.
        thread.join(_SECONDS)
    for error in errors:
        raise error
    return results[0]
