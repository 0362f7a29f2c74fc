"""Compile entries as work whose results are cached; the input types know nothing of it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from commodore_py.cache import digests
from commodore_py.cache.packing import pack, unpack
from commodore_py.cache.program import program_digest
from commodore_py.cache.questions.base import View
from commodore_py.cache.questions.inventory import REFERENCE
from commodore_py.cache.recorder import RecordingImports
from commodore_py.cache.results import ResultCache, Work
from commodore_py.cache.roots import Roots
from commodore_py.errors import CommodoreError
from commodore_py.lib import LIBRARIES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from commodore_py.cache.recorder import Recorder
    from commodore_py.compiler.inputs import InputType
    from commodore_py.compiler.job import InputJob, Job
    from commodore_py.compiler.output import Output
    from commodore_py.compiler.views import Views
    from commodore_py.model.tree import Entry

_FORMAT = 3
# The result does not depend on the name of an entry, or on whether it may fail.
_IRRELEVANT = ("name", "continue_on_compile_error")
# Their paths are portable; the last two are those of kustomize, as other programs are not cached.
_PATHS = ("input_paths", "output_path", "args", "env_vars")


class EntryCache(ResultCache):
    """Results of the entries of one compile."""

    def __init__(self, job: Job, views: Views) -> None:
        super().__init__(
            job.result_cache,
            roots_of(job),
            verify=job.verify_cache,
            remote=job.remote_cache,
        )
        self._views = views
        self._above = f"{job.root}/"

    def without_work(self, kind: InputType, job: InputJob) -> Output | None:
        """The output with this entry's, if that takes no time."""
        if not kind.SECONDS:
            return kind.render(job)
        work = self._work(kind, job)
        return None if work is None else self.hit(work)

    def rendered(self, kind: InputType, job: InputJob) -> Output:
        """The output with this entry's, cached or rendered."""
        if not kind.SECONDS or not self.in_store:
            return kind.render(job)
        work = self._work(kind, job)
        if work is not None:
            return self.cached(work)
        output = kind.render(job)
        self.not_cached(self._label(job), "it holds values that are not plain data")
        return output

    def _work(self, kind: InputType, job: InputJob) -> Work[Output] | None:
        """The entry as work; None if it holds values that are not plain data."""
        key = self._key(job)
        if key is None:
            return None
        view = View(
            job.files,
            self.roots,
            self.answers,
            targets=self._views,
            target=job.output.target,
            references=job.tags.hashes,
            # With a lock, remotes do not decide: what it pins is rendered.
            offline=job.job.offline or job.job.bases is not None,
        )
        make = partial(_record, kind, job, view)
        restore = partial(_restore, job.output, self.roots)
        return Work(self._label(job), job.entry.where, key, view, make, restore)

    def _label(self, job: InputJob) -> str:
        paths = (path.removeprefix(self._above) for path in job.entry.input_paths)
        return f"{job.output.target}: {job.entry.input_type} {', '.join(paths)}"

    def _key(self, job: InputJob) -> str | None:
        """Everything that an entry is given, with portable paths."""
        checkout, files = job.output.checkout, job.files
        folders = (*job.files.search_paths, files.compiled, files.catalog, checkout or "")
        fields = {
            name: self._portable(value) if name in _PATHS else value
            for name, value in job.entry.fields.items()
            if name not in _IRRELEVANT
        }
        return digests.of_value(
            (
                _FORMAT,
                program_digest(),
                job.entry.target,
                fields,
                tuple(job.style),
                job.tags.bare,
                [self.roots.portable(str(folder)) for folder in folders],
            )
        )

    def _portable(self, value: object) -> Any:  # noqa: ANN401 - a value of an entry
        match value:
            case str():
                # A pair, so that no other value is equal to it.
                return ("path", self.roots.portable(value)) if value.startswith("/") else value
            case list():
                return [self._portable(below) for below in value]
            case dict():
                return {key: self._portable(below) for key, below in value.items()}
        return value


