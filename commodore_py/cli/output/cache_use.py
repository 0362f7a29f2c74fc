"""The summary that `--verify-cache` and `--explain-cache` print at the end of a run."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from commodore_py.cache.verdicts import Tally
    from commodore_py.config import Config


@contextmanager
def reported(config: Config) -> Iterator[None]:
    """Report cache hits and misses at the end, or why the cache is not used."""
    if not config.verify_cache and not config.explain_cache:
        yield
        return
    from . import messages

    option = "--verify-cache" if config.verify_cache else "--explain-cache"
    why = _unused(config)
    if why:
        messages.info(f"{option}: {why}")
        yield
        return
    from commodore_py.cache.verdicts import tally
    from commodore_py.run_log import collecting

    with collecting() as events:
        yield
    found = tally(events)
    messages.info(f"{option}: {_verified(found) if config.verify_cache else _explained(found)}")


def _unused(config: Config) -> str:
    if config.recompile:
        return "everything is compiled because of --no-cache"
    if config.engine != "native":
        return f"the {config.engine} engine compiles everything and caches no results"
    if config.result_cache is None:
        return "everything is compiled because there is no cache folder"
    return ""


def _explained(found: Tally) -> str:
    counts = (
        (found.found, "from the cache"),
        (found.compiled, "compiled"),
        (found.never, "compiled and not cached"),
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
        parts.append(f"{_results(found.never)} of a kind that is never cached")
    return "; ".join(parts) or "there was nothing to compare"


def _results(count: int) -> str:
    return "1 result" if count == 1 else f"{count} results"
