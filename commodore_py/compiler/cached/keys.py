"""What an entry is told: all of it is in its key, and paths in it are portable."""

from __future__ import annotations

from dataclasses import astuple
from typing import TYPE_CHECKING, Any

from commodore_py.lib import KUSTOMIZE_WRAPPER, LIBRARIES
from commodore_py.results import Roots, foundation, key_of, written

if TYPE_CHECKING:
    from collections.abc import Mapping

    from commodore_py.compiler.entries import Entry
    from commodore_py.compiler.inputs import InputJob
    from commodore_py.compiler.job import Job

_FORMAT = 1
# Nothing of the result depends on how an entry is called, or whether it may fail.
_OF_NO_MEANING = ("name", "continue_on_compile_error")
_PATHS = ("input_paths", "output_path")
# Of the one program whose arguments we know, they are paths, too.
_PATHS_OF_PROGRAMS = (*_PATHS, "args", "env_vars")


def roots_of(job: Job) -> Roots:
    """The folders that move with the place of work."""
    folders = {"work": job.root, "library": LIBRARIES.parent}
    for number, folder in enumerate(job.search_paths):
        folders[f"search{number}"] = folder
    for target, checkout in job.checkouts.items():
        if not checkout.is_relative_to(job.root):
            folders[f"checkout {target}"] = checkout
    return Roots(_each_once(folders))


def _each_once(folders: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[Any, str] = {}
    for name, folder in folders.items():
        found.setdefault(folder, name)
    return {name: folder for folder, name in found.items()}


def entry_key(job: InputJob, roots: Roots) -> str | None:
    """The key of an entry; None if it holds values that no key can be made of."""
    fields = _fields(job.entry, roots)
    checkout = job.output.checkout
    told = written(
        (
            _FORMAT,
            job.entry.target,
            fields,
            astuple(job.style),
            job.tags.bare,
            [roots.portable(str(folder)) for folder in job.lookup.search_paths],
            roots.portable(str(job.lookup.files.compiled)),
            roots.portable(str(job.lookup.files.catalog)),
            roots.portable(str(checkout)) if checkout else None,
        )
    )
    return None if told is None else key_of(foundation(), told)


def _fields(entry: Entry, roots: Roots) -> dict[str, Any]:
    known = set(entry.input_paths) == {str(KUSTOMIZE_WRAPPER)}
    paths = _PATHS_OF_PROGRAMS if known else _PATHS
    return {
        name: _portable(value, roots) if name in paths else value
        for name, value in entry.fields.items()
        if name not in _OF_NO_MEANING
    }


def _portable(value: object, roots: Roots) -> object:
    match value:
        case str():
            # A pair, so that nothing else can look like it.
            return ("path", roots.portable(value)) if value.startswith("/") else value
        case list():
            return [_portable(one, roots) for one in value]
        case dict():
            return {key: _portable(one, roots) for key, one in value.items()}
        case _:
            return value
