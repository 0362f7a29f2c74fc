"""Programs in Jsonnet with formats in all places, some of them damaged."""

from __future__ import annotations

from hypothesis import strategies as st

VARIABLES = """\
local o = { a: 'A', b: 2, c: null, d:: 'hidden', f: { g: 'G', a: 1 }, 'h-i': 0.5 };
local list = ['p', 3];
local id(x) = x;
"""

_TEXTS = ["a", "ü", "-", " ", "/* '", "%%"]
_CODES = ["%s", "%s", "%s", "%s", "%d", "%5s", "%-3d", "%.2f", "%x", "%", "%("]
_KEYED = ["%(a)s", "%(a)s", "%(a)s", "%(b)d", "%(d)s", "%(f)s", "%(h-i)s", "%(z)s", "%s", "%(a)5s"]
_ESCAPED = [r"\n", r"\\", r"\'", r"\"", r"\u0025s", r"\%s", "\n"]
_BLANKS = ["", " ", " ", " ", "\n", "\n  ", " /* % ' */ ", " // c, %\n", " # '%s'\n", "\t"]
_PLAIN = [
    *("'x'", '"y"', "1", "0", "2.5", "1e300", "9007199254740993", "null", "true", "$.q"),
    *("o.a", "o.b", "o . f . g", "o['a']", "list[0]", "id('z')", "id(x=3)", "(o.a)", "[1, 'x']"),
    *("std.length(list)", "id(o).f", "list", "list[0:1]", "[]", "{}", "id('t') tailstrict"),
]
_OBJECTS = [
    *("o", "o", "o { a: 'B' }", "{ a: 1, b: 7, d: 'x', f: [], 'h-i': 2 }", "id(o)", "self", "$.q"),
    *("(o + { a: 'C' })", "o.f", "o + { a: 'C' }", "o /* x */ { b+: 1 }"),
]
_UNUSUAL = [
    *("-1", "id", "super.a", "std", "nothing", "error 'e'", "importstr 'x'", "function(x) x"),
    *("[x for x in list]", "[local x = 1, y = 2; x, y]", "if true then 'x' else 'y'", "[1][0]"),
]
_AROUND = [
    *("@", "@", "(@)", "[@]", "[@, @]", "{ k: @ }", "{ [@]: 1 }", "{ k: @, l: self.k }", "id(@)"),
    *("id(x=@)", "@ + @", "'l' + @", "@ == @", "@ % @", "@ * @", "1 - @", "-@", "!@", "@ in o"),
    *("if true then @", "if @ == 'x' then 1 else @", "local y = @; y", "[@ for y in list]"),
    *("[y for y in list if @ != y]", "o[@]", "o { a: @ }", "assert @ != 1; 2", "error @", "@[0]"),
    *("std.length(@)", "{ assert @ != 1, k: 2 }", "{ k+: @ }", "{ k:: @, l: self.k }", "@ < @"),
    *("local std = { type(x): 'string' }; @", "{ ['k' + i]: @ for i in ['1'] }", "@ && true"),
    *(
        "|||\n  @\n|||",
        "'@'",
        "/* @ */ @",
        "@ // @",
        "true || @",
        "@.length",
        "{ local z = @, k: z }",
    ),
]


@st.composite
def _literals(draw: st.DrawFn, codes: list[str]) -> str:
    kind = draw(st.sampled_from(["'", "'", '"', "@'", '@"', "|||"]))
    others = [*_TEXTS, *(_ESCAPED if kind in ("'", '"') and draw(st.booleans()) else [])]
    parts = [draw(st.sampled_from(["", *others]))]
    for code in codes:
        parts += [code, draw(st.sampled_from(["", *others]))]
    body = "".join(parts)
    if kind == "|||":
        indent = draw(st.sampled_from([" ", "  ", "\t"]))
        lines = [body, *draw(st.lists(st.sampled_from([r"\n", '"', "", " x"]), max_size=2))]
        content = "".join(f"{indent}{line}\n" if line else "\n" for line in lines)
        chomped, end = draw(st.sampled_from(["", "-"])), draw(st.sampled_from(["", indent[1:]]))
        return f"|||{chomped}\n{content}{end}|||"
    return f"{kind}{body}{kind[-1]}"


@st.composite
def _formats(draw: st.DrawFn, values: st.SearchStrategy[str]) -> str:
    """A format, mostly with an operand that has what its codes name."""
    form = draw(st.sampled_from(["one", "several", "several", "keyed", "any"]))
    if form == "keyed":
        codes = draw(
            st.lists(st.sampled_from(_KEYED[: draw(st.sampled_from([3, 7, 10]))]), max_size=3)
        )
        operand = draw(st.sampled_from(_OBJECTS))
    else:
        count = 1 if form == "one" else draw(st.integers(1, 3))
        some = st.sampled_from(_CODES[: draw(st.sampled_from([4, 5, 11]))])
        codes = draw(st.lists(some, min_size=count, max_size=count))
        operand = draw(values)
        if form == "several":
            blank = st.sampled_from(_BLANKS)
            elements = [f"{draw(blank)}{draw(values)}{draw(blank)}" for _ in codes]
            end = draw(st.sampled_from(["", "", ",", ", ", ", // x ]\n"]))
            operand = f"[{','.join(elements)}{end}]"
    blanks = st.sampled_from(_BLANKS)
    return f"{draw(_literals(codes))}{draw(blanks)}%{draw(blanks)}{operand}"


def _put(places: str, fillers: list[str]) -> str:
    parts = places.split("@")
    return parts[0] + "".join(
        filler + part for filler, part in zip(fillers, parts[1:], strict=False)
    )


def _grown(smaller: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    pairs = st.lists(smaller, min_size=2, max_size=2)
    return st.one_of(
        _formats(st.one_of(smaller, smaller.map("({})".format))),
        st.builds(_put, st.sampled_from(_AROUND), pairs),
    )


_VALUES = st.one_of(*[st.sampled_from(_PLAIN)] * 6, st.sampled_from([*_OBJECTS, *_UNUSUAL]))
_EXPRESSIONS = st.recursive(st.one_of(_formats(_VALUES), _VALUES), _grown, max_leaves=5)


@st.composite
def programs(draw: st.DrawFn) -> str:
    """An expression with something around it; in one of four, a character is missing or doubled."""
    code = draw(_EXPRESSIONS)
    if draw(st.integers(0, 3)) == 0:
        at = draw(st.integers(0, len(code)))
        code = draw(st.sampled_from([code[:at] + code[at + 1 :], code[:at] + code[at - 1 :]]))
    return f"{VARIABLES}{{ q: 'Q', r: {code} }}"
