"""References resolved against the parameters of a target."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from commodore_py.errors import CommodoreError
from commodore_py.inventory.engine.classes import ClassFiles
from commodore_py.inventory.engine.render import Engine
from tests.support.tables import each

if TYPE_CHECKING:
    from commodore_py.model.inventory import Parameters

PARAMETERS = r"""
parameters:
  text: abc
  null_: null
  yes_: true
  int: 12
  float: 1e16
  list: [1, a, null, true]
  map: {b: 1, a: [x], ü: é}
  key: map
  path: map:b
"""


def resolved(text: str, more: str = "") -> object:
    """What a parameter with this text comes to."""
    return rendered(f"{PARAMETERS}  k: '{text}'\n{more}")["k"]


def rendered(*classes: str) -> Parameters:
    """The parameters of a target with these classes."""
    generated = {f"c{n}": text.encode() for n, text in enumerate(classes)}
    engine = Engine(ClassFiles((), generated=generated), missing_ok=False)
    return engine.render("t", {"classes": list(generated), "parameters": {}}, "").parameters


@each(
    ("text", "expected"),
    [
        ("${int}", 12),
        ("${null_}", None),
        ("${list}", [1, "a", None, True]),
        ("${map:b}", 1),
        ("${_reclass_:name:short}", "t"),
        ("<${text}>", "<abc>"),
        ("<${null_}>", "<null>"),
        ("<${yes_}>", "<True>"),
        ("<${int}>", "<12>"),
        ("<${float}>", "<1e16>"),
        ("<${list}>", '<[1.0,"a",null,true]>'),
        ("<${map}>", '<{"a":["x"],"b":1.0,"ü":"é"}>'),
        ("${${key}:b}", 1),
        ("${${path}}", 1),
        ("${nope::[1,2]}", [1, 2]),
        ("${nope::yes}", "yes"),
        ("${nope::}", None),
        ("${nope::${list}}", [1.0, "a", None, True]),
        ("${map:nope::x}", "x"),
        ("${int::x}", 12),
        ("<${nope::1.0}>", "<1.0>"),
        (r"\${int}", "${int}"),
        (r"\\${int}", "\\12"),
    ],
)
def test_a_reference_stands_for(text: str, expected: object) -> None:
    value = resolved(text)

    assert (type(value), value) == (type(expected), expected)


@each(
    ("text", "message"),
    [
        ("${nope}", "key nope not found"),
        ("${map:nope:x}", "key nope not found"),
        ("${k}", "loop: ${k} -> ${k}"),
        ("${list:0}", "list is a list"),
        ("${text:x::default}", "text is a string"),
        ("${open", "not a valid reference"),
        ("${nope::[1}", "not valid"),
        ("${nope::18446744073709551616}", "64 bits"),
    ],
)
def test_what_cannot_be_resolved_is_explained(text: str, message: str) -> None:
    with pytest.raises(CommodoreError) as refused:
        resolved(text)

    assert message in str(refused.value)
    assert "parameters.k" in refused.value.where


def test_a_chain_of_references_ends_after_64_wherever_it_is_begun() -> None:
    chain = [f"  p{n}: ${{p{n + 1}}}\n" for n in range(64)] + ["  p64: end\n"]

    assert resolved("${p1}", "".join(reversed(chain))) == "end"
    with pytest.raises(CommodoreError, match="deeper than 64"):
        resolved("${p0}", "".join(reversed(chain)))


def test_references_that_fail_are_not_tried_again_and_again() -> None:
    # Two layers each: tried again for every layer above, they would be tried 2 ** 60 times.
    chain = "".join(f"  p{n}: ${{p{n + 1}}}\n" for n in range(60))
    layer = f"parameters:\n{chain}"

    with pytest.raises(CommodoreError, match="60 problems"):
        rendered(layer, f"# again\n{layer}")
