"""Results of filters, kept by what they really read and found again by that."""

from __future__ import annotations

import marshal
from dataclasses import replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from commodore_py.adapters.jsonnet.captured import repeat
from commodore_py.lib import LIBRARIES
from commodore_py.results import (
    Found,
    Marks,
    Missing,
    Present,
    Reads,
    Results,
    Roots,
    Verdict,
    Verdicts,
    WatchedOverlay,
    changed,
    foundation,
    key_of,
    mark_of,
    written,
)
from commodore_py.store import Store

from .filters import JSONNET
from .output import inside, with_contents
from .watched_node import VALUE, WatchedNode, value_mark

if TYPE_CHECKING:
    from commodore_py.config import Config
    from commodore_py.model.tree import Tree
    from commodore_py.results import Outcome

    from .definitions import Definition
    from .filters import Apply, Job

_FORMAT = 1
_PACKED = 2  # of marshal: no references, so equal for equal results


class Cache:
    """Results of the filters of one run."""

    def __init__(self, config: Config) -> None:
        self._results = Results(Store(config.result_cache)) if config.result_cache else None
        self._verify = config.verify_cache
        self._roots = Roots({"work": config.paths.root, "library": LIBRARIES.parent})
        self._marks = Marks(self._roots)
        self._on_disk: dict[str, bytes] = {}
        self.verdicts: list[Verdict] = []

    def filtered(self, definition: Definition, apply: Apply, tree: Tree, job: Job) -> Tree:
        """The tree after a filter: from the cache, or else filtered and kept."""
        results = self._results
        if results is None:
            return apply(tree, job)
        key = self._key(definition, tree, job)
        if key is None:
            self._tell(definition, "never", "its arguments are no data")
            return apply(tree, job)
        kept = results.find(key, self._present(job).answer)
        if isinstance(kept, Found) and not self._verify:
            self._tell(definition, "found", questions=kept.questions)
            return _applied(kept.result, tree, job)
        reads = Reads(self._roots)
        heard: list[bytes] = []
        overlay = WatchedOverlay.over(job.overlay, reads)
        node = WatchedNode(job.inventory, self._marks, reads)
        after = apply(tree, replace(job, overlay=overlay, inventory=node, heard=heard))
        result = _packed(tree, after, b"".join(heard))
        if isinstance(kept, Found):
            self._compare(definition, kept.result, result, tuple(reads.answers))
            results.forget(key, kept)
        if reads.unsealed:
            self._tell(definition, "never", reads.unsealed, tuple(reads.answers))
            return after
        results.keep(key, reads, result)
        if isinstance(kept, Missing):
            why = changed(kept.question, self._roots)
            self._tell(definition, "compiled", why, tuple(reads.answers))
        return after

    def _key(self, definition: Definition, tree: Tree, job: Job) -> str | None:
        """All that a filter is told; of one that brings no code along, all that it sees, too."""
        roots = self._roots
        if definition.kind == JSONNET:
            # Its code sees where it works, and may write down what it makes of that.
            seen: object = (str(job.output_path), roots.portable(str(job.source)))
        else:
            folder = inside(job.root, job.folder)
            seen = [
                (path.name, mark_of(entry.content))
                for path, entry in tree.items()
                if path.parent == folder
            ]
        folders = [roots.portable(str(folder)) for folder in job.import_folders]
        arguments = dict(definition.args)
        told = written(
            (_FORMAT, definition.kind, arguments, job.folder, job.component, folders, seen)
        )
        return None if told is None else key_of(b"filter", foundation(), told)

    def _present(self, job: Job) -> Present:
        node, marks = job.inventory, self._marks
        others = {VALUE: lambda about: value_mark(node, marks, about)}
        return Present(job.overlay, self._roots, self._on_disk, others)

    def _compare(
        self, definition: Definition, kept: bytes, made: bytes, questions: tuple[str, ...]
    ) -> None:
        old, new = (dict(marshal.loads(result)[0]) for result in (kept, made))  # noqa: S302 - the store gives what was put there
        differing = [name for name in sorted(old | new) if old.get(name) != new.get(name)]
        if differing:
            self._tell(definition, "differs", differing[0], questions)
        else:
            self._tell(definition, "equal", questions=questions)

    @property
    def told(self) -> Verdicts:
        """What became of all filters so far."""
        return Verdicts(tuple(self.verdicts), self._roots)

    def _tell(
        self,
        definition: Definition,
        outcome: Outcome,
        why: str = "",
        questions: tuple[str, ...] = (),
    ) -> None:
        target = definition.spot.target
        name = f"filter {definition.name}"
        self.verdicts.append(Verdict(target, name, str(definition.spot), outcome, why, questions))


def _packed(before: Tree, after: Tree, said: bytes) -> bytes:
    """What a filter wrote, also where the same was there: next time, it may be something else."""
    files = [
        (str(path), entry.content) for path, entry in after.items() if before.get(path) is not entry
    ]
    packed: bytes = marshal.dumps((files, said), _PACKED)
    return packed


def _applied(result: bytes, tree: Tree, job: Job) -> Tree:
    files, said = marshal.loads(result)  # noqa: S302 - as above
    repeat(said)
    contents = {PurePosixPath(name): content for name, content in files}
    return with_contents(tree, job.root, contents)