def roots_of(job: Job) -> Roots:
    """The folders that move with the working directory."""
    folders = {"work": job.root, "library": LIBRARIES.parent}
    for number, folder in enumerate(job.search_paths):
        folders[f"search{number}"] = folder
    for target, checkout in job.checkouts.items():
        if not checkout.is_relative_to(job.root):
            folders[f"checkout {target}"] = checkout
    return Roots(folders)


def _record(kind: InputType, job: InputJob, view: View, recorder: Recorder) -> tuple[Output, bytes]:
    """Render an entry, and record what it reads."""
    imports = RecordingImports(job.evaluation.inventory, view, recorder)
    recording = replace(
        job,
        files=replace(job.files, observer=recorder),
        recorder=recorder,
        tags=replace(job.tags, hashes=_RecordingHashes(job.tags.hashes, view, recorder)),
        evaluation=replace(job.evaluation, inventory=imports, traces=recorder.traces),
    )
    output = kind.render(recording)
    change = Change.between(job.output, output, recorder.roots)
    if change is None:
        recorder.unseal("it takes files away")
        return output, b""
    for entry in change.files.values():
        recorder.note_folders_in(entry.content)
    if change.names_scratch_folder():
        recorder.unseal("a path of a temporary folder is in the output")
    return output, change.packed()


def _restore(output: Output, roots: Roots, stored: bytes) -> Output | None:
    try:
        return Change.of(stored).applied(output, roots)
    except CommodoreError:  # rendering it reports which file it is
        return None


# How the names of scratch folders begin.
_SCRATCH = b"commodore-"


@dataclass(frozen=True, slots=True)
class Change:
    """Files that an entry wrote, and folders that it made; names of others are portable."""

    files: Mapping[str, Entry]
    folders: Iterable[str] = ()

    @classmethod
    def between(cls, before: Output, after: Output, roots: Roots) -> Change | None:
        """The difference of two states; None if it cannot be repeated, as something was removed.

        A file that was written with the bytes it had counts, too.
        """
        # Folders in the checkout are not stored either: only programs make and remove those.
        if before.tree.keys() - after.tree.keys() or before.made != after.made:
            return None
        files = {
            str(path): entry
            for path, entry in after.tree.items()
            if before.tree.get(path) is not entry
        }
        for place, written in after.written.items():
            if place not in before.written or before.written[place] is not written:
                if written is None:
                    return None
                files[f"/{roots.portable(str(place))}"] = written
        made = after.tree.empty_folders - before.tree.folders()
        return cls(files, sorted(map(str, made)))

    @classmethod
    def of(cls, packed: bytes) -> Change:
        """The change that was packed."""
        return cls(*unpack(packed))

    def packed(self) -> bytes:
        """The change as bytes."""
        return pack(self.files, self.folders)

    def applied(self, output: Output, roots: Roots) -> Output:
        """The output with the change."""
        files = {
            output.place(roots.absolute(name[1:]) if name.startswith("/") else name): entry
            for name, entry in self.files.items()
        }
        output = output.with_files(files) if files else output
        for folder in self.folders:
            output = output.with_folder(PurePosixPath(folder))
        return output

    def names_scratch_folder(self) -> bool:
        """Return whether the files hold a path of a scratch folder."""
        needle = os.fsencode(Path(tempfile.gettempdir()).resolve()) + b"/" + _SCRATCH
        return any(needle in entry.content for entry in self.files.values())


class _RecordingHashes(Mapping[str, str]):
    """Hashes of files of references; those that are looked up are recorded."""

    def __init__(self, plain: Mapping[str, str], view: View, recorder: Recorder) -> None:
        self._plain = plain
        self._view = view
        self._recorder = recorder

    def __getitem__(self, file: str) -> str:
        self._recorder.ask(REFERENCE.question(file), self._view)
        return self._plain[file]

    def __iter__(self) -> Iterator[str]:
        self._recorder.unseal("all references to secrets are read")
        return iter(self._plain)

    def __len__(self) -> int:
        self._recorder.unseal("all references to secrets are read")
        return len(self._plain)
