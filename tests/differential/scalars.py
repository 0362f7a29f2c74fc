"""Scalars as people type them, and texts with references."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from .yaml_text import Text

if TYPE_CHECKING:
    import random

_POOLS = {
    "yaml: integer": "0 1 -1 +7 42 -0 007x 123456789 9007199254740993",
    "yaml: integer in another base": "0x1F -0x1f +0x1f 0o17 -0o17 +0o7 0b101 -0b1 0xdeadbeef",
    "yaml: integer of 64 bits and more": """
        9223372036854775807 9223372036854775808 18446744073709551615 0xFFFFFFFFFFFFFFFF
        -9223372036854775808 340282366920938463463374607431768211456
        -170141183460469231731687303715884105729 99999999999999999999999999999999999999999999""",
    "yaml: float": """
        0.0 -0.0 1.5 -2.25 +1.0 1. .5 -.5 1e3 1E3 1e+3 1e-3 1.e2 1e16 1e15 0.0001 0.00001 1e-7
        1.5e300 5e-324 123456789.125 1e22 3.0e-5 0.1 100000000000000000.5""",
    "yaml: infinite or not a number": ".inf -.inf +.inf .Inf .INF .nan .NaN .NAN",
    "yaml: looks like a number": """
        017 -017 +017 00 0123 08 1_000 1__0 0X1F 0O7 0B1 0x 0o8 0b2 0xg +- 1e 1e400 -1e999 . ..
        1.2.3 +.nan -.nan 0x-1 0_1 ++1 --1 1:2 inf nan e1 .e1 0.1.2 1e1e1 '-'""",
    "yaml: words of YAML 1.1": """
        yes Yes YES no No on On OFF off y n Y N true True TRUE tRUE false False FALSE null Null
        NULL nUll ~x none undefined""",
    "yaml: date or time": """
        2026-01-02 2026-13-45 2026-01-02T03:04:05Z 12:30 12:30:45 190:20:30""",
    "yaml: core tag": """
        !!str:12 !!str:true !!str: !!int:12 !!int:0x1F !!int:'12' !!float:1 !!float:1.5
        !!float:.inf !!bool:true !!bool:'false' !!null:null !!null:~ !!binary:YWJj
        !!timestamp:2026-01-02 !!str:'${s1}' !!str:2026-01-02""",
}
POOLS = {rule: tuple(text.split()) for rule, text in _POOLS.items()}
_ODD_KEYS = "1 0x10 true false null 1.5 '1' ~ -3 2026-01-02 '' 1.0 'true' .inf 18446744073709551615"
ODD_KEYS = tuple(_ODD_KEYS.split())
# What texts embed: set once, by the base class.
TYPED = {
    "reference: in text, null": ("null", "~"),
    "reference: in text, boolean": ("true", "false", "True"),
    "reference: in text, integer": (
        "12",
        "-3",
        "0x10",
        "9223372036854775807",
        POOLS["yaml: float"][0],
    ),
    "reference: in text, float": POOLS["yaml: float"] + POOLS["yaml: infinite or not a number"],
    "reference: in text, list": (
        "[1, a, null, [true, 1.5]]",
        "[]",
        '["\\u0001\\"", {b: 1, a: .nan}, 1e16, 1e-7, 18446744073709551615]',
    ),
    "reference: in text, mapping": (
        "{b: 1, a: [x], ü: {}}",
        "{}",
        "{1: x, true: y, null: z, 1.5: 1e20, '1': q}",
    ),
}
DEFAULTS = ("yes", "1", "0x10", "1.0", "[1, a]", "null", "", "a b", '"q"', "{a: 1\\}", "true", ":x")
ESCAPED = {
    "reference: escaped": ("\\${a}", "x\\${s1}y", "\\${${s1}", "\\\\\\${s1}"),
    "reference: backslash before it": ("\\\\${s1}", "a\\\\${s1}b", "c:\\dir\\\\${s1}"),
    "reference: escaped inventory query": ("\\$[x]", "a \\$[ b", "\\$[${s1}]"),
}
_UNICODE = ("Zürich", "日本", "😀 smile", "Ключ", "\u2028line", "e\u0301", "a\u00a0b", "\u0007bell")
_SOME = "alpha beta gamma delta x y 'it' \"q\" #no a:b -dash *star &amp @at `tick %p !x ,c [ ] { }"
_WORDS = tuple(_SOME.split())
_ALPHABET = "0123456789+-._eExobaAfFnN"
_SIGNS = ("${", "}", "\\", "$[", "]", "a", ":", "::", "$", "{", "s1", "m1", "${s1}", "\\\\", " ")


def scalar(rng: random.Random) -> Text:
    """A scalar that any mapping may hold."""
    if rng.random() < 0.35:
        return plain(rng)
    if rng.random() < 0.12:
        return Text(_random_scalar(rng))
    rule = rng.choice(tuple(POOLS))
    raw = rng.choice(POOLS[rule])
    if raw.startswith("!!"):
        tag, _, value = raw.partition(":")
        raw = f"{tag} {value}"
    return Text(raw)


def plain(rng: random.Random) -> Text:
    """A text without references."""
    roll = rng.random()
    if roll < 0.15:
        return typed(rng, rng.choice(_UNICODE))
    if roll < 0.3:
        lines = tuple(rng.choice(_WORDS) for _ in range(rng.randint(2, 4)))
        return Text(json.dumps("\n".join(lines), ensure_ascii=False), lines)
    return typed(rng, rng.choice(_WORDS))


def typed(rng: random.Random, text: str) -> Text:
    """A text in one of the quotes that leave it as it is."""
    if "\n" not in text and text.isprintable() and rng.random() < 0.7:
        return Text("'" + text.replace("'", "''") + "'")
    # YAML has no pairs of surrogates.
    return Text(json.dumps(text, ensure_ascii=max(text) < "\ud800" and rng.random() < 0.5))


def noise(rng: random.Random) -> Text:
    """Signs of references in no order."""
    return typed(rng, "".join(rng.choice(_SIGNS) for _ in range(rng.randint(1, 8))))


def _random_scalar(rng: random.Random) -> str:
    text = "".join(rng.choice(_ALPHABET) for _ in range(rng.randint(1, 7)))
    return text if text.strip("-.") else f"{text}7"
