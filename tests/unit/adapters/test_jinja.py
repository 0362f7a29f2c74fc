"""Templates cannot take all time and memory; what they cannot do is in golden cases."""

from __future__ import annotations

import re
import resource
from typing import Any

import jinja2
import pytest

from commodore_py.adapters.jinja import Confined, TemplateLimit, rendered
from commodore_py.errors import CommodoreError
from tests.support.tables import each


def render(template: str, loaded: dict[str, str] | None = None, **context: Any) -> str:  # noqa: ANN401 - whatever templates get
    environment = Confined(
        undefined=jinja2.StrictUndefined,
        extensions=["jinja2.ext.do"],
        loader=jinja2.DictLoader(loaded or {}),
    )
    environment.filters["search"] = lambda value, regex: re.search(regex, value)
    return rendered(lambda: environment.from_string(template), context, "a.j2")


ENDLESS = [
    "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}",
    "{% for i in range(10 ** 12) %}{% endfor %}",
    "{% for i in range(10 ** 12) %}{% set x = i %}{% endfor %}",
    "{% for i in items recursive %}{{ loop(items) }}{% endfor %}",
    "{% macro f(x) %}{{ f(x) }}{% endmacro %}{{ f(1) }}",
    "{% macro f(n) %}{% if n %}{{ f(n-1) }}{{ f(n-1) }}{% endif %}{% endmacro %}{{ f(60) }}",
    "{% include 'itself' %}",
    "{% import 'itself' as i %}",
    "{% extends 'itself' %}",
    "{% include 'twice9' %}",
    "{{ lipsum(n=10 ** 9) }}",
    "{{ 9 ** (9 ** 9) }}",
    "{% set ns = namespace(x=3) %}{% for i in range(99) %}{% set ns.x = ns.x * ns.x %}{% endfor %}",
    "{{ 'x' * 10 ** 11 }}",
    "{{ [0] * 10 ** 11 }}",
    "{{ 'x'.center(10 ** 11) }}",
    "{{ 'x'|center(10 ** 11) }}",
    "{{ 'x'|center(100000000000) }}",
    "{{ 'x'.ljust(10 ** 11) }}",
    "{{ '%100000000000d' % 1 }}",
    "{{ '{:>100000000000}'.format(1) }}",
    "{{ range(10 ** 11)|list }}",
    "{{ ('x' * 60)|search('(x+x+)+y') }}",
    "{{ [('x' * 60)]|map('search', '^(x|xx)+y')|list }}",
    (
        "{% set ns = namespace(x='a') %}{% for i in range(60) %}{% set ns.x = ns.x ~ ns.x %}"
        "{% endfor %}"
    ),
    (
        "{% set ns = namespace(x='a') %}{% for i in range(60) %}{% set ns.x = [ns.x, ns.x]|join %}"
        "{% endfor %}"
    ),
    (
        "{% set ns = namespace(x='a') %}{% for i in range(60) %}{% set ns.x %}{{ ns.x }}{{ ns.x }}"
        "{% endset %}{% endfor %}"
    ),
]


@pytest.fixture(autouse=True)
def little_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """A limit of CPU time that is reached soon."""
    monkeypatch.setattr("commodore_py.adapters.jinja._MOST_SECONDS", 0.3)


@each("template", ENDLESS)
def test_endless_template_is_an_error(template: str) -> None:
    twice = {f"twice{n}": f"{{% include 'twice{n - 1}' %}}" * 20 for n in range(1, 10)}
    loaded = {"itself": template, "twice0": "", **twice}

    with pytest.raises(CommodoreError) as raised:
        render(template, loaded, items=[1, 2])

    assert raised.value.where


def test_constants_have_limits_without_our_own_door() -> None:
    environment = Confined()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    with pytest.raises(TemplateLimit, match="more than 512 MiB of memory"):
        environment.from_string("{{ 'a'|center(2000000000)|length }}").render()

    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 1 << 20


def test_loops_are_longer_than_those_of_the_sandbox() -> None:
    assert len(render("{% for i in range(200000) %}x{% endfor %}")) == 200_000


@pytest.mark.long
def test_time_limit_applies_to_each_rendering() -> None:
    template = Confined().from_string("{% for i in range(500000) %}{% endfor %}x")

    texts = {rendered(lambda: template, {}, "a.j2") for _ in range(30)}

    assert texts == {"x"}
