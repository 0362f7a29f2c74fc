"""One target to one tree: its entries, in order."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, NamedTuple

from commodore_py import run_log
from commodore_py.errors import CommodoreError, paths_explained
from commodore_py.model.warning import FROM_FILES

from .entry import InputJob
from .inputs import INPUT_TYPES

if TYPE_CHECKING:
    from commodore_py.adapters.files.overlay import Overlay
    from commodore_py.adapters.yaml.emitter import Style

    from .cached.entry import EntryCache
    from .entry import Entry
    from .evaluation import Evaluation
    from .kapitan.inputs import Kapitan
    from .lookup import Lookup
    from .output import Output
    from .tags import Tags

logger = logging.getLogger(__name__)


class Target(NamedTuple):
    """A target with everything that its entries need."""

    name: str
    entries: tuple[Entry, ...]
    style: Style
    lookup: Lookup
    tags: Tags
    evaluation: Evaluation
    kapitan: Kapitan
    cache: EntryCache


def without_work(target: Target, output: Output) -> tuple[int, Output]:
    """How many entries are in the cache, or take no time; and the output of these."""
    for index, entry in enumerate(target.entries):
        try:
            made = output.with_folder(output.place(entry.output_path))
            found = target.cache.without_work(
                INPUT_TYPES[entry.input_type], _job(target, entry, made)
            )
        except CommodoreError:  # reported when it is compiled
            return index, output
        if found is None:
            return index, output
        output = found
    return len(target.entries), output


def compile_target(target: Target, output: Output, *, done: int = 0) -> Output:
    """The output of all entries, some of which may be done; each sees what was written before."""
    for entry in target.entries[done:]:
        # The folder is made first, and is there even if an entry fails that may.
        output = output.with_folder(output.place(entry.output_path))
        try:
            with run_log.detail("entry", entry.input_type, entry.output_path):
                kind = INPUT_TYPES[entry.input_type]
                with paths_explained():
                    output = target.cache.rendered(kind, _job(target, entry, output))
        except CommodoreError as error:
            if not entry.may_fail:
                error.spots = (entry.spot,)
                if entry.where not in error.where:
                    error.where = "\n".join(filter(None, (error.where, entry.where)))
                raise
            text = f"{target.name} goes on without an entry: {error} ({entry.where})"
            logger.error("%s", text, extra=FROM_FILES)  # noqa: TRY400 - no traceback for users
    return output


def _job(target: Target, entry: Entry, output: Output) -> InputJob:
    files: Overlay = target.lookup.files.with_tree(output.folder, output.tree)
    return InputJob(
        entry=entry,
        output=output,
        lookup=target.lookup.with_files(files.with_written(output.written, output.made)),
        tags=target.tags,
        style=target.style,
        evaluation=target.evaluation,
        kapitan=target.kapitan,
    )
