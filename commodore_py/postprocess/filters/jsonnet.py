"""A Jsonnet file of the component: each field of its result becomes a file."""

from __future__ import annotations

import functools
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from commodore_py.adapters import json_text
from commodore_py.adapters.jsonnet.captured import captured
from commodore_py.adapters.jsonnet.evaluate import ImportNotFound, JsonnetError, evaluate, kind_of
from commodore_py.adapters.reading import NotReadable
from commodore_py.postprocess.jsonnet_environment import natives, read_node
from commodore_py.postprocess.output import place

from .base import Apply, BadArguments, Job

if TYPE_CHECKING:
    from collections.abc import Mapping

    from commodore_py.cache.roots import Roots
    from commodore_py.model.tree import Tree

_KAPITAN = "lib/kapitan.libjsonnet"


def parse(args: Mapping[str, Any]) -> Apply:
    """All arguments become external variables, and these are text."""
    for name, value in args.items():
        if not isinstance(value, str):
            raise BadArguments(
                f"filter argument {name} must be a string, not {type(value).__name__}",
                hint="arguments of jsonnet filters are external variables: put quotes around it,"
                " or read the value from the inventory",
            )
    return functools.partial(_apply, args)


def sees(_: Tree, job: Job, roots: Roots) -> object:
    """Its code sees where it writes, and may write that down."""
    return str(job.output_path), roots.portable(str(job.source))


def _apply(args: Mapping[str, str], tree: Tree, job: Job) -> Tree:
    fields = json_text.load(_evaluate(args, job), name=str(job.source))
    if not isinstance(fields, dict):
        raise JsonnetError(
            f"a filter must return an object, not {kind_of(fields)}",
            where=str(job.source),
            hint="return { '<file without .yaml>': <content> }",
        )
    return place(tree, job.root, job.folder, fields)


def _evaluate(args: Mapping[str, str], job: Job) -> str:
    capturing = nullcontext() if job.traces is None else captured(job.traces)
    try:
        with capturing:
            return _evaluated(args, job)
    except ImportNotFound as error:
        if _KAPITAN in str(error):
            error.hint = (
                f"{_KAPITAN} exists only while compiling; lib/commodore.libjsonnet is for filters"
            )
        raise


def _evaluated(args: Mapping[str, str], job: Job) -> str:
    return evaluate(
        job.source,
        content=_content(job),
        import_folders=job.import_folders,
        ext_vars={
            **args,
            "component": job.component,
            "target": job.component,
            "output_path": str(job.output_path),
        },
        natives=natives(job.files, job.inventory),
        read=functools.partial(_read_import, job),
        skip_empty=True,
    )


def _content(job: Job) -> bytes | None:
    try:
        return job.files.read(job.source)
    except NotReadable as error:
        raise JsonnetError(str(error), where=str(job.source), hint=error.hint) from error


def _read_import(job: Job, path: str) -> bytes | None:
    try:
        return read_node(path, job.inventory) or job.files.read(path)
    except NotReadable as error:
        raise JsonnetError(f"cannot import {path}: {error}") from error
