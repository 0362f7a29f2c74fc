"""`-d KEY=VALUE`, item by item."""

from __future__ import annotations

from typing import Any

import pytest

from commodore_py.cli.settings.dynamic_facts import parse


@pytest.mark.parametrize(
    ("items", "facts", "problems"),
    [
        ([], {}, []),
        (["k=v"], {"k": "v"}, []),
        (["k=v=x"], {"k": "v=x"}, []),
        (["a.b.c=v"], {"a": {"b": {"c": "v"}}}, []),
        (["k=1"], {"k": "1"}, []),
        (['k=json:{"a": [1]}'], {"k": {"a": [1]}}, []),
        (['e=json:""'], {"e": ""}, []),
        (["k=json:false"], {"k": False}, []),
        (["nope"], {}, ["'nope' is ignored: expected KEY=VALUE"]),
        (["=x"], {}, ["'=x' is ignored: key and value must not be empty"]),
        (["e="], {}, ["'e=' is ignored: key and value must not be empty"]),
        (["a..b=x"], {}, ["'a..b=x' is ignored: a part of the key is empty"]),
        ([".a=x"], {}, ["'.a=x' is ignored: a part of the key is empty"]),
        (["a.=x"], {}, ["'a.=x' is ignored: a part of the key is empty"]),
        (["k=json:{"], {}, ["'k=json:{' is ignored: not valid JSON"]),
        (["a.b=json:{"], {}, ["'a.b=json:{' is ignored: not valid JSON"]),
        (["k=json:null"], {}, ["'k=json:null' is ignored: null is not"]),
        (["a=x", "a.b=y"], {"a": "x"}, ["'a.b=y' is ignored: a is already 'x', not a mapping"]),
        (["a=1", "a=2"], {"a": "2"}, ["a: '2' replaces '1'"]),
        (
            ["a.b=1", 'a=json:{"c":2}'],
            {"a": {"c": 2}},
            ["a: {'c': 2} replaces {'b': '1'}"],
        ),
        (["a.b=1", "a.c=2"], {"a": {"b": "1", "c": "2"}}, []),
    ],
)
def test_every_item_is_used_or_reported(
    items: list[str], facts: dict[str, Any], problems: list[str]
) -> None:
    parsed = parse(items)

    assert parsed.facts == facts
    assert len(parsed.warnings) == len(problems)
    for warning, problem in zip(parsed.warnings, problems, strict=True):
        assert warning.startswith(f"dynamic fact {problem}")
