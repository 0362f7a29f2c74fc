"""Entries from the cache, or rendered and kept; the inputs themselves know nothing of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from commodore_py.adapters.jsonnet.captured import repeat
from commodore_py.compiler.inventory.watched import InventoryMarks, WatchedHashes, WatchedImports
from commodore_py.errors import CommodoreError
from commodore_py.results import (
    Found,
    Marks,
    Missing,
    Present,
    Reads,
    Results,
    Verdict,
    WatchedOverlay,
    changed,
)
from commodore_py.store import Store

from .change import Change
from .keys import entry_key, roots_of

if TYPE_CHECKING:
    from commodore_py.compiler.inputs import InputJob, Render
    from commodore_py.compiler.inventory.views import Views
    from commodore_py.compiler.job import Job
    from commodore_py.compiler.output import Output
    from commodore_py.results import Outcome

INSTANT = frozenset({"copy", "remove"})
"""Rendered each time: to see whether they may be taken from the cache would be the same work."""

SEALED = frozenset({"jsonnet", "helm", "external"})
"""What can be in the cache: it is known what these look at."""
TOOL = "s"
"""The kind of questions about tools."""

_LEAVE_OTHERS = frozenset({"external"})
"""Programs leave what they found beside what they write."""
_BY_OUR_DOORS = frozenset({"jsonnet"})
"""Look at the world by our own doors only: what they see is recorded there."""
_NO_KEY = "it holds values that are no data"
_FOREIGN = "Kapitan's own input types look at what they want"


class Cache:
    """Results of the entries of one compile; every process has its own view of one store."""

    def __init__(self, job: Job, views: Views) -> None:
        self._roots = roots_of(job)
        self._marks = InventoryMarks(views, Marks(self._roots))
        self._results = Results(Store(job.result_cache)) if job.result_cache else None
        self._verify = job.verify_cache
        self._above = f"{job.root}/"
        self._on_disk: dict[str, bytes] = {}
        self._tools: dict[str, bytes] = {}
        self._verdicts: list[Verdict] = []

    @property
    def in_use(self) -> bool:
        """Whether anything may be taken from it."""
        return self._results is not None and not self._verify

    def take_verdicts(self) -> tuple[Verdict, ...]:
        """What became of entries since the last time."""
        taken, self._verdicts = tuple(self._verdicts), []
        return taken

    def found(self, job: InputJob) -> Output | None:
        """The output with this entry's, if that can be had without rendering."""
        if self._verify or self._results is None or job.entry.input_type not in SEALED:
            return None
        key = entry_key(job, self._roots)
        kept = self._kept(job, key)
        return None if isinstance(kept, Missing) else self._taken(job, kept)

    def rendered(self, job: InputJob, render: Render) -> Output:
        """The output with this entry's: from the cache, or else rendered and kept."""
        results, kind = self._results, job.entry.input_type
        if results is None or kind in INSTANT:
            return render(job)
        key = entry_key(job, self._roots) if kind in SEALED else None
        if key is None:
            self._tell(job, "never", _NO_KEY if kind in SEALED else _FOREIGN)
            output = render(job)
            # A program may have written anything anywhere.
            self._on_disk.clear()
            return output
        kept = self._kept(job, key)
        taken = None if isinstance(kept, Missing) or self._verify else self._taken(job, kept)
        if taken is not None:
            return taken
        reads = Reads(self._roots)
        output, change = self._watched(job, render, reads)
        if isinstance(kept, Found):
            self._compare(job, kept, change, tuple(reads.answers))
            results.forget(key, kept)
        if change is None or reads.unsealed:
            self._on_disk.clear()  # as above
            why = reads.unsealed or "it takes files away"
            self._tell(job, "never", why, tuple(reads.answers))
            return output
        results.keep(key, reads, change.packed())
        if isinstance(kept, Missing):
            why = changed(kept.question, self._roots)
            self._tell(job, "compiled", why, tuple(reads.answers))
        return output

    def _watched(self, job: InputJob, render: Render, reads: Reads) -> tuple[Output, Change | None]:
        kind = job.entry.input_type
        heard: list[bytes] = []
        imports = WatchedImports(job.evaluation.inventory, self._marks, reads)
        watched = replace(
            job,
            lookup=job.lookup.with_files(WatchedOverlay.over(job.lookup.files, reads)),
            tags=replace(job.tags, hashes=WatchedHashes(job.tags.hashes, reads)),
            evaluation=replace(job.evaluation, inventory=imports, heard=heard),
        )
        _seal(watched, reads)
        output = render(watched)
        # Once more: what a program reads may have changed while it ran.
        _seal(watched, reads)
        change = Change.between(job.output, output, self._roots, by_content=kind in _LEAVE_OTHERS)
        if change is None:
            return output, None
        for folder in change.places_in(self._roots):
            watched.lookup.files.show(Path(folder))
        if change.is_passing():
            reads.unseal("a path of a passing folder stands in the output")
        return output, replace(change, said=self._roots.text_without(b"".join(heard)))

    def _kept(self, job: InputJob, key: str | None) -> Found | Missing:
        if key is None or self._results is None:
            return Missing()
        questions = self._marks.questions(job.output.target, job.tags.hashes)
        others = {**questions, TOOL: self._tool}
        present = Present(job.lookup.files, self._roots, self._on_disk, others)
        return self._results.find(key, present.answer)

    def _taken(self, job: InputJob, found: Found) -> Output | None:
        """The output with what was kept; None if that does not go with what is there."""
        change = Change.of(found.result)
        try:
            output = change.applied(job.output, self._roots)
        except CommodoreError:  # who renders it can tell which file it was
            return None
        self._tell(job, "found", questions=found.questions)
        repeat(self._roots.text_with(change.said))
        return output

    def _compare(
        self, job: InputJob, found: Found, change: Change | None, questions: tuple[str, ...]
    ) -> None:
        differing = Change.of(found.result).differing(change) if change else "it takes files away"
        if differing:
            self._tell(job, "differs", differing, questions)
        else:
            self._tell(job, "equal", questions=questions)

    def _tool(self, about: str) -> bytes:
        from .tools import tool_mark  # noqa: PLC0415 - for few entries only

        if about not in self._tools:
            self._tools[about] = tool_mark(about)
        return self._tools[about]

    def _tell(
        self, job: InputJob, outcome: Outcome, why: str = "", questions: tuple[str, ...] = ()
    ) -> None:
        entry = job.entry
        paths = (path.removeprefix(self._above) for path in entry.input_paths)
        name = f"{entry.input_type} {', '.join(paths)}"
        self._verdicts.append(
            Verdict(job.output.target, name, entry.where, outcome, why, questions)
        )


def _seal(job: InputJob, reads: Reads) -> None:
    if job.entry.input_type in _BY_OUR_DOORS:
        return
    from .seals import SEALS  # noqa: PLC0415 - knows all about programs

    try:
        SEALS[job.entry.input_type](job, reads)
    except OSError as error:
        reads.unseal(f"not all of it can be read ({error.strerror})")
