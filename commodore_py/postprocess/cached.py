"""Filters as work whose results are cached."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from commodore_py.cache import digests
from commodore_py.cache.packing import pack, unpack
from commodore_py.cache.program import program_digest
from commodore_py.cache.questions.base import View
from commodore_py.cache.questions.inventory import InventoryPart
from commodore_py.cache.results import ResultCache, Work
from commodore_py.cache.roots import Roots
from commodore_py.lib import LIBRARIES

from .output import with_contents

if TYPE_CHECKING:
    from commodore_py.cache.recorder import Recorder
    from commodore_py.config import Config
    from commodore_py.model.tree import Tree

    from .definitions import Definition
    from .filters import Apply, Filter, Job

_FORMAT = 3
_PARAMETERS = "parameters"


def filter_cache(config: Config) -> ResultCache:
    """Results of the filters of one run."""
    roots = Roots({"work": config.paths.root, "library": LIBRARIES.parent})
    verify, remote = config.verify_cache, config.remote_cache
    return ResultCache(config.result_cache, roots, verify=verify, remote=remote)


def filtered(
    definition: Definition, kind: Filter, tree: Tree, job: Job, cache: ResultCache
) -> Tree:
    """The tree after a filter, cached or run."""
    apply = kind.parse(definition.args)
    if not cache.in_store:
        return apply(tree, job)
    label = f"{definition.spot.target}: filter {definition.name}"
    key = digests.of_value(
        (
            _FORMAT,
            program_digest(),
            definition.kind,
            dict(definition.args),
            job.folder,
            job.component,
            [cache.roots.portable(str(folder)) for folder in job.import_folders],
            kind.sees(tree, job, cache.roots),
        )
    )
    if key is None:
        cache.not_cached(label, "its arguments are not plain data")
        return apply(tree, job)
    node = _Node(definition.spot.target, job.inventory)
    view = View(job.files, cache.roots, cache.answers, targets=node, target=node.name)
    return cache.cached(
        Work(
            label,
            str(definition.spot),
            key,
            view,
            partial(_record, apply, tree, job, view),
            partial(_restore, tree, job),
        )
    )


def _record(
    apply: Apply, tree: Tree, job: Job, view: View, recorder: Recorder
) -> tuple[Tree, bytes]:
    """The tree after a filter; files count even with the bytes that they had before."""
    recording = replace(
        job,
        files=replace(job.files, observer=recorder),
        inventory=_RecordingNode(job.inventory, view, recorder),
        traces=recorder.traces,
    )
    after = apply(tree, recording)
    files = {str(path): entry for path, entry in after.items() if tree.get(path) is not entry}
    return after, pack(files)


def _restore(tree: Tree, job: Job, stored: bytes) -> Tree:
    files = unpack(stored)[0].items()
    contents = {PurePosixPath(name): entry.content for name, entry in files}
    return with_contents(tree, job.root, contents)


class _Node:
    """The own node as the only target that questions are about."""

    def __init__(self, name: str, node: Mapping[str, Any]) -> None:
        self.name = name
        self._node = node

    def of(self, _: str) -> Mapping[str, Any]:
        return self._node

    def names(self) -> tuple[str, ...]:
        return (self.name,)


class _RecordingNode(Mapping[str, Any]):
    """The node; each value that is read is recorded, and parameters one by one."""

    def __init__(
        self, plain: Mapping[str, Any], view: View, recorder: Recorder, above: tuple[str, ...] = ()
    ) -> None:
        self._plain = plain
        self._view = view
        self._recorder = recorder
        self._above = above

    def __getitem__(self, key: str) -> Any:  # noqa: ANN401 - a value of the hierarchy
        value = self._plain[key]
        if not self._above and key == _PARAMETERS and isinstance(value, dict):
            return _RecordingNode(value, self._view, self._recorder, (key,))
        self._recorder.ask(InventoryPart.at("self", *self._above, key), self._view)
        return value

    def __iter__(self) -> Iterator[str]:
        self._recorder.ask(InventoryPart.at("self"), self._view)
        return iter(self._plain)

    def __len__(self) -> int:
        self._recorder.ask(InventoryPart.at("self"), self._view)
        return len(self._plain)
