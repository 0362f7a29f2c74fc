"""The files that count for a run of `catalog compile`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import commodore_py
from commodore_py.cache.up_to_date.snapshot import take, take_again

if TYPE_CHECKING:
    from collections.abc import Iterable

    from commodore_py.cache.up_to_date.snapshot import Snapshot
    from commodore_py.config import Config

_NOT_COMPILED = ("demo", "templates")  # what other commands write


def snapshot_of_run(
    config: Config,
    outside: Iterable[str],
    own_outputs: Iterable[str],
    *,
    before: Snapshot | None = None,
    written: Iterable[str] = (),
) -> Snapshot:
    """All files that a run reads and writes, without our notes and reports, and `own_outputs`.

    With a snapshot from `before` the run, only what the run has `written` is read again. Files that
    others change meanwhile stay as they were, so that the next run finds them modified.
    """
    more = sorted({*outside, *_read_in(_facts_of(config))})
    root, ignored = str(config.paths.root), ignored_by_run(config, own_outputs)
    if before is None:
        return take(root, more, ignored=ignored)
    return take_again(before, root, more, written=written, ignored=ignored)


def ignored_by_run(config: Config, own_outputs: Iterable[str]) -> frozenset[str]:
    """Our notes and reports, and `own_outputs`."""
    facts = _facts_of(config)
    reports = [f"{facts}/reports"] if facts else []
    return frozenset([str(config.paths.state), *own_outputs, *reports])


def snapshot_of_program() -> Snapshot:
    """Our own code, which an editable install may change, as far as a catalog is made by it."""
    folder = os.path.dirname(commodore_py.__file__)  # noqa: PTH120 - as it is named
    ignored = frozenset(f"{folder}/lib/{name}" for name in _NOT_COMPILED)
    return take(folder, ignored=ignored, ignored_everywhere=frozenset({"__pycache__"}))


def snapshot_of_facts(config: Config) -> Snapshot:
    """The facts that a run reads, where they are in a folder."""
    return take("", _read_in(_facts_of(config)), ignored=frozenset())


def _read_in(facts: str) -> list[str]:
    return [f"{facts}/clusters", f"{facts}/tenants"] if facts else []


def _facts_of(config: Config) -> str:
    """The folder of facts; empty if there is a server."""
    api_url = "" if config.local else config.api_url
    folder: object = api_url if api_url.startswith((".", "/")) else ""
    if api_url.startswith("file://"):
        from commodore_py.config import facts_folder

        folder = facts_folder(api_url)
    return os.path.abspath(str(folder)) if folder else ""  # noqa: PTH100 - as it is named
