"""Compile entries as work whose results are cached; the input types know nothing of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from commodore_py.cache.questions.base import View
from commodore_py.cache.recording_files import RecordingOverlay
from commodore_py.cache.results import NeverCached, ResultCache
from commodore_py.cache.verdicts import Label
from commodore_py.compiler.inventory.recording import RecordingHashes, RecordingImports
from commodore_py.errors import CommodoreError

from .change import Change
from .keys import entry_key, roots_of

if TYPE_CHECKING:
    from commodore_py.cache.recorder import Recorder
    from commodore_py.compiler.inputs import InputType
    from commodore_py.compiler.job import InputJob, Job
    from commodore_py.compiler.output import Output
    from commodore_py.compiler.views import Views


class EntryCache(ResultCache):
    """Results of the entries of one compile."""

    def __init__(self, job: Job, views: Views) -> None:
        super().__init__(job.result_cache, roots_of(job), verify=job.verify_cache)
        self.views = views
        self.above = f"{job.root}/"

    def without_work(self, kind: InputType, job: InputJob) -> Output | None:
        """The output with this entry's, if that takes no time."""
        return kind.render(job) if kind.CACHE.instant else self.hit(_EntryWork(kind, job, self))

    def rendered(self, kind: InputType, job: InputJob) -> Output:
        """The output with this entry's, cached or rendered."""
        return kind.render(job) if kind.CACHE.instant else self.cached(_EntryWork(kind, job, self))


class _EntryWork(NamedTuple):
    """One entry to render; its result is what it changes in the output of its target."""

    kind: InputType
    job: InputJob
    cache: EntryCache

    @property
    def label(self) -> Label:
        entry = self.job.entry
        paths = (path.removeprefix(self.cache.above) for path in entry.input_paths)
        return Label(self.job.output.target, f"{entry.input_type} {', '.join(paths)}", entry.where)

    def key(self) -> str | NeverCached:
        if self.kind.CACHE.never:
            return NeverCached(self.kind.CACHE.never)
        key = entry_key(self.job, self.kind.CACHE.path_fields(self.job.entry), self.cache.roots)
        return NeverCached("it holds values that are not plain data") if key is None else key

    def view(self) -> View:
        return View(
            self.job.lookup.files,
            self.cache.roots,
            self.cache.values,
            self.cache.known,
            self.cache.constant,
            targets=self.cache.views,
            target=self.job.output.target,
            references=self.job.tags.hashes,
            offline=self.job.job.offline,
        )

    def run(self) -> Output:
        return self.kind.render(self.job)

    def record(self, recorder: Recorder) -> tuple[Output, bytes | None]:
        job, view = self.job, self.view()
        imports = RecordingImports(job.evaluation.inventory, view, recorder)
        recording = replace(
            job,
            lookup=replace(job.lookup, files=RecordingOverlay(job.lookup.files, recorder)),
            tags=replace(job.tags, hashes=RecordingHashes(job.tags.hashes, view, recorder)),
            evaluation=replace(job.evaluation, inventory=imports, traces=recorder.traces),
        )
        self._seal(recording, recorder)
        output = self.kind.render(recording)
        # Once more: what a program reads may have changed while it ran.
        self._seal(recording, recorder)
        by_content = self.kind.CACHE.leaves_others
        change = Change.between(job.output, output, recorder.roots, by_content=by_content)
        if change is None:
            return output, None
        for folder in change.places_in(recorder.roots):
            recording.lookup.files.show(Path(folder))
        if change.names_scratch_folder():
            recorder.unseal("a path of a temporary folder is in the output")
        return output, change.packed()

    def _seal(self, job: InputJob, recorder: Recorder) -> None:
        try:
            self.kind.record(job, recorder)
        except OSError as error:
            recorder.unseal(f"not all of it can be read ({error.strerror})")

    def restore(self, stored: bytes) -> Output | None:
        try:
            return Change.of(stored).applied(self.job.output, self.cache.roots)
        except CommodoreError:  # rendering it reports which file it is
            return None

    def difference(self, stored: bytes, made: bytes | None) -> str:
        if made is None:
            return "it takes files away"
        return Change.of(stored).differing(Change.of(made))
