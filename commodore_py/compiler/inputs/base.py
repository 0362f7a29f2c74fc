"""What a module must offer to be an input type, and what it gets to work on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from pathlib import Path

    from commodore_py.adapters.yaml.emitter import Style
    from commodore_py.compiler.entries import Entry
    from commodore_py.compiler.evaluation import Evaluation
    from commodore_py.compiler.kapitan.foreign import Kapitan
    from commodore_py.compiler.lookup import Lookup
    from commodore_py.compiler.output import Output
    from commodore_py.compiler.tags import Tags


@dataclass(frozen=True, slots=True)
class InputJob:
    """One entry of one target, and the target's output so far."""

    entry: Entry
    output: Output
    lookup: Lookup
    tags: Tags
    style: Style
    evaluation: Evaluation
    """Evaluates Jsonnet for this target."""
    kapitan: Kapitan
    """Runs Kapitan's own input types, elsewhere."""


class Render(Protocol):
    """What a module of an input type has as `render`."""

    def __call__(self, job: InputJob) -> Output:
        """The target's output with this entry's."""


class InputMissing(CommodoreError):
    """An input path leads to nothing."""


def inputs_of(job: InputJob, pattern: str) -> list[Path]:
    """What an input path stands for; nothing at all is an error unless the entry says otherwise.

    The first search path comes last, as the last output to a file wins: it is the one that an
    import would find.
    """
    found = job.lookup.every(pattern)[::-1]
    if not found and not job.entry.ignore_missing:
        looked = ", ".join(dict.fromkeys(str(at / pattern) for at in job.lookup.search_paths))
        raise InputMissing(
            f"input {pattern} does not exist", where=job.entry.where, hint=f"looked at {looked}"
        )
    return found
