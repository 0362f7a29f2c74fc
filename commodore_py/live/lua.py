"""Run the Lua scripts of rules in a process of their own, with limits and without any access."""

from __future__ import annotations

import os
import signal
import time
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from commodore_py.adapters.isolated import Crashed, Session
from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from collections.abc import Mapping

SECONDS = 1.0
"""How much CPU time a script may take, as with Argo CD; not the clock: machines are busy."""
MEMORY = 64 << 20
STEPS = 20_000_000
"""How many instructions a script may run; it ends before the time does."""
MOST_MESSAGE = 64 << 10

_FUNCTION = "commodore_py.live.lua:run_script"
_NO_MEMORY = "out of memory"
_TIMED_OUT = f"process status {-signal.SIGVTALRM}"


@dataclass(frozen=True, slots=True)
class LuaResult:
    """Result of a script: its table, nothing, or why it failed."""

    fields: Mapping[str, object] | None
    error: str = ""
    printed: tuple[str, ...] = ()


class TimedOut(CommodoreError):
    """A script took more time than it may, and its process was killed."""


def run_apart(
    session: Session, script: str, value: Mapping[str, object], *, open_libraries: bool
) -> LuaResult:
    """Run a script with the global `obj` in a process, which starts again after it was killed."""
    try:
        result = session.call(_FUNCTION, script, value, open_libraries)
    except Crashed as error:
        if error.where == _TIMED_OUT:
            raise TimedOut(f"it took more than {SECONDS:g} s of CPU time") from error
        return LuaResult(None, f"its process ended: {error}")
    assert isinstance(result, LuaResult)  # noqa: S101 - of our own function
    return result


def run_script(script: str, value: Mapping[str, object], open_libraries: bool) -> LuaResult:  # noqa: FBT001 - called by name in the worker
    """Run a script in this process, which is killed when the script takes too long."""
    lua = _lua()
    os.environ["TZ"] = "UTC"
    time.tzset()
    signal.signal(signal.SIGVTALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    try:
        return _run(lua, script, value, open_libraries)
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def _run(lua: Any, script: str, value: object, open_libraries: bool) -> LuaResult:  # noqa: ANN401, FBT001 - lupa has no types
    printed: list[str] = []
    try:
        state = lua.LuaRuntime(
            encoding=None,
            register_eval=False,
            register_builtins=False,
            unpack_returned_tuples=True,
            attribute_filter=_no_attributes,
            max_memory=MEMORY,
        )
        sandbox = state.execute(_sandbox())
        made = _made(state, value)
        source = script.encode("utf-8", "surrogatepass")
        kind, result, lines = sandbox(source, made, open_libraries, STEPS)
        printed += [_text(line) for line in lines.values()]
        if kind == b"error":
            return LuaResult(None, _reason(_text(result)), tuple(printed))
        fields = None if result is None else _fields(lua, result)
    except lua.LuaMemoryError:
        return LuaResult(None, _NO_MEMORY, tuple(printed))
    except (lua.LuaError, RecursionError, OverflowError) as error:
        return LuaResult(None, _reason(str(error)), tuple(printed))
    return LuaResult(fields, "", tuple(printed))


def _fields(lua: Any, table: Any) -> Mapping[str, object]:  # noqa: ANN401 - lupa has no types
    """The fields of a returned table; of fields that are not scalars only the type."""
    fields: dict[str, object] = {}
    for key, value in table.items():
        name = _text(key) if isinstance(key, bytes) else str(key)
        if isinstance(value, bytes):
            fields[name] = _short(_text(value))
        elif value is None or isinstance(value, bool | int | float):
            fields[name] = value
        else:
            fields[name] = {"type": lua.lua_type(value)}
    return fields


def _made(state: Any, value: object) -> Any:  # noqa: ANN401 - lupa has no types
    """A value for Lua: without null members, lists counted from 1."""
    if isinstance(value, dict):
        table = state.table()
        for key, member in value.items():
            if member is not None:
                table[_bytes(str(key))] = _made(state, member)
        return table
    if isinstance(value, list):
        return state.table(*(_made(state, item) for item in value if item is not None))
    if isinstance(value, bool | float):
        return value
    if isinstance(value, int):
        return float(value) if abs(value) >= 2**53 else value
    return _bytes(str(value))


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _text(value: object) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def _short(text: str) -> str:
    return text if len(text) <= MOST_MESSAGE else f"{text[:MOST_MESSAGE]}…"


def _reason(text: str) -> str:
    text = text.partition("\nstack traceback:")[0]
    return _NO_MEMORY if "not enough memory" in text else _short(text)


def _no_attributes(_object: object, _name: object, _setting: object) -> object:
    raise AttributeError("no access")


@cache
def _sandbox() -> bytes:
    return files("commodore_py.lib").joinpath("lua", "sandbox.lua").read_bytes()


def _lua() -> Any:  # noqa: ANN401 - lupa has no types
    try:
        from lupa import lua52
    except ImportError as error:
        raise CommodoreError(
            "rules in Lua need the package lupa",
            where=str(error),
            hint="install commodore-py[live], or do without rules in Lua",
        ) from error
    return lua52
