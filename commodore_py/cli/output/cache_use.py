"""What `--verify-cache` and `--explain-cache` tell about a whole run."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from commodore_py.cache.verdicts import Tally
    from commodore_py.config import Config


@contextmanager
def told(config: Config) -> Iterator[None]:
    """Tell why the cache is not asked, or at the end what a comparison with it gave."""
    if not config.verify_cache and not config.explain_cache:
        yield
        return
    from . import messages

    option = "--verify-cache" if config.verify_cache else "--explain-cache"
    why = _unused(config)
    if why:
        messages.step(f"{option}: {why}")
        yield
        return
    from commodore_py.cache.verdicts import tally
    from commodore_py.run_log import collecting

    with collecting() as said:
        yield
    found = tally(said)
    messages.step(f"{option}: {_verified(found) if config.verify_cache else _explained(found)}")


def _unused(config: Config) -> str:
    if config.recompile:
        return "everything is compiled, as --no-cache says"
    if config.engine != "native":
        return f"the {config.engine} engine compiles everything, and keeps no results"
    if config.result_cache is None:
        return "everything is compiled, as there is no folder for a cache"
    return ""


def _explained(found: Tally) -> str:
    counts = (
        (found.found, "taken from the cache"),
        (found.compiled, "compiled"),
        (found.never, "compiled and not kept"),
    )
    parts = [f"{count} {what}" for count, what in counts if count]
    if not parts:
        return "there was nothing to compile"
    return f"of {_results(sum(count for count, _ in counts))}, {', '.join(parts)}"


def _verified(found: Tally) -> str:
    parts = []
    if found.equal:
        parts.append(f"{_results(found.equal)} compared with the cache: no difference")
    if found.compiled:
        parts.append(f"{_results(found.compiled)} not in the cache before")
    if found.never:
        parts.append(f"{_results(found.never)} of a kind that is never kept")
    return "; ".join(parts) or "there was nothing to compare"


def _results(count: int) -> str:
    return "1 result" if count == 1 else f"{count} results"
