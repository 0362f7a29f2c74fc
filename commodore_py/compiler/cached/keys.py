"""The key of an entry: everything that it is given, with portable paths."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from commodore_py.cache.digests import key_of, serialised
from commodore_py.cache.program import program_digest
from commodore_py.cache.roots import Roots
from commodore_py.lib import LIBRARIES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from commodore_py.compiler.job import Entry, InputJob, Job

_FORMAT = 2
# The result does not depend on the name of an entry, or on whether it may fail.
_IRRELEVANT = ("name", "continue_on_compile_error")


def roots_of(job: Job) -> Roots:
    """The folders that move with the working directory."""
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


def entry_key(job: InputJob, path_fields: tuple[str, ...], roots: Roots) -> str | None:
    """The key of an entry; None if it holds values that are not plain data."""
    fields = _fields(job.entry, path_fields, roots)
    checkout = job.output.checkout
    given = serialised(
        (
            _FORMAT,
            job.entry.target,
            fields,
            tuple(job.style),
            job.tags.bare,
            [roots.portable(str(folder)) for folder in job.lookup.search_paths],
            roots.portable(str(job.lookup.files.compiled)),
            roots.portable(str(job.lookup.files.catalog)),
            roots.portable(str(checkout)) if checkout else None,
        )
    )
    return None if given is None else key_of(program_digest(), given)


def _fields(entry: Entry, path_fields: tuple[str, ...], roots: Roots) -> dict[str, Any]:
    return {
        name: _portable(value, roots) if name in path_fields else value
        for name, value in entry.fields.items()
        if name not in _IRRELEVANT
    }


def _portable(value: object, roots: Roots) -> object:
    match value:
        case str():
            # A pair, so that no other value is equal to it.
            return ("path", roots.portable(value)) if value.startswith("/") else value
        case list():
            return [_portable(one, roots) for one in value]
        case dict():
            return {key: _portable(one, roots) for key, one in value.items()}
        case _:
            return value
