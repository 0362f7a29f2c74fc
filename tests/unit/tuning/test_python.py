"""What replaces parts of Python's library gives the same."""

from __future__ import annotations

import hashlib
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

from commodore_py.tuning import signals
from commodore_py.tuning.blake2 import blake2b

if TYPE_CHECKING:
    import pytest

_VALUES = """
from __future__ import annotations
import collections, inspect, pickle, typing
from commodore_py.tuning import named_tuples
named_tuples.leave_annotations()

class Value(typing.NamedTuple):
    name: str
    more: tuple[Value, ...] = ()

    def twice(self) -> str:
        return self.name * 2

one = Value("a", (Value("b"),))
print(one, one.twice(), Value._fields, Value._field_defaults, Value.__module__)
print(typing.get_type_hints(Value))
print(typing.NamedTuple("Made", [("text", str)])("x"))
for fields in ("", "one", "a b", "other more", "first second third", "x"):
    defaults = [7] if fields else []
    made = collections.namedtuple(f"Of{fields.replace(' ', '')}", fields, defaults=defaults)
    values = dict.fromkeys(made._fields, 1)
    print(made(**values), made(*values.values()), made.__new__.__qualname__, made.__doc__)
    print(inspect.signature(made), made(**values)._replace(**values), pickle.dumps(made._fields))
    for wrong in ({"y": 1}, dict.fromkeys([*values, "y"])):
        try:
            print(made(**wrong))
        except TypeError as error:
            print(error)
"""


def test_digests_are_those_of_hashlib() -> None:
    assert blake2b(b"a", digest_size=20).digest() == hashlib.blake2b(b"a", digest_size=20).digest()


def test_signals_are_those_of_python() -> None:
    for name in signals.__all__:
        if name.startswith("SIG"):
            assert getattr(signals, name) == getattr(signal, name)


def test_a_handler_is_found_by_python() -> None:
    before = signal.getsignal(signal.SIGHUP)
    signals.signal(signals.SIGHUP, signals.SIG_IGN)
    try:
        assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
        assert signals.getsignal(signals.SIGHUP) == signals.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


def test_named_tuples_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    printed = []
    for tuning in ("", "off"):
        monkeypatch.setenv("COMMODORE_TUNING", tuning)
        ran = subprocess.run(
            [sys.executable, "-c", _VALUES], capture_output=True, text=True, check=True
        )
        printed.append(ran.stdout)
    assert printed[0] == printed[1]
    assert printed[0].startswith("Value(name='a', more=(Value(name='b', more=()),)) aa")
