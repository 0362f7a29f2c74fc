"""Jsonnet: evaluate a file with imports, natives and errors that say what happened and where."""

from __future__ import annotations

import ctypes
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from collections.abc import Sequence

Json: TypeAlias = "bool | float | str | list[Json] | dict[str, Json] | None"

ReadImport: TypeAlias = Callable[[Path], "bytes | None"]
"""The content of a candidate of an import, None to look further, an error to stop."""

_LOCATION = re.compile(r"^(?P<place>.+?:(?:\d+:\d+(?:-\d+)?|\(\d+:\d+\)-\(\d+:\d+\)))(?:\s|$)")
_MOST_PLACES = 10


class JsonnetError(CommodoreError):
    """An evaluation that failed, or a value that Jsonnet cannot hold."""


@dataclass(frozen=True, slots=True)
class Native:
    """A function of ours that Jsonnet can call; it may return what `to_jsonnet` accepts."""

    parameters: tuple[str, ...]
    call: Callable[..., object]


def evaluate(
    file: Path,
    *,
    import_folders: Sequence[Path] = (),
    ext_vars: Mapping[str, str] | None = None,
    natives: Mapping[str, Native] | None = None,
    read: ReadImport | None = None,
) -> str:
    """The file's value as JSON text.

    Imports are looked up beside the importing file, then in `import_folders`, in order; `read`
    decides what is there. By default it reads from disk, and an empty file does not count.
    """
    # Loading Go's runtime takes a while and is only needed by commands that compile.
    import _gojsonnet  # noqa: PLC0415

    calls = _Calls()
    try:
        result: str = _gojsonnet.evaluate_snippet(
            str(file),
            _source(file),
            ext_vars={name: _text(text, name) for name, text in (ext_vars or {}).items()},
            import_callback=calls.importer(import_folders, read or read_unless_empty),
            native_callbacks={
                name: (native.parameters, calls.guard(name, native))
                for name, native in (natives or {}).items()
            },
        )
    except RuntimeError as error:
        raise calls.explain(str(error)) from (calls.failure or error)
    return result


def read_unless_empty(path: Path) -> bytes | None:
    """A file on disk as the import of it; an empty one is passed over, a folder is an error."""
    try:
        return path.read_bytes() or None
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise JsonnetError(f"cannot import {path}: {error.strerror}") from error


def to_jsonnet(value: object, *, place: str = "") -> Json:
    """The value as Jsonnet holds it: every number is a double; what JSON lacks is an error."""
    match value:
        case None | bool():
            return value
        case int() | float():
            return _double(value, place)
        case str():
            return _text(value, place)
        case list() | tuple():
            return [to_jsonnet(v, place=f"{place}[{i}]") for i, v in enumerate(value)]
        case Mapping():
            return {
                _key(key, place): to_jsonnet(below, place=f"{place}.{key}")
                for key, below in value.items()
            }
        case _:
            raise _inexpressible(f"{value} is a {type(value).__name__}", place)


@dataclass(slots=True)
class _Calls:
    """Callbacks of one evaluation: they keep the error that gojsonnet would lose."""

    failure: BaseException | None = None
    failed: str = ""

    def guard(self, name: str, native: Native) -> Callable[..., Json]:
        def call(*arguments: object) -> Json:
            _own_nulls(arguments)
            try:
                return to_jsonnet(native.call(*arguments))
            except BaseException as error:
                self.failure = error
                self.failed = f"{name}({', '.join(map(repr, arguments))})"
                raise

        return call

    def importer(
        self, folders: Sequence[Path], read: ReadImport
    ) -> Callable[[str, str], tuple[str, bytes]]:
        def find(beside: str, name: str) -> tuple[str, bytes]:
            try:
                return _find(name, (Path(beside), *folders), read)
            except BaseException as error:
                self.failure = error
                self.failed = ""
                raise

        return find

    def explain(self, said: str) -> JsonnetError:
        """The error with its place; an interruption or a bug in a callback goes on as it is."""
        message, places = _split(said)
        failure = self.failure
        if failure is None:
            return JsonnetError(message, where=places)
        if not isinstance(failure, CommodoreError | OSError | ValueError | RecursionError):
            raise failure
        own = getattr(failure, "where", "")
        message = f"{self.failed}: {failure}" if self.failed else str(failure)
        return JsonnetError(
            message,
            where="\n".join(filter(None, (own, places))),
            hint=getattr(failure, "hint", ""),
        )


def _source(file: Path) -> str:
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise JsonnetError(f"cannot read the file: {error}", where=str(file)) from error
    if "\0" in text:
        raise JsonnetError("not a text file: it holds a null byte", where=str(file))
    return text


def _split(said: str) -> tuple[str, str]:
    """Message and places of an error; the place where it happened comes first."""
    text = said.removeprefix("RUNTIME ERROR: ").rstrip()
    static = _LOCATION.match(text)
    if static and not said.startswith("RUNTIME ERROR: "):
        return text[static.end() :].split("\n", 1)[0], static["place"]
    message, _, trace = text.partition("\n\t")
    found = (_LOCATION.match(line.strip()) for line in trace.splitlines())
    places = list(dict.fromkeys(match["place"] for match in found if match))
    return message.rstrip(), "\n".join(places[:_MOST_PLACES])


def _find(name: str, folders: Sequence[Path], read: ReadImport) -> tuple[str, bytes]:
    for folder in folders:
        content = read(folder / name)
        if content is not None:
            return str(folder / name), content
    places = ", ".join(dict.fromkeys(str(folder) for folder in folders))
    raise JsonnetError(f"import {name!r} not found", hint=f"looked in {places}")


def _own_nulls(arguments: Sequence[object]) -> None:
    # gojsonnet 0.22 hands over its nulls without a reference of their own, and the call gives
    # one back for each: where None is not immortal (before Python 3.12) that ends in an abort.
    for argument in arguments:
        if argument is None:
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(None))


def _double(value: float, place: str) -> float:
    # Beyond 64 bits the peer fails as well, and a silent loss of digits is nobody's wish.
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        raise _inexpressible(f"{value} has more than 64 bits", place)
    if not math.isfinite(value):
        raise _inexpressible(f"{value} is not a finite number", place)
    return float(value)


def _text(value: str, place: str) -> str:
    # gojsonnet cuts a text at a null character, and dies of half a surrogate pair.
    if "\0" in value:
        raise _inexpressible(f"{value!r} holds a null character", place)
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise _inexpressible(f"{value!r} holds half a surrogate pair", place) from error
    return value


def _key(key: object, place: str) -> str:
    if not isinstance(key, str):
        raise _inexpressible(f"the key {key!r} is not a string", place)
    return _text(key, place)


def _inexpressible(what: str, place: str) -> JsonnetError:
    return JsonnetError(
        f"{what}, which Jsonnet cannot hold" + (f", at {place.lstrip('.')}" if place else ""),
        hint="put quotes around it, if a string is meant",
    )
