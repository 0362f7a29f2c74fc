"""What `--verify-cache` and `--explain-cache` tell about a whole run."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from commodore_py.config import Config
    from commodore_py.results import Compared


@contextmanager
def told(config: Config) -> Iterator[None]:
    """Tell why the cache is not asked, or at the end what a comparison with it gave."""
    if not config.verify_cache and not config.explain_cache:
        yield
        return
    from . import voice  # noqa: PLC0415 - only for who wants to know

    option = "--verify-cache" if config.verify_cache else "--explain-cache"
    why = _unused(config)
    if why:
        voice.step(f"{option}: {why}")
    if why or not config.verify_cache:
        yield
        return
    from commodore_py.adapters.asked import heard  # noqa: PLC0415 - as above
    from commodore_py.results import compared  # noqa: PLC0415

    with heard() as said:
        yield
    voice.step(f"{option}: {_outcome(compared(said))}")


def _unused(config: Config) -> str:
    if config.recompile:
        return "everything is compiled, as --no-cache says"
    if config.engine != "native":
        return f"the {config.engine} engine compiles everything, and keeps no results"
    if config.result_cache is None:
        return "everything is compiled, as there is no folder for a cache"
    return ""


def _outcome(found: Compared) -> str:
    parts = []
    if found.equal:
        parts.append(f"{_results(found.equal)} compared with the cache: no difference")
    if found.missing:
        parts.append(f"{_results(found.missing)} not in the cache before")
    if found.never:
        parts.append(f"{_results(found.never)} of a kind that is never kept")
    return "; ".join(parts) or "there was nothing to compare"


def _results(count: int) -> str:
    return "1 result" if count == 1 else f"{count} results"
