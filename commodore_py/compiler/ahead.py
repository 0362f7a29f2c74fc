"""Jsonnet files of one target evaluated in one go, so that what they import is parsed once."""

from __future__ import annotations

import itertools
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from commodore_py.adapters.overlay import WatchedOverlay
from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from commodore_py.model import Entry as File

    from .entries import Entry
    from .evaluation import Evaluation
    from .lookup import Lookup

_JSONNET = "jsonnet"


@dataclass(frozen=True, slots=True)
class Ahead:
    """What files evaluate to, if nothing that they looked at has changed since."""

    values: Mapping[Path, Any] = field(default_factory=dict)
    written: Mapping[Path, File | None] = field(default_factory=dict)

    def among(self, written: Mapping[Path, File | None]) -> Mapping[Path, Any]:
        """The values that hold while these files are written outside of `compiled/`."""
        return self.values if written == self.written else {}


def evaluated_ahead(
    entries: Sequence[Entry], index: int, lookup: Lookup, evaluation: Evaluation
) -> Ahead:
    """The values of an entry and of those that follow it, if they are many and all is certain.

    Wherever one by one could end differently (an error, a look at `compiled/`, where the entries
    write) there is nothing: then each is evaluated in its turn.
    """
    run = itertools.takewhile(lambda entry: entry.input_type == _JSONNET, entries[index:])
    try:
        sources = dict.fromkeys(source for entry in run for source in _files_of(entry, lookup))
        if len(sources) <= 1:
            return Ahead()
        watched = WatchedOverlay.over(lookup.files)
        values = _values(list(sources), lookup.with_files(watched), evaluation)
    except CommodoreError:
        return Ahead()
    return Ahead() if watched.looked_at else Ahead(values, lookup.files.written)


def starts_a_run(entries: Sequence[Entry], index: int) -> bool:
    """Whether an entry is the first of some that evaluate Jsonnet one after the other."""
    before = entries[index - 1].input_type if index else ""
    return entries[index].input_type == _JSONNET != before


def _files_of(entry: Entry, lookup: Lookup) -> Iterator[Path]:
    for pattern in entry.input_paths:
        yield from lookup.every(pattern)


def _values(sources: Sequence[Path], lookup: Lookup, evaluation: Evaluation) -> dict[Path, Any]:
    # An import reads line ends as Python does, the file of an entry is read as it is.
    if any(b"\r" in (lookup.files.read(source) or b"\r") for source in sources):
        return {}
    imports = ",".join(f"import {json.dumps(str(source))}" for source in sources)
    text = evaluation.run_text(f"[{imports}]", sources[0].with_name("together.jsonnet"), lookup)
    return dict(zip(sources, json.loads(text), strict=True))
