"""Jsonnet: evaluate a file with imports, natives and errors that say what happened and where."""

from __future__ import annotations

import atexit
import functools
import gc
import json
import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from commodore_py.errors import CommodoreError

from .interruptible import interruptible
from .values import JsonnetError, to_jsonnet

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

_LOCATION = r"^(?P<place>.+?:(?:\d+:\d+(?:-\d+)?|\(\d+:\d+\)-\(\d+:\d+\)))(?:\s|$)"
_STEP = re.compile(r'^(?:Field "(?P<field>.*)"|Array element (?P<index>\d+))$')
_MOST_PLACES = 10

# gojsonnet 0.22 passes nulls without a reference of their own, and releases one for each: before
# Python 3.12 that would end in an abort, so we keep one for each. The list holds itself, so that
# it is not freed with its module, and what is frozen is not collected at the end of the process.
_NULLS: list[object] = []
_NULLS.append(_NULLS)
atexit.register(gc.freeze)


@dataclass(frozen=True, slots=True)
class Native:
    """A function of ours that Jsonnet can call; it may return what `to_jsonnet` accepts."""

    parameters: tuple[str, ...]
    call: Callable[..., object]


def evaluate(
    file: Path,
    content: bytes | None,
    *,
    read: Callable[[str], bytes | None],
    import_folders: Iterable[Path] = (),
    ext_vars: Mapping[str, str] | None = None,
    natives: Mapping[str, Native] | None = None,
) -> str:
    """The value of a file as JSON text; without a content, there is no such file.

    Imports are looked up beside the importing file, then in `import_folders`, in order. `read`
    returns the content of a candidate, None if there is none; its error ends the search.
    """
    if content is None:
        raise JsonnetError("cannot read the file: it is not there", where=str(file))
    try:
        source = content.decode()
    except UnicodeDecodeError as error:
        raise JsonnetError(f"cannot read the file: {error}", where=str(file)) from error
    if "\0" in source:
        raise JsonnetError("not a text file: it holds a null byte", where=str(file))
    errors = _Errors(file)
    folders = tuple(map(str, import_folders))
    functions = {
        name: (native.parameters, errors.kept(functools.partial(_call, native), native=name))
        for name, native in (natives or {}).items()
    }
    variables = {name: to_jsonnet(value) for name, value in (ext_vars or {}).items()}
    # Loading Go's runtime takes a while and is only needed by commands that compile.
    import _gojsonnet

    work: Callable[[], str] = functools.partial(
        _gojsonnet.evaluate_snippet,
        str(file),
        source,
        ext_vars=variables,
        import_callback=errors.kept(functools.partial(_find, read, folders)),
        native_callbacks=functions,
    )
    try:
        return interruptible(work)
    except UnicodeDecodeError as error:
        # gojsonnet 0.22 does not end the text of a failed import: foreign bytes follow it.
        message = error.object.decode(errors="replace")
        raise errors.explain(message) from (errors.failure or error)
    except RuntimeError as error:
        raise errors.explain(str(error)) from (errors.failure or error)


def _find(
    read: Callable[[str], bytes | None], folders: tuple[str, ...], beside: str, name: str
) -> tuple[str, bytes]:
    """Path and content of an import."""
    # A path is read as it is written: `..` goes up by name, also out of a linked folder.
    candidates = dict.fromkeys(
        os.path.normpath(name if name[:1] == "/" else f"{folder or '.'}/{name}")
        for folder in (beside, *folders)
    )
    for candidate in candidates:
        try:
            content = read(candidate)
        except CommodoreError as error:
            raise JsonnetError(f"cannot import {candidate}: {error}") from error
        if content is not None:
            return candidate, content
    hint = f"looked at {', '.join(candidates)}"
    not_found = JsonnetError(f"import of {name}: there is no such file", hint=hint)
    not_found.subject = name
    raise not_found


def _call(native: Native, *arguments: object) -> object:
    _NULLS.extend(argument for argument in arguments if argument is None)
    return to_jsonnet(native.call(*arguments))


class _Errors:
    """Errors of callbacks, which gojsonnet would lose, and those of the evaluated code."""

    def __init__(self, file: Path) -> None:
        self._file = str(file)
        self._call = ""
        self.failure: BaseException | None = None

    def kept(self, callback: Callable[..., object], native: str = "") -> Callable[..., object]:
        """Keep the error of a callback."""

        def call(*arguments: object) -> object:
            try:
                return callback(*arguments)
            except BaseException as error:
                shown = ", ".join(map(json.dumps, arguments))
                self.failure, self._call = error, f"{native}({shown}): " if native else ""
                raise

        return call

    def explain(self, raw: str) -> JsonnetError:
        """The error with its place; an interruption or a bug in a callback is raised as it is.

        The subject is the name of an import that was not found.
        """
        message, places = _split(raw, self._file)
        failure = self.failure
        if failure is None:
            return JsonnetError(message, where=places)
        if not isinstance(failure, CommodoreError | OSError | ValueError | RecursionError):
            raise failure
        error = JsonnetError(
            f"{self._call}{failure}",
            where="\n".join(filter(None, (getattr(failure, "where", ""), places))),
            hint=getattr(failure, "hint", ""),
        )
        error.subject = getattr(failure, "subject", "")
        return error


def _split(raw: str, file: str) -> tuple[str, str]:
    """Message and places of an error; the place where it happened comes first."""
    text = raw.removeprefix("RUNTIME ERROR: ").rstrip()
    message, _, trace = text.partition("\n\t")
    locations = [re.match(_LOCATION, line.strip()) for line in trace.splitlines()]
    static = re.match(_LOCATION, message)
    if static and (message.startswith("/") or not raw.startswith("RUNTIME ERROR: ")):
        # A file that cannot be parsed: the message begins with its place and ends with the line.
        locations.insert(0, static)
        message = message[static.end() :].partition("\n")[0]
    places = list(dict.fromkeys(match["place"] for match in locations if match))[:_MOST_PLACES]
    if not any(place.startswith(f"{file}:") for place in places):
        # Values are lazy: when the result was written out, the call that made one has no place.
        steps = [_STEP.match(line.strip()) for line in reversed(trace.splitlines())]
        way = ".".join(step["field"] or step["index"] for step in steps if step)
        places.append(f"{file}: {way} of the result" if way else file)
    return message.rstrip(), "\n".join(places)
