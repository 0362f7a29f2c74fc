"""Kapitan's classes that run programs: they write to an entry's output, and read what is judged.

They take names of files from content: of patches, of the objects that kustomize makes.
"""

from __future__ import annotations

import errno
import os
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import IO, TYPE_CHECKING, Any

from commodore_py.adapters import kustomize, time_limits
from commodore_py.adapters.child_environment import child_environment
from commodore_py.adapters.process import ProgramFailed, TookTooLong, run

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from commodore_py.adapters.files.reach import Reach

    from .inputs import Request

_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
# Where in the arguments of an event the paths are that come into being.
_MADE = {"os.mkdir": 0, "os.rename": 1, "os.link": 1, "os.symlink": 1}
# Python calls a hook until it ends, so there is one, for the places of the moment.
_places: tuple[str, ...] = ()
_hooks: list[object] = []


@contextmanager
def confined(request: Request) -> Iterator[None]:
    """Everything that Kapitan does in here is for this entry."""
    temporary = request.scratch / "tmp"
    temporary.mkdir(exist_ok=True)
    before, tempfile.tempdir = tempfile.tempdir, str(temporary)
    time_limits.use(request.limits)
    with _running_programs_by_ours(request), _writing_to((*request.places, temporary)):
        try:
            yield
        finally:
            tempfile.tempdir = before


@contextmanager
def _writing_to(places: Iterable[Path]) -> Iterator[None]:
    global _places  # noqa: PLW0603 - as above
    if not _hooks:
        sys.addaudithook(_judge_write)
        _hooks.append(_judge_write)
    _places = tuple(os.path.realpath(place) for place in places)
    try:
        yield
    finally:
        _places = ()


def _judge_write(event: str, arguments: tuple[Any, ...]) -> None:
    if not _places:
        return
    if event == "open":
        path, _, flags = arguments
        if not (flags or 0) & _WRITING:
            return
    elif event in _MADE:
        path = arguments[_MADE[event]]
    else:
        return
    if not isinstance(path, str | bytes | os.PathLike) or os.fspath(path) == os.devnull:
        return
    real = os.path.realpath(os.fsdecode(path))
    if not any(real == place or real.startswith(f"{place}/") for place in _places):
        raise PermissionError(errno.EACCES, "it would be written outside of the output", real)


@contextmanager
def _running_programs_by_ours(request: Request) -> Iterator[None]:
    """Have programs started with time limits, and kustomize only on what it may read."""
    from kapitan.inputs import cuelang
    from kapitan.inputs import kustomize as kapitan_kustomize

    def started(
        command: Sequence[str], *, stdout: IO[str], cwd: str | None = None, **_: object
    ) -> SimpleNamespace:
        env = {**child_environment(), "TMPDIR": tempfile.gettempdir()}
        if command[0] == "kustomize":
            local = judge_bases(Path(command[-1]), request.job.reach, offline=request.job.offline)
            # Bases of others have bases as well.
            env["GIT_ALLOW_PROTOCOL"] = "https:http:ssh:git" + (":file" if local else "")
        elif request.job.offline:
            env["CUE_REGISTRY"] = "none"
        try:
            output = run(command, cwd=Path(cwd) if cwd else None, only_env=env)
        except TookTooLong:
            raise
        except ProgramFailed as error:
            return SimpleNamespace(returncode=error.code or 1, stderr=error.stderr or str(error))
        stdout.buffer.write(output)  # type: ignore[attr-defined]
        return SimpleNamespace(returncode=0, stderr="")

    modules = (kapitan_kustomize, cuelang)
    original = cuelang.subprocess
    for module in modules:
        module.subprocess = SimpleNamespace(run=started, PIPE=original.PIPE)
    try:
        yield
    finally:
        for module in modules:
            module.subprocess = original


def judge_bases(folder: Path, reach: Reach, *, offline: bool) -> bool:
    """Judge what a kustomization is built on besides its own folder, which was judged before.

    Says whether repositories of this machine are among it.
    """
    bases = kustomize.remote_bases(folder)
    for below in kustomize.local_folders(folder):
        if not below.resolve().is_relative_to(folder.resolve()):
            reach.check(os.path.abspath(below))  # noqa: PTH100 - links are judged
    for base in bases:
        for place in base.local_places:
            reach.real_folder(place)
    if offline and (fetched := [base for base in bases if not base.local_places]):
        raise kustomize.would_fetch(fetched)
    return any(base.local_places for base in bases)
