"""Filters as work whose results are cached."""

from __future__ import annotations

import marshal
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from commodore_py.cache.digests import BY_VALUE, key_of, serialised
from commodore_py.cache.program import program_digest
from commodore_py.cache.questions.base import View
from commodore_py.cache.recording_files import RecordingOverlay
from commodore_py.cache.results import NeverCached, ResultCache
from commodore_py.cache.roots import Roots
from commodore_py.cache.verdicts import Label
from commodore_py.lib import LIBRARIES

from .output import with_contents
from .recording_node import RecordingNode

if TYPE_CHECKING:
    from commodore_py.cache.recorder import Recorder
    from commodore_py.config import Config
    from commodore_py.model.tree import Tree

    from .definitions import Definition
    from .filters import Apply, Filter, Job

_FORMAT = 2


def filter_cache(config: Config) -> ResultCache:
    """Results of the filters of one run."""
    roots = Roots({"work": config.paths.root, "library": LIBRARIES.parent})
    return ResultCache(config.result_cache, roots, verify=config.verify_cache)


class FilterWork(NamedTuple):
    """One filter of one instance; its result is the files that it writes."""

    definition: Definition
    kind: Filter
    apply: Apply
    tree: Tree
    job: Job
    cache: ResultCache

    @property
    def label(self) -> Label:
        """The filter and where it is defined."""
        spot = self.definition.spot
        return Label(spot.target, f"filter {self.definition.name}", str(spot))

    def key(self) -> str | NeverCached:
        """Arguments, place, and what the kind of filter sees without a record."""
        roots, job, definition = self.cache.roots, self.job, self.definition
        folders = [roots.portable(str(folder)) for folder in job.import_folders]
        seen = self.kind.sees(self.tree, job, roots)
        arguments = dict(definition.args)
        given = serialised(
            (_FORMAT, definition.kind, arguments, job.folder, job.component, folders, seen)
        )
        if given is None:
            return NeverCached("its arguments are not plain data")
        return key_of(b"filter", program_digest(), given)

    def view(self) -> View:
        """The files and the node."""
        cache = self.cache
        return View(
            self.job.overlay, cache.roots, cache.values, cache.known, {}, node=self.job.inventory
        )

    def run(self) -> Tree:
        """The tree after the filter."""
        return self.apply(self.tree, self.job)

    def record(self, recorder: Recorder) -> tuple[Tree, bytes]:
        """The same; files count even with the bytes that they had: these may differ next time."""
        recording = self.job._replace(
            overlay=RecordingOverlay(self.job.overlay, recorder),
            inventory=RecordingNode(self.job.inventory, self.cache.values, recorder),
            traces=recorder.traces,
        )
        after = self.apply(self.tree, recording)
        files = [
            (str(path), entry.content)
            for path, entry in after.items()
            if self.tree.get(path) is not entry
        ]
        return after, marshal.dumps(files, BY_VALUE)

    def restore(self, stored: bytes) -> Tree:
        """The tree with the files of a cached result."""
        contents = {PurePosixPath(name): content for name, content in _files(stored).items()}
        return with_contents(self.tree, self.job.root, contents)

    def difference(self, stored: bytes, made: bytes | None) -> str:
        """The first file that differs."""
        old, new = _files(stored), _files(made) if made else {}
        return next((name for name in sorted(old | new) if old.get(name) != new.get(name)), "")


def _files(stored: bytes) -> dict[str, bytes]:
    return dict(marshal.loads(stored))  # noqa: S302 - the store gives what was put there
