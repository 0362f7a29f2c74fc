"""Texts with references to their parts."""

from __future__ import annotations

from commodore_py.inventory.engine.references import parse
from commodore_py.inventory.engine.values import Reference, Token
from tests.support.tables import each


def shape(text: str) -> object:
    """A parsed text as nested tuples: a reference is a tuple, everything else a text."""
    value = parse(text)
    return tuple(map(_part, value.parts)) if isinstance(value, Token) else value


def _part(part: object) -> object:
    return tuple(map(_part, part.parts)) if isinstance(part, Reference) else part


@each(
    ("text", "expected"),
    [
        ("plain", "plain"),
        ("$HOME {a} } \\ $", "$HOME {a} } \\ $"),
        ("${a:b}", (("a:b",),)),
        ("x${a}y${b}", ("x", ("a",), "y", ("b",))),
        ("${a:${b}:c}", (("a:", ("b",), ":c"),)),
        ("${a::${b}}", (("a::", ("b",)),)),
        (r"\${a}", ("${a}",)),
        (r"\\${a}", ("\\", ("a",))),
        (r"c:\dir\\${a}", ("c:\\dir\\", ("a",))),
        (r"\$[a]", ("$[a]",)),
        (r"a\\b", r"a\\b"),
        (r"${a\}b}", (("a}b",),)),
        (r"${a\\}", (("a\\",),)),
        (r"${\${a\}}", (("${a}",),)),
        ("$${a}", ("$", ("a",))),
    ],
)
def test_a_text_is_read_as(text: str, expected: object) -> None:
    assert shape(text) == expected


@each("text", ["${", "${}", "${a", "a${b${c}", r"${a\}"])
def test_a_reference_that_is_not_closed_is_a_problem(text: str) -> None:
    token = parse(text)

    assert isinstance(token, Token)
    assert "not a valid reference" in token.problem
