"""Compile entries as work whose results are cached."""

from __future__ import annotations

import os
import tempfile
from dataclasses import replace
from functools import partial
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from commodore_py.cache.questions.base import View
from commodore_py.cache.questions.inventory import REFERENCE
from commodore_py.cache.recorder import RecordingImports
from commodore_py.cache.records import pack, unpack
from commodore_py.cache.results import Work, key_of
from commodore_py.cache.roots import Roots
from commodore_py.compiler.workplace import SCRATCH
from commodore_py.errors import CommodoreError
from commodore_py.lib import LIBRARIES

if TYPE_CHECKING:
    from commodore_py.cache.recorder import Recorder
    from commodore_py.cache.results import ResultCache
    from commodore_py.compiler.inputs import InputType
    from commodore_py.compiler.job import InputJob, Job
    from commodore_py.compiler.output import Output

# The result does not depend on the name of an entry, or on whether it may fail.
_IRRELEVANT = ("name", "continue_on_compile_error")
# Their paths are portable; the last two are those of kustomize, as other programs are not cached.
_PATHS = ("input_paths", "output_path", "args", "env_vars")


def roots_of(job: Job) -> Roots:
    """The folders that move with the working directory."""
    folders = {"work": job.root, "library": LIBRARIES.parent}
    for number, folder in enumerate(job.plan.search_paths):
        folders[f"search{number}"] = folder
    for target, checkout in job.plan.checkouts.items():
        if not checkout.is_relative_to(job.root):
            folders[f"checkout {target}"] = checkout
    return Roots(folders)


def work_of(kind: InputType, job: InputJob, cache: ResultCache) -> Work[Output]:
    """An entry as work; its key covers everything that it is given, with portable paths."""
    entry, files, roots = job.entry, job.files, cache.roots
    folders = (*files.search_paths, files.compiled, files.catalog, job.output.checkout or "")
    fields = {
        name: _portable(value, roots) if name in _PATHS else value
        for name, value in entry.fields.items()
        if name not in _IRRELEVANT
    }
    key = key_of(
        entry.target,
        fields,
        tuple(job.style),
        job.tags.bare,
        [roots.portable(str(folder)) for folder in folders],
    )
    view = View(
        files,
        roots,
        cache.answers,
        targets=job.imports.views,
        target=entry.target,
        references=job.tags.hashes,
        # With a lock, remotes do not decide: what it pins is rendered.
        offline=job.job.config.offline or job.job.provide_bases is not None,
    )
    paths = (path.removeprefix(f"{job.job.root}/") for path in entry.input_paths)
    return Work(
        label=f"{entry.target}: {entry.input_type} {', '.join(paths)}",
        where=entry.where,
        key=key,
        view=view,
        make=partial(_record, kind, job, view),
        restore=partial(_restore, job.output, roots),
    )


def _portable(value: object, roots: Roots) -> Any:  # noqa: ANN401 - a value of an entry
    match value:
        case str() if value.startswith("/"):
            # With a slash, which no relative path begins with.
            return f"/{roots.portable(value)}"
        case list():
            return [_portable(below, roots) for below in value]
        case dict():
            return {key: _portable(below, roots) for key, below in value.items()}
    return value


def _record(kind: InputType, job: InputJob, view: View, recorder: Recorder) -> tuple[Output, bytes]:
    """Render an entry, and record what it reads."""
    output = kind.render(
        replace(
            job,
            files=replace(job.files, observer=recorder),
            recorder=recorder,
            tags=replace(job.tags, seen=lambda file: recorder.ask(REFERENCE.question(file), view)),
            imports=RecordingImports(job.imports, view, recorder),
        )
    )
    return output, _change(job.output, output, recorder)


def _change(before: Output, after: Output, recorder: Recorder) -> bytes:
    """Files that an entry wrote, and folders that it made; names of others are portable.

    A file that was written with the bytes it had counts, too.
    """
    files = {
        str(path): entry for path, entry in after.tree.items() if before.tree.get(path) is not entry
    }
    removed = bool(before.tree.keys() - after.tree.keys())
    for place, written in after.written.items():
        if place not in before.written or before.written[place] is not written:
            removed = removed or written is None
            if written is not None:
                files[f"/{recorder.roots.portable(str(place))}"] = written
    # Folders in the checkout are not stored either: only programs make and remove those.
    if removed or before.made != after.made:
        recorder.unseal("it takes files away")
    scratch = os.fsencode(Path(tempfile.gettempdir()).resolve()) + f"/{SCRATCH}".encode()
    for entry in files.values():
        recorder.note_folders_in(entry.content)
        if scratch in entry.content:
            recorder.unseal("a path of a temporary folder is in the output")
    return pack(files, sorted(map(str, after.tree.empty_folders - before.tree.folders())))


def _restore(output: Output, roots: Roots, stored: bytes) -> Output | None:
    contents, folders = unpack(stored)
    try:
        files = {
            output.place(roots.absolute(name[1:]) if name.startswith("/") else name): entry
            for name, entry in contents.items()
        }
        output = output.with_files(files)
        for folder in folders:
            output = output.with_folder(PurePosixPath(folder))
    except CommodoreError:  # rendering it reports which file it is
        return None
    return output
