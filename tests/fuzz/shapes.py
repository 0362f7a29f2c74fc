"""Odd content: damaged copies of valid values and files, and what nobody expects in them."""

from __future__ import annotations

import copy
import json
import re
from typing import TYPE_CHECKING, Any

import yaml
from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hypothesis.strategies import DrawFn, SearchStrategy

# What is too large to be drawn stands as `@kind:number@` in a value, and is written out at last.
_LARGE = re.compile(r"""(?:"|')@(deep|map|huge|long):(\d+)@(?:"|')""")
# More is among the cases that are always tried: it takes most of the time.
_DEPTHS = (20, 200, 900, 1100, 5000)

NAMES = (
    "a",
    "",
    ".",
    "..",
    "../../x",
    "/etc/hostname",
    "a/../../b",
    ".git",
    ".GIT/config",
    "a\0b",
    "a\nb",
    "\x1b[31mred",
    "-rf",
    "::error file=x::y",
    "ä" * 200,
    "x" * 300,
    "a/" * 200 + "a",
    "con.\u2028",
    "\ufeffa",
    "a\\b",
    "~",
    "${a}",
    "{{ a }}",
    "?{vaultkv:a/b}",
)
"""Names of files, keys, versions and the like."""

ODD: SearchStrategy[Any] = st.one_of(
    st.sampled_from(NAMES),
    st.sampled_from([None, True, False, 0, -1, 1, 1.5, 2**63, 2**64, -(2**70), 1e308]),
    st.sampled_from([float("inf"), float("-inf"), float("nan"), "\ud800", "=", "<<", "2020-13-45"]),
    st.sampled_from([f"@{kind}:{depth}@" for kind in ("deep", "map") for depth in _DEPTHS]),
    st.sampled_from(["@huge:4000@", "@huge:5000@", "@long:5000@", "@long:200000@"]),
    st.text(max_size=8),
    st.sampled_from([[], {}, [[]], [{}], {"a": None}, ["a", 1, None], {"": ""}]),
)
"""What stands where something else is expected."""

TOKENS = (
    *(b"\0", b"\x1b[2J", b"\xff\xfe", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\xc3", b"\r\n", b"\r"),
    *("\u2028\u0085\u00a0".encode(), b"\t", b"  ", b"\n", b"\n\n---\n", b"\n...\n", b"%YAML 9.9\n"),
    *(
        b"&a ",
        b"*a",
        b"&a [*a]",
        b"<<: *a\n",
        b"? ",
        b": ",
        b"- ",
        b"!!python/object:a ",
        b"!!int ",
    ),
    *(
        b"!!binary ",
        b"!!timestamp ",
        b"!!set ",
        b"!!omap ",
        b"!x ",
        b"| ",
        b">+2 ",
        b"#",
        b"@",
        b"`",
    ),
    *(b"[", b"]", b"{", b"}", b'"', b"'", b",", b"[" * 2000, b"{a: " * 2000, b"- " * 2000),
    *(b"[" * 10_000, b"9" * 5000, b"1e999", b"-0x1F", b"0o7", b".inf", b"12:30:45", b"2020-13-45"),
    *(b"${a}", b"${a:b}", b"${${a}}", b"\\${", b"${", b"$[", b"?{vaultkv:a/b}", b"{{ a }}", b"{% "),
    *(b"null", b"~", b"true", b"=", b"a: 1\na: 2\n", b"a" * 70_000, b"../" * 30, b"/dev/zero"),
)
"""What means something to a parser, and what is hard to read."""


def spoilt(seeds: Sequence[bytes]) -> SearchStrategy[bytes]:
    """A file from one that is valid, with some bytes changed."""

    @st.composite
    def file(draw: DrawFn) -> bytes:
        text = draw(st.sampled_from(seeds))
        for _ in range(draw(st.integers(0, 4))):
            start, end = _span(draw, len(text))
            middle = _spoilt(draw, text[start:end], seeds)
            text = text[:start] + middle[: 4 << 20] + text[end:]
        return text

    return file()  # a strategy with seeds as arguments would show them in its name


def _spoilt(draw: DrawFn, part: bytes, seeds: Sequence[bytes]) -> bytes:
    match draw(st.integers(0, 3)):
        case 0:
            return draw(st.sampled_from([b"", part])) + draw(st.sampled_from(TOKENS))
        case 1:
            return part * draw(st.sampled_from([0, 2, 10, 1000]))
        case 2:
            return part + draw(st.sampled_from(seeds))
        case _:
            return draw(st.just(part.replace(b"\n", b"\r\n")) | st.binary(max_size=8))


@st.composite
def damaged(draw: DrawFn, valid: Any) -> Any:  # noqa: ANN401 - any shape of data
    """A value from one that is valid, with other values at a few places."""
    holder = [copy.deepcopy(valid)]
    for _ in range(draw(st.integers(0, 3))):
        _damage(draw, holder)
    return holder[0]


def as_json(value: object) -> bytes:
    """JSON, with what is large written out."""
    return _LARGE.sub(_large, json.dumps(value)).encode(errors="surrogatepass")


def as_yaml(value: object) -> bytes:
    """YAML, with what is large written out."""
    try:
        text = yaml.dump(value, Dumper=yaml.CSafeDumper, width=10**6)
    except UnicodeEncodeError:  # surrogates
        return as_json(value)
    return _LARGE.sub(_large, text).encode(errors="surrogatepass")


def as_value(value: Any, *, most: int = 10**6) -> Any:  # noqa: ANN401 - any shape of data
    """The value itself, with what is large made; for the process that is fed with it."""
    match value:
        case dict():
            return {key: as_value(inner, most=most) for key, inner in value.items()}
        case list():
            return [as_value(inner, most=most) for inner in value]
        case str() if found := _LARGE.fullmatch(f'"{value}"'):
            return _made(found[1], min(most, int(found[2])))
    return value


def _made(kind: str, count: int) -> object:
    if kind == "huge":
        return 10**count
    if kind == "long":
        return "x" * count
    value: object = 1
    for _ in range(count):
        value = [value] if kind == "deep" else {"a": value}
    return value


def _large(found: re.Match[str]) -> str:
    count = int(found[2])
    match found[1]:
        case "deep":
            return "[" * count + "]" * count
        case "map":
            return '{"a": ' * count + "1" + "}" * count
        case "huge":
            return "9" * count
    return '"' + "x" * count + '"'


def _span(draw: DrawFn, length: int) -> tuple[int, int]:
    start = draw(st.integers(0, length))
    return start, min(length, start + draw(st.sampled_from([0, 0, 1, 2, 5, 20, 100])))


def _damage(draw: DrawFn, holder: list[Any]) -> None:
    """Change one place: on the way down from the root, stop somewhere."""
    above: Any = holder
    key: Any = 0
    while True:
        here = above[key]
        if not isinstance(here, dict | list) or not here or not draw(st.integers(0, 4)):
            break
        inner = list(here) if isinstance(here, dict) else list(range(len(here)))
        above, key = here, draw(st.sampled_from(inner))
    match draw(st.integers(0, 4)):
        case 0 if isinstance(above, dict):
            del above[key]
        case 1 if isinstance(above, dict):
            above[draw(st.sampled_from(NAMES))] = above.pop(key)
        case 2:
            above[key] = draw(st.sampled_from([[above[key]], {"a": above[key]}]))
        case 3 if isinstance(above, list) and above is not holder:
            above.insert(key, copy.deepcopy(draw(ODD)))
        case _:
            above[key] = copy.deepcopy(draw(ODD))  # it may be changed in turn
