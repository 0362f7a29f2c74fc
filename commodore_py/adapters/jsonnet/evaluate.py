"""Jsonnet: evaluate a file with imports, natives and errors that say what happened and where."""

from __future__ import annotations

import atexit
import functools
import gc
import json
import math
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias, cast

from commodore_py.adapters.reading import bytes_of
from commodore_py.errors import CommodoreError

from .interruptible import interruptible

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

Json: TypeAlias = "bool | float | str | list[Json] | dict[str, Json] | None"

ReadImport: TypeAlias = Callable[[str], "bytes | None"]
"""The content of a candidate of an import, None if there is none; an error ends the search."""

_LOCATION = r"^(?P<place>.+?:(?:\d+:\d+(?:-\d+)?|\(\d+:\d+\)-\(\d+:\d+\)))(?:\s|$)"
_STEP = re.compile(r'^(?:Field "(?P<field>.*)"|Array element (?P<index>\d+))$')
_MOST_PLACES = 10

# gojsonnet 0.22 passes nulls without a reference of their own, and releases one for each: before
# Python 3.12 that would end in an abort, so we keep one for each. The list holds itself, so that
# it is not freed with its module, and what is frozen is not collected at the end of the process.
_NULLS: list[object] = []
_NULLS.append(_NULLS)
atexit.register(gc.freeze)


class JsonnetError(CommodoreError):
    """An evaluation that failed, or a value that Jsonnet cannot hold."""


class ImportNotFound(JsonnetError):
    """No candidate of an import has a content; its subject is the name."""


class Inexpressible(JsonnetError):
    """A value of ours that Jsonnet cannot hold; `path` leads to it."""

    path: tuple[object, ...] = ()

    @classmethod
    def value(cls, what: str) -> Inexpressible:
        """Say what it is."""
        return cls(
            f"{what}, which Jsonnet cannot hold",
            hint="put quotes around it, if a string is meant",
        )


@dataclass(frozen=True, slots=True)
class Native:
    """A function of ours that Jsonnet can call; it may return what `to_jsonnet` accepts."""

    parameters: tuple[str, ...]
    call: Callable[..., object]
    ready: bool = False
    """It returns nothing but what `to_jsonnet` made: that is not done again."""


def evaluate(
    file: Path,
    *,
    import_folders: Sequence[Path] = (),
    ext_vars: Mapping[str, str] | None = None,
    natives: Mapping[str, Native] | None = None,
    read: ReadImport | None = None,
    skip_empty: bool = False,
    content: bytes | None = None,
) -> str:
    """The file's value as JSON text.

    Imports are looked up beside the importing file, then in `import_folders`, in order; `read`
    decides what is there, and by default it looks on disk. With `skip_empty`, an empty file
    counts as none. The file itself is read from disk, unless its `content` is given.
    """
    source = _source(file, content)
    variables = {name: _text(text) for name, text in (ext_vars or {}).items()}
    calls = _Callbacks(tuple(map(str, import_folders)), read or read_import, skip_empty=skip_empty)
    functions = {
        name: (native.parameters, calls.guarded(name, native))
        for name, native in (natives or {}).items()
    }
    # Loading Go's runtime takes a while and is only needed by commands that compile.
    import _gojsonnet

    work: Callable[[], str] = functools.partial(
        _gojsonnet.evaluate_snippet,
        str(file),
        source,
        ext_vars=variables,
        import_callback=calls.find,
        native_callbacks=functions,
    )
    try:
        return interruptible(work)
    except UnicodeDecodeError as error:
        # gojsonnet 0.22 does not end the text of a failed import: foreign bytes follow it.
        message = error.object.decode(errors="replace")
        raise calls.explain(message, file) from (calls.failure or error)
    except RuntimeError as error:
        raise calls.explain(str(error), file) from (calls.failure or error)


