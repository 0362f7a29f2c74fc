"""Rules in Lua: in a process of their own, with limits and few libraries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from commodore_py.errors import CommodoreError
from commodore_py.live.rules import Judge
from commodore_py.manifests.health.scripts import Script, ScriptTable
from tests.support.tables import each

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

THING = {"apiVersion": "example.com/v1", "kind": "Thing", "status": {"items": [1, 2.5, None]}}
NEVER_ENDS = 'return string.find(string.rep("a", 50), ".-.-.-.-.-.-.-.-.-.-b")'


@pytest.fixture(scope="module")
def rules() -> Iterator[Judge]:
    """Runs scripts."""
    made = Judge(ScriptTable())
    yield made
    made.close()


def _run(rules: Judge, source: str, *, libraries: bool = True) -> tuple[Any, str]:
    return tuple(rules.run(Script("example.com/Thing", source, libraries, "rule.lua"), THING))  # type: ignore[return-value]


@each(
    ("source", "message"),
    [
        ("return {status='Healthy', message=obj.kind}", "Thing"),
        ("return {status='Healthy', message=obj.status.items[1] .. #obj.status.items}", "12"),
        ("return {status='Healthy', message=tostring(obj.metadata)}", "nil"),
        ("goto over; ::over:: return {status='Healthy'}", ""),
        ("return {status='Healthy', message=tostring(table.getn(obj.status.items))}", "2"),
        ("return {status='Healthy', message=require('os').date('!%Y', 0)}", "1970"),
        ("return {status='Healthy', message=os.date('%H', 3600)}", "01"),
        ("return {status='Healthy', message=unpack({'a', 'b'})}", "a"),
    ],
)
@each("libraries", [True, False])
def test_lua_features_are_supported(
    rules: Judge, source: str, message: str, libraries: bool
) -> None:
    assert _run(rules, source, libraries=libraries) == ("Healthy", message)


@each(
    "name",
    [
        *("io", "debug", "package", "coroutine", "load", "loadstring", "loadfile", "dofile"),
        *("collectgarbage", "newproxy", "python", "os.execute", "os.getenv", "os.exit"),
        *("string.dump", "bit32"),
    ],
)
def test_lua_sandbox_hides_unsafe_libraries(rules: Judge, name: str) -> None:
    assert _run(rules, f"return {{status='Healthy', message=type({name})}}") == ("Healthy", "nil")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("while true do end", "steps"),
        ("while true do pcall(function() while true do end end) end", "steps"),
        ("coroutine.wrap(function() while true do end end)()", "coroutine"),
        (NEVER_ENDS, "1 s of CPU time"),
    ],
)
def test_endless_rule_is_ended_and_next_rule_runs(rules: Judge, source: str, why: str) -> None:
    status, message = _run(rules, source)

    assert status == "Unknown"
    assert why in message
    assert _run(rules, "return {status='Healthy'}") == ("Healthy", "")


@pytest.mark.slow
def test_rule_killed_too_often_is_not_run_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("commodore_py.live.rules.MOST_KILLS", 1)
    rules = Judge(ScriptTable())
    messages = [_run(rules, NEVER_ENDS)[1] for _ in range(2)]
    rules.close()

    assert all("CPU time" in one for one in messages[:-1])
    assert "not run again" in messages[-1]


@pytest.mark.slow
@pytest.mark.parametrize(
    "source",
    [
        "return string.rep('x', 2^30)",
        "local t = {}; for i = 1, 1e9 do t[i] = tostring(i) end",
        "pcall(string.rep, 'x', 2^30); local t = {}; while true do t[#t + 1] = ('x'):rep(2^20) end",
    ],
)
def test_rule_out_of_memory_is_unknown(rules: Judge, source: str) -> None:
    status, message = _run(rules, source)

    assert status == "Unknown"
    # On a busy machine, the limit of time may be reached first.
    assert "out of memory" in message or "of CPU time" in message


def test_rules_are_isolated(rules: Judge) -> None:
    _run(rules, "leak = 1; obj.kind = 'Changed'; string.upper = nil; return {status='Healthy'}")

    text = "return {status='Healthy', message=tostring(leak) .. obj.kind .. ('a'):upper()}"
    assert _run(rules, text) == ("Healthy", "nilThingA")


@pytest.mark.parametrize("source", ["return string.find('a', 'a')", "return {status=('x'):len()}"])
def test_unopened_library_is_reported_with_hint(rules: Judge, source: str) -> None:
    status, message = _run(rules, source, libraries=False)

    assert status == "Unknown"
    assert message.endswith("; set useOpenLibs for it; rule.lua")


@each(
    ("source", "why"),
    [
        ("return 5", "it returned a number, not a table"),
        ("syntax error", "syntax error near"),
        ("error({})", "error of type table"),
        ("return obj.a.b", "attempt to index"),
        ("\x1bLua", "attempt to load a binary chunk"),
    ],
)
def test_failing_rule_is_unknown(rules: Judge, source: str, why: str) -> None:
    status, message = _run(rules, source)

    assert status == "Unknown"
    assert why in message
    assert "traceback" not in message


def test_missing_lua_package_is_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "lupa").mkdir()
    (tmp_path / "lupa" / "__init__.py").touch()  # without the language
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    rules = Judge(ScriptTable())
    try:
        with pytest.raises(CommodoreError) as raised:
            _run(rules, "return {status='Healthy'}")
    finally:
        rules.close()

    assert "rules in Lua need the package lupa" in str(raised.value)
    assert "commodore-py[live]" in raised.value.hint
