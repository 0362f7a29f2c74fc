"""Made-up texts that YAML finds hard: indicators, blanks, breaks, look-alikes, odd characters."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

_INDICATORS = (
    *"-?:,[]{}#&*!|>'\"%@`=<~.+$();/\\^_",
    *("- ", "? ", ": ", " #", "# ", " - ", "--- ", "---", "...", "-- ", "<<", "''", '""', "\\n"),
    *("{}", "[]", "{ ", "a: b", "key:", "*id001", "&id001", "!!str", "!<x>", "%YAML", "?{ref}"),
)
_BLANKS = (" ", " ", " ", "  ", "   ", "\t")
_BREAKS = ("\n", "\n", "\n", "\n\n", "\n\n\n", "\n ", " \n", "\n  ", "\r", "\r\n")
_SEPARATORS = ("\x85", "\u2028", "\u2029", "\u2028\n", "\n\x85", " \u2029", "\x85 ")
_ODD = (
    *("\0", "\a", "\b", "\v", "\f", "\x0e", "\x1b", "\x1f", "\x7f", "\x80", "\x9f", "\xa0", "\xad"),
    *("ü", "é", "ß", "日本", "\ud7ff", "\ud800", "\udfff", "\ue000", "\ufeff", "\ufffd", "\ufffe"),
    *("\uffff", "\U00010000", "\U0001f600", "\U0010fffe", "\U0010ffff", "\u200b", "\u0301"),
)
_WORDS = ("a", "b", "x1", "word", "text", "Some", "n", "y", "e3", "0", "12", "Z", "T", "longerword")
_EDITS: tuple[str, ...] = ("", *"0123456789_.:-+eExZ tT")
_AROUND: tuple[str, ...] = (*_BLANKS, *_BREAKS, *_INDICATORS, *_WORDS)
LOOK_ALIKES: tuple[str, ...] = (
    *("yes", "Yes", "YES", "no", "No", "NO", "true", "True", "TRUE", "false", "False", "FALSE"),
    *("on", "On", "ON", "off", "Off", "OFF", "y", "n", "Y", "N", "yEs", "tRue", "oN"),
    *("~", "null", "Null", "NULL", "nUll", "", "<<", "=", "<", "==", "!", "&", "*"),
    *("0", "-0", "+0", "00", "08", "010", "0_", "0o7", "0b1", "-0b1_0", "0b", "0b2", "0x1F", "0x"),
    *("1", "+1", "-1", "1_000", "_1", "1__", "9" * 40, "0x_", "+0x1g", "12:30", "1:60", "01:30"),
    *("12:30:59", "12:3", "12:", "190:20:30", "190:20:30.15", "1:2.", "0:0.0", "-1:0", "1:2:3_"),
    *("1.", "1.0", ".1", "-.1", "+.1", "1e3", "1.e3", "1.e+3", "1.0e-7", "1.0E+7", "1_0.0_1"),
    *("._1", ".1_", "..1", ".", "..", ".inf", "-.inf", "+.INF", ".Inf", ".iNF", ".nan", ".NaN"),
    *("-.nan", ".NAN", "inf", "nan", "1.2.3", "-", "+", "-1.", "+1.5e+1", "1.5e1", "1.5e+"),
    *("2020-01-01", "2020-1-1", "20-01-01", "2020-01-01T00:00:00Z", "2020-1-1 1:00:00"),
    *("2020-01-01t00:00:00.5 +1", "2020-01-01 \t 00:00:00 -01:30", "2020-01-01 00:00:00.Z"),
    *("2020-01-01T00:00", "2020-01-01T00:00:00ZZ", "2020-01-01 00:00:00 +1:2", "0001-01-01"),
)


def text(rng: random.Random) -> str:
    """One made-up text."""
    return rng.choices(_KINDS, _WEIGHTS)[0](rng)


def long_key(rng: random.Random) -> str:
    """A key about as long as one without question mark may be."""
    size = rng.randint(119, 130)
    kinds = ("k" * size, "k l " * size, "k-" * size, "ü" * size, "k'" * size, f"k{'#: ' * size}")
    return rng.choice(kinds)[:size]


def _word(rng: random.Random) -> str:
    return rng.choice(_WORDS)


def _look_alike(rng: random.Random) -> str:
    found = rng.choice(LOOK_ALIKES)
    change = rng.randrange(8)
    if change == 0:
        return found + rng.choice(_AROUND)
    if change == 1:
        return rng.choice(_AROUND) + found
    if change in {2, 3} and found:
        # In the place of a character, or before it.
        cut = rng.randrange(len(found))
        return found[:cut] + rng.choice(_EDITS) + found[cut + 3 - change :]
    return found


def _fragments(rng: random.Random) -> str:
    groups = (_WORDS, _WORDS, _INDICATORS, _BLANKS, _BREAKS, _SEPARATORS, _ODD)
    kept = rng.sample(groups, rng.randint(1, 4))
    return "".join(rng.choice(rng.choice(kept)) for _ in range(rng.randint(1, 9)))


def _ascii_fragments(rng: random.Random) -> str:
    groups = rng.sample((_WORDS, _INDICATORS, _BLANKS[:5], _BREAKS[:8]), rng.randint(2, 4))
    return "".join(rng.choice(rng.choice(groups)) for _ in range(rng.randint(1, 12)))


def _lines(rng: random.Random) -> str:
    starts = ("", "", "", " ", "  ", "- ", "#")
    ends = ("\n", "\n", "\n", "\n\n", "\n\n\n", "" if rng.random() < 0.7 else " \n")
    made = [
        rng.choice(starts) + _sentence(rng, rng.randint(0, 6)) + rng.choice(ends)
        for _ in range(rng.randint(1, 5))
    ]
    return rng.choice(("", "", "", "\n", "\n\n", " ")) + "".join(made)


def _long(rng: random.Random) -> str:
    """Words for more than a line, with something special here and there."""
    special = rng.choice(
        (("",), ("'",), ('"', "\\"), ("ü", "\t"), ("\n",), ("\n", "\n\n", "\n "), _ODD, ("  ",))
    )
    words = []
    for _ in range(rng.randint(8, 60)):
        word = "w" * rng.choice((1, 2, 3, 5, 8, 8, 13, 21, 85))
        words.append(word + rng.choice(special) if rng.random() < 0.2 else word)
    joined = rng.choice((" ", " ", " ", "\n" if rng.random() < 0.3 else " ", "  ")).join(words)
    return joined + rng.choice(("", "", "", " ", "\n", ": x", "\n\n"))


def _around_the_width(rng: random.Random) -> str:
    """A blank, an escape or an end within a few columns of the width."""
    head = "x" * rng.randint(60, 86)
    if rng.random() < 0.3:
        head = f"{'x' * rng.randint(1, 40)} {head}"
    tails = (
        " y",
        "  y",
        " ",
        "ü",
        " ü y",
        '"',
        "' y",
        "\t\t z",
        "\\ y",
        " y z",
        "\n y",
        "\ny",
        "üüü ",
    )
    return head + "".join(rng.choice(tails) for _ in range(rng.randint(1, 4)))


def _sentence(rng: random.Random, words: int) -> str:
    return " ".join(rng.choice(_WORDS) for _ in range(words))


_KINDS: tuple[Callable[[random.Random], str], ...] = (
    *(_word, _look_alike, _fragments, _ascii_fragments, _lines, _long, _around_the_width),
    lambda rng: _sentence(rng, rng.randint(2, 30)),
)
_WEIGHTS = (5, 3, 3, 4, 3, 2, 2, 2)
