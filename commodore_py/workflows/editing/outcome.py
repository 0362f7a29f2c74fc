"""What an edit does to the catalog: the same sources rendered without it and with it."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from commodore_py import pipeline
from commodore_py.adapters.files.protected import WouldWrite
from commodore_py.adapters.reading import staged
from commodore_py.catalog.diff.change import change_between
from commodore_py.errors import CommodoreError
from commodore_py.workflows.dry_run import copied, filtered, in_place

if TYPE_CHECKING:
    from commodore_py.config import Config
    from commodore_py.model.catalog import Change
    from commodore_py.model.stages import Rendered

    from .plan import Planned


def change_of(config: Config, cluster_id: str, planned: Planned) -> Change:
    """The change of the catalog that an edit causes; raises if the edit does not compile."""
    root = config.paths.root.resolve()
    if not planned.file.is_relative_to(root):
        raise CommodoreError(
            "a file outside of the working directory cannot be compiled with an edit",
            where=str(planned.file),
            hint="use --validate inventory, or edit its checkout in the working directory",
        )
    # What a compile warns of is not about the edit; a compile shows it again.
    own_messages = filtered(lambda record: record.levelno >= logging.ERROR)
    config = config._replace(local=True, dry_run=True)
    with own_messages:
        try:
            with in_place(config.paths):
                before = _rendered(config, cluster_id)
                with staged({planned.file: planned.after}):
                    after = _rendered(config, cluster_id)
        except WouldWrite:
            with copied(config) as own:
                before = _rendered(own, cluster_id)
                (own.paths.root / planned.file.relative_to(root)).write_bytes(planned.after)
                after = _rendered(own, cluster_id)
    return change_between(before.catalog, after.catalog)._replace(
        after=after.catalog, rules=after.rules
    )


def _rendered(config: Config, cluster_id: str) -> Rendered:
    return pipeline.render(config, pipeline.gather(config, cluster_id))
