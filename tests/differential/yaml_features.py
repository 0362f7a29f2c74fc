"""What generated YAML must hold: each feature, and how it is recognised."""

from __future__ import annotations

import datetime as dt
import math
import re
from typing import TYPE_CHECKING

from .yaml_texts import LOOK_ALIKES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_IN_TEXTS: dict[str, re.Pattern[str]] = {
    "text: not printable": re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x84\x86-\x9f]"),
    "text: line or paragraph separator": re.compile("[\x85\u2028\u2029]"),
    "text: byte order mark": re.compile("\ufeff"),
    "text: surrogate": re.compile("[\ud800-\udfff]"),
    "text: beyond the first plane": re.compile("[\U00010000-\U0010ffff]"),
    "text: tab": re.compile("\t"),
    "text: carriage return": re.compile("\r"),
    "text: blank at the end": re.compile(r" \Z"),
    "text: blank at the end of a line": re.compile(" \n"),
    "text: blank at the start of a line": re.compile("\n "),
    "text: break at the start": re.compile(r"\A\n"),
    "text: several breaks at the end": re.compile(r"\n\n\Z"),
    "text: longer than a line": re.compile(r".{81}"),
}
_IN_KEYS: dict[str, Callable[[str], object]] = {
    "key: empty": lambda key: not key,
    "key: line break": lambda key: "\n" in key,
    "key: line separator": re.compile("[\x85\u2028\u2029]").search,
    "key: longest without question mark": lambda key: len(key) == 122,
    "key: shortest with question mark": lambda key: len(key) == 123,
    "key: look-alike": lambda key: key in LOOK_ALIKES,
}
_FLOATS: dict[str, Callable[[float], object]] = {
    "number: infinite": math.isinf,
    "number: none at all": math.isnan,
    "number: minus zero": lambda number: number == 0 and math.copysign(1, number) < 0,
    "number: exponent": lambda number: "e" in repr(number),
}
_IN_OUTPUT: dict[str, re.Pattern[str]] = {
    **{
        f"written: {mark}{hints}": re.compile(rf"(?m)[ ?:-] [{mark}]{re.escape(hints)}$")
        for mark in "|>"
        for hints in ("", "-", "+", "2", "2-", "2+")
    },
    "written: plain, over several lines": re.compile(r"(?m): w[w ]{60,}\n +w"),
    "written: single quotes, over several lines": re.compile(r"(?m)[:-] '[^'\"\n]+\n +[^ ]"),
    "written: single quotes, empty lines": re.compile(r"(?m)[:-] '[^'\"\n]+\n\n"),
    "written: double quotes, over several lines": re.compile(r"(?m)[:-] \"[^\n]+\\\n +[^ ]"),
    "written: double quotes, blank at the start": re.compile(r"(?m)\\\n +\\ "),
    "written: key with question mark": re.compile(r"(?m)^ *(?:- )*\? "),
    "written: mapping or list as key": re.compile(r"(?m)^ *(?:- )*\? - "),
    "written: tag": re.compile(r"(?m)[ ^]!!(?:set|binary|timestamp)"),
    "written: anchor and alias": re.compile(r"(?s)&id001[ \n].*\*id001"),
    "written: alias as key": re.compile(r"(?m)^ *(?:[?:-] )*\*id\d+ ?:"),
    "written: end after a plain text": re.compile(r"[^\n]\n\.\.\.\n\Z"),
    "written: end after a block": re.compile(r"\n\n\.\.\.\n\Z"),
    "written: document on the line of its mark": re.compile(r"(?m)^--- ."),
    "written: document below its mark": re.compile(r"(?m)^---$"),
    "written: indented beyond the width": re.compile(r"(?m)^ {81,}[^ ]"),
    "written: nothing": re.compile(r"\A\Z"),
}
_KINDS = (type(None), bool, int, float, str, bytes, list, tuple, dict, set, dt.date, dt.datetime)

ALL = (
    *_IN_TEXTS,
    "text: look-alike",
    *_IN_KEYS,
    "key: not to be sorted",
    "number: big",
    *_FLOATS,
    *(f"value: {kind.__name__}" for kind in _KINDS),
    *(f"key: {kind.__name__}" for kind in _KINDS if kind not in {list, dict, set}),
    *(f"empty: {kind.__name__}" for kind in (list, tuple, dict, set, bytes)),
    *("refused", "only aliases can write it"),
    *_IN_OUTPUT,
)


def of_values(documents: list[object]) -> set[str]:
    """The features of a stream's values."""
    found = set()
    for value, is_key in _parts(documents):
        found.add(f"{'key' if is_key else 'value'}: {type(value).__name__}")
        if isinstance(value, str):
            found |= {name for name, pattern in _IN_TEXTS.items() if pattern.search(value)}
            if value in LOOK_ALIKES:
                found.add("text: look-alike")
            if is_key:
                found |= {name for name, has in _IN_KEYS.items() if has(value)}
        elif isinstance(value, int) and abs(value) > 2**64:
            found.add("number: big")
        elif isinstance(value, float):
            found |= {name for name, has in _FLOATS.items() if has(value)}
        elif isinstance(value, list | tuple | dict | set | bytes) and not value:
            found.add(f"empty: {type(value).__name__}")
        elif isinstance(value, dict) and not _can_be_sorted(value):
            found.add("key: not to be sorted")
    return found & set(ALL)


def of_output(text: str) -> set[str]:
    """The features of a written stream."""
    return {name for name, pattern in _IN_OUTPUT.items() if pattern.search(text)}


def _parts(documents: list[object]) -> Iterator[tuple[object, bool]]:
    seen = set()
    waiting: list[tuple[object, bool]] = [(value, False) for value in documents]
    while waiting:
        value, is_key = waiting.pop()
        if id(value) in seen:
            continue
        if isinstance(value, list | dict | set | tuple):
            seen.add(id(value))
        yield value, is_key
        if isinstance(value, dict):
            waiting += [(key, True) for key in value]
            waiting += [(item, False) for item in value.values()]
        elif isinstance(value, list | tuple | set):
            waiting += [(item, isinstance(value, set)) for item in value]


def _can_be_sorted(mapping: dict[object, object]) -> bool:
    try:
        sorted(mapping.items())
    except TypeError:
        return False
    return True
