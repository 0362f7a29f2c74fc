"""A Jsonnet file of the component: each field of its result becomes a file."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import TYPE_CHECKING, Any

from commodore_py.adapters import json_text
from commodore_py.adapters.jsonnet.captured import captured
from commodore_py.adapters.jsonnet.evaluate import Native, evaluate
from commodore_py.adapters.jsonnet.values import JsonnetError, kind_of, read_all, read_single
from commodore_py.adapters.reading import NotReadable
from commodore_py.errors import CommodoreError
from commodore_py.postprocess.output import place

from .base import Apply, BadArguments, Job

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from commodore_py.adapters.files.view import Files
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


def _apply(args: Mapping[str, str], tree: Tree, job: Job) -> Tree:
    job.files.show(job.output_path)  # which the code sees, and may write down
    fields = json_text.load(_evaluate(args, job), name=str(job.source))
    if not isinstance(fields, dict):
        raise JsonnetError(
            f"a filter must return an object, not {kind_of(fields)}",
            where=str(job.source),
            hint="return { '<file without .yaml>': <content> }",
        )
    return place(tree, job.root, job.folder, fields)


def _evaluate(args: Mapping[str, str], job: Job) -> str:
    try:
        content = job.files.read(job.source)
    except NotReadable as error:
        error.where = str(job.source)
        raise
    try:
        with captured(job.traces):
            return evaluate(
                job.source,
                content,
                import_folders=job.files.search_paths,
                ext_vars={
                    **args,
                    "component": job.component,
                    "target": job.component,
                    "output_path": str(job.output_path),
                },
                natives=natives(job.files, lambda: job.inventory.views.of(job.component)),
                # An empty file counts as none, as in Commodore.
                read=lambda path: (
                    job.inventory.read(path, job.component) or job.files.read(path) or None
                ),
            )
    except JsonnetError as error:
        if error.subject == _KAPITAN:
            error.hint = (
                f"{_KAPITAN} exists only while compiling; lib/commodore.libjsonnet is for filters"
            )
        raise


def natives(files: Files, node: Callable[[], Mapping[str, Any]]) -> dict[str, Native]:
    """The four functions, bound to what they may look at."""

    def yaml_load(file: object) -> object:
        return read_single(_content_of(files, file), name=str(file))

    def yaml_load_all(file: object) -> object:
        return read_all(_content_of(files, file), name=str(file))

    def list_dir(folder: object, basename: object) -> object:
        names = files.files_in(_path(folder))
        return list(names) if basename else [str(_path(folder) / name) for name in names]

    return {
        "commodore_inventory": Native((), node),
        "list_dir": Native(("dir", "basename"), list_dir),
        "yaml_load": Native(("file",), yaml_load),
        "yaml_load_all": Native(("file",), yaml_load_all),
    }


def _content_of(files: Files, file: object) -> bytes:
    content = files.read(_path(file))
    if content is None:
        raise CommodoreError("there is no such file")
    return content


def _path(value: object) -> Path:
    if not isinstance(value, str):
        raise CommodoreError("a path must be a string")
    return Path(value)