def read_import(path: str) -> bytes | None:
    """A file on disk, None if there is none; a folder is an error."""
    try:
        return bytes_of(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise JsonnetError(error.strerror or "not readable") from error


def kind_of(value: object) -> str:
    """Name the type of a value in Jsonnet, with its article."""
    match value:
        case None:
            return "null"
        case bool():
            return "a boolean"
        case str():
            return "a string"
        case list():
            return "an array"
        case dict():
            return "an object"
        case _:
            return "a number"


def as_code(value: object) -> str:
    """A value as Jsonnet code: as data in it, which is read several times faster than as code."""
    return "std.parseJson(@'" + json.dumps(to_jsonnet(value)).replace("'", "''") + "')"


def to_jsonnet(value: object) -> Json:
    """The value as Jsonnet holds it: every number is a double; what JSON lacks is an error."""
    try:
        return _converted(value)
    except RecursionError as error:
        raise Inexpressible("nested too deeply for Jsonnet") from error


def _converted(value: object) -> Json:
    match value:
        case None | bool():
            return value
        case int() | float():
            return _double(value)
        case str():
            return _text(value)
        case list() | tuple() | bytes():
            return [_below(index, below) for index, below in enumerate(value)]
        case Mapping():
            return {_key(key): _below(key, below) for key, below in value.items()}
        case _:
            raise Inexpressible.value(f"{value} is a {type(value).__name__}")


class _Callbacks:
    """Callbacks of one evaluation: they keep the error that gojsonnet would lose."""

    def __init__(self, folders: tuple[str, ...], read: ReadImport, *, skip_empty: bool) -> None:
        self._folders = folders
        self._read = read
        self._skip_empty = skip_empty
        self.failure: BaseException | None = None
        self._native = ""

    def find(self, beside: str, name: str) -> tuple[str, bytes]:
        """Path and content of an import."""
        try:
            return self._search(beside, name)
        except BaseException as error:
            self.failure, self._native = error, ""
            raise

    def _search(self, beside: str, name: str) -> tuple[str, bytes]:
        searched: dict[str, None] = {}
        empty: list[str] = []
        for folder in (beside, *self._folders):
            # A path is read as it is written: `..` goes up by name, also out of a linked folder.
            candidate = os.path.normpath(name if name[:1] == "/" else f"{folder or '.'}/{name}")
            if candidate in searched:
                continue
            searched[candidate] = None
            try:
                content = self._read(candidate)
            except CommodoreError as error:
                raise JsonnetError(f"cannot import {candidate}: {error}") from error
            if content or (content is not None and not self._skip_empty):
                return candidate, content
            if content is not None:
                empty.append(candidate)
        if empty:
            raise ImportNotFound(f"import of {name}: {', '.join(empty)} is empty")
        hint = f"looked at {', '.join(searched)}"
        not_found = ImportNotFound(f"import of {name}: there is no such file", hint=hint)
        not_found.subject = name
        raise not_found

    def guarded(self, name: str, native: Native) -> Callable[..., Json]:
        """A native that keeps its error, and returns what Jsonnet can hold."""

        def call(*arguments: object) -> Json:
            _NULLS.extend(argument for argument in arguments if argument is None)
            try:
                result = native.call(*arguments)
                return cast("Json", result) if native.ready else to_jsonnet(result)
            except BaseException as error:
                self.failure = error
                self._native = f"{name}({', '.join(map(json.dumps, arguments))})"
                raise

        return call

    def explain(self, raw: str, file: Path) -> JsonnetError:
        """The error with its place; an interruption or a bug in a callback is raised as it is."""
        message, places = _split(raw, str(file))
        failure = self.failure
        if failure is None:
            return JsonnetError(message, where=places)
        if not isinstance(failure, CommodoreError | OSError | ValueError | RecursionError):
            raise failure
        where = getattr(failure, "where", "")
        if isinstance(failure, Inexpressible) and not where:
            where = "value at " + ".".join(map(str, failure.path))
        kind = type(failure) if isinstance(failure, ImportNotFound) else JsonnetError
        error = kind(
            f"{self._native}: {failure}" if self._native else str(failure),
            where="\n".join(filter(None, (where, places))),
            hint=getattr(failure, "hint", ""),
        )
        error.subject = getattr(failure, "subject", "")
        return error


def _source(file: Path, content: bytes | None) -> str:
    try:
        text = (bytes_of(str(file)) if content is None else content).decode()
    except (OSError, UnicodeDecodeError) as error:
        raise JsonnetError(f"cannot read the file: {error}", where=str(file)) from error
    if "\0" in text:
        raise JsonnetError("not a text file: it holds a null byte", where=str(file))
    return text


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
        places.append(_place_in_result(trace, file))
    return message.rstrip(), "\n".join(places)


def _place_in_result(trace: str, file: str) -> str:
    """Where in a file's result an error is, if it came up when the result was written out.

    Values are lazy: by then the call that made one has no place any more.
    """
    steps = [_STEP.match(line.strip()) for line in reversed(trace.splitlines())]
    way = ".".join(step["field"] or step["index"] for step in steps if step)
    return f"{file}: {way} of the result" if way else file


def _below(key: object, value: object) -> Json:
    try:
        return _converted(value)
    except Inexpressible as error:
        error.path = (key, *error.path)
        raise


def _double(value: float) -> float:
    # Beyond 64 bits Commodore fails as well, and digits must not be lost silently.
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        raise Inexpressible.value(f"{value} has more than 64 bits")
    if not math.isfinite(value):
        raise Inexpressible.value(f"{value} is not a finite number")
    return float(value)


def _text(value: str) -> str:
    # gojsonnet cuts a text at a null character, and dies of half a surrogate pair.
    if "\0" in value:
        raise Inexpressible.value(f"{value!r} holds a null character")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise Inexpressible.value(f"{value!r} holds half a surrogate pair") from error
    return value


def _key(key: object) -> str:
    if not isinstance(key, str):
        failure = Inexpressible.value(f"the key {key} is not a string")
        failure.path = (key,)
        raise failure
    return _text(key)
