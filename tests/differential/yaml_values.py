"""Made-up documents of everything that a safe dumper writes, and of some that it refuses."""

from __future__ import annotations

import collections
import datetime as dt
import math
import random
from typing import TypeVar

from .yaml_texts import long_key, text

_T = TypeVar("_T")
_DEEPER_THAN_THE_WIDTH = 45
_DEEPER_THAN_PYTHON_GOES = 1200


class _Text(str):
    __slots__ = ()


class _Mapping(dict[str, int]):
    pass


# Made for every document: what happens to be one object elsewhere would get an anchor.
_REFUSED = (
    lambda: object(),  # noqa: PLW0108 - the type itself is refused in another way
    lambda: object,
    lambda: 1j,
    lambda: _Text("a"),
    lambda: _Mapping(a=1),
    lambda: frozenset({1}),
    lambda: collections.OrderedDict(a=1),
    lambda: dt.time(1, 2),
    lambda: bytearray(b"a"),
    lambda: range(3),
    lambda: 10**5000,
    lambda: nested(random.Random(0), "x", _DEEPER_THAN_PYTHON_GOES),  # noqa: S311 - no secret
)
_FLOATS = (
    *(0.0, -0.0, 0.1, -1.5, 1e16, 1e-5, 1e-7, 5e-324, 1.7976931348623157e308, 123456789.123, 1e100),
    *(math.inf, -math.inf, math.nan, 3.0, 1e22, 0.1 + 0.2),
)
_INTEGERS = (
    0,
    1,
    -1,
    7,
    80,
    2**31,
    -(2**63),
    2**64,
    10**100,
    -(10**121),
    10**122,
    10**123,
    10**300,
)
_ZONES = (
    *(None, dt.UTC, dt.timezone(dt.timedelta(hours=-5, minutes=-30))),
    *(dt.timezone(dt.timedelta(hours=1, seconds=7)), dt.timezone(dt.timedelta(microseconds=5))),
)


def documents(seed: str) -> list[object]:
    """The documents of a stream, always the same for a seed."""
    rng = random.Random(seed)  # noqa: S311 - no secret
    maker = _Maker(rng)
    count = rng.choice((1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 4, 5, 0))
    return [maker.document() for _ in range(count)]


def nested(rng: random.Random, value: object, levels: int) -> object:
    """A value that many levels down."""
    for _ in range(levels):
        kind = rng.randrange(5)
        value = [value] if kind < 2 else {"k": value} if kind < 4 else ["a", value, {"k": 1}]
    return value


class _Maker:
    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._made: list[object] = []
        self._json_like = rng.random() < 0.5
        self._shares = not self._json_like and rng.random() < 0.4

    def document(self) -> object:
        rng = self._rng
        value = self._value(rng.choice((0, 1, 2, 2, 3, 3, 4)))
        if rng.random() < 0.06:
            value = nested(rng, value, rng.randint(2, _DEEPER_THAN_THE_WIDTH))
        if self._shares and rng.random() < 0.03:
            around: list[object] = [value]
            around.append(around)
            value = around
        if not self._json_like and rng.random() < 0.06:
            value = rng.choice(([value, rng.choice(_REFUSED)()], {"r": rng.choice(_REFUSED)()}))
        return value

    def _value(self, depth: int) -> object:
        rng = self._rng
        if self._shares and self._made and rng.random() < 0.25:
            return rng.choice(self._made)
        if depth == 0 or rng.random() < 0.25:
            return self._scalar()
        size = rng.choice((0, 1, 1, 2, 2, 3, 4, 6))
        kind = rng.random()
        if kind < 0.4:
            return self._kept([self._value(depth - 1) for _ in range(size)])
        if kind < 0.9 or self._json_like:
            return self._kept({self._key(): self._value(depth - 1) for _ in range(size)})
        if kind < 0.95:
            return self._kept(tuple(self._value(depth - 1) for _ in range(size)))
        return self._kept({self._key() for _ in range(size)})

    def _key(self) -> object:
        rng = self._rng
        kind = rng.random()
        if kind < 0.05:
            return long_key(rng)
        if kind < 0.08:
            return ""
        if kind < 0.75 or self._json_like:
            return text(rng)
        if kind < 0.85:
            return self._kept(tuple(self._hashable() for _ in range(rng.randint(0, 2))))
        return self._hashable()

    def _hashable(self) -> object:
        shared = [value for value in self._made if isinstance(value, tuple | dt.date)]
        if self._shares and shared and self._rng.random() < 0.5:
            value = self._rng.choice(shared)
            if _can_be_hashed(value):
                return value
        return self._scalar()

    def _scalar(self) -> object:
        rng = self._rng
        kind = rng.random()
        if kind < 0.7:
            return text(rng)
        if kind < 0.9 or self._json_like:
            return rng.choice((None, True, False, rng.choice(_INTEGERS), rng.choice(_FLOATS)))
        if kind < 0.94:
            return rng.randbytes(rng.choice((0, 0, 1, 5, 56, 57, 58, 120)))
        return self._kept(self._time())

    def _time(self) -> dt.date:
        rng = self._rng
        day = dt.date.fromordinal(rng.randint(1, dt.date.max.toordinal()))
        if rng.random() < 0.4:
            return day
        micro = rng.choice((0, 0, 1, 500000))
        moment = dt.time(rng.randrange(24), rng.randrange(60), rng.randrange(60), micro)
        return dt.datetime.combine(day, moment, rng.choice(_ZONES))

    def _kept(self, value: _T) -> _T:
        if self._shares:
            self._made.append(value)
        return value


def _can_be_hashed(value: object) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True
