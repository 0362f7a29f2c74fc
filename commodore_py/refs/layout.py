"""Which file below `refs/` a reference gets, and where two of them are in each other's way."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from .errors import BadReference

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from commodore_py.model.secrets import SecretRef


def file_of(ref: SecretRef) -> PurePosixPath:
    """The path of the reference's file; empty segments do not count, as on disk."""
    path = PurePosixPath(ref.path)
    if path.is_absolute() or ".." in path.parts:
        raise BadReference.of(
            f"reference ?{{{ref.backend}:{ref.path}}} would write outside of refs/",
            ref,
            hint="make the path relative to the mount, without leading slash and without ..",
        )
    if not path.parts or "\0" in ref.path:
        raise BadReference.of(
            f"reference ?{{{ref.backend}:{ref.path!r}}} names no file",
            ref,
            hint=f"write ?{{{ref.backend}:<secret>/<key>}}",
        )
    return path


def clashes(refs: Iterable[tuple[PurePosixPath, SecretRef]]) -> Iterator[BadReference]:
    """One error for each pair that wants one path for two things."""
    files: dict[PurePosixPath, SecretRef] = {}
    for path, ref in refs:
        if path in files:
            yield _clash(files[path], ref, f"both need the file refs/{path}")
        else:
            files[path] = ref
    for path, ref in files.items():
        for folder, other in _files_above(path, files):
            yield _clash(other, ref, f"refs/{folder} cannot be both a file and a folder")


def _files_above(
    path: PurePosixPath, files: Mapping[PurePosixPath, SecretRef]
) -> Iterator[tuple[PurePosixPath, SecretRef]]:
    return ((folder, files[folder]) for folder in path.parents if folder in files)


def _clash(one: SecretRef, two: SecretRef, why: str) -> BadReference:
    return BadReference.of(
        f"references ?{{{one.backend}:{one.path}}} and ?{{{two.backend}:{two.path}}}"
        f" exclude each other: {why}",
        one,
        two,
        hint="store one of the two secrets under another path",
    )
