"""One target to one tree: its entries, in order."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

from commodore_py import spans
from commodore_py.errors import CommodoreError

from .inputs import INPUT_TYPES, InputJob

if TYPE_CHECKING:
    from commodore_py.adapters.overlay import Overlay
    from commodore_py.adapters.yaml_emitter import Style

    from .entries import Entry
    from .evaluation import Evaluation
    from .foreign import Kapitan
    from .lookup import Lookup
    from .output import Output
    from .tags import Tags

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Target:
    """A target with everything that its entries need."""

    name: str
    entries: tuple[Entry, ...]
    style: Style
    lookup: Lookup
    tags: Tags
    evaluation: Evaluation
    kapitan: Kapitan


def compile_target(target: Target, output: Output) -> Output:
    """The output of all entries; each sees what the ones before it wrote."""
    for entry in target.entries:
        # The folder is made first, and is there even if an entry fails that may.
        output = output.with_folder(output.place(entry.output_path))
        try:
            with spans.detail("entry", entry.input_type, entry.output_path):
                output = _compiled(target, entry, output)
        except CommodoreError as error:
            if not entry.may_fail:
                if entry.where not in error.where:
                    error.where = "\n".join(filter(None, (error.where, entry.where)))
                raise
            logger.error("%s goes on without an entry: %s (%s)", target.name, error, entry.where)  # noqa: TRY400 - no traceback for users
    return output


def _compiled(target: Target, entry: Entry, output: Output) -> Output:
    files: Overlay = target.lookup.files.with_tree(output.folder, output.tree)
    job = InputJob(
        entry=entry,
        output=output,
        lookup=target.lookup.with_files(files.with_written(output.written)),
        tags=target.tags,
        style=target.style,
        evaluation=target.evaluation,
        kapitan=target.kapitan,
    )
    render = INPUT_TYPES.get(entry.input_type, target.kapitan.render)
    return render(job)
