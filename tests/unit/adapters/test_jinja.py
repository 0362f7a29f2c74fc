"""Templates cannot leave Jinja's sandbox, nor take all time and memory; errors have places."""

from __future__ import annotations

import json
import re
import resource
from typing import TYPE_CHECKING, Any

import jinja2
import pytest

from commodore_py.adapters.jinja import Confined, TemplateLimit, rendered
from commodore_py.errors import CommodoreError
from tests.support.tables import each

if TYPE_CHECKING:
    from pathlib import Path


def render(template: str, loaded: dict[str, str] | None = None, **context: Any) -> str:  # noqa: ANN401 - whatever templates get
    environment = Confined(
        undefined=jinja2.StrictUndefined,
        extensions=["jinja2.ext.do"],
        loader=jinja2.DictLoader(loaded or {}),
    )
    environment.filters["search"] = lambda value, regex: re.search(regex, value)
    return rendered(lambda: environment.from_string(template), context, "a.j2")


ESCAPES = [
    "{{ ''.__class__ }}",
    "{{ ''['__class__'].__mro__ }}",
    "{{ ''|attr('__class__') }}",
    "{{ ''|attr('__cl' ~ 'ass__') }}",
    "{{ [''|attr('__class__')]|first }}",
    "{{ '{0.__class__.__init__.__globals__}'.format(1) }}",
    "{{ '{x.__class__}'.format_map({'x': 1}) }}",
    "{{ 'x'.format.__self__ }}",
    "{{ cycler.__init__.__globals__.os.system('touch ran') }}",
    "{{ namespace.__init__.__globals__ }}",
    "{{ lipsum.__globals__['os'].popen('touch ran').read() }}",
    "{{ self.__init__.__globals__ }}",
    "{{ self._TemplateReference__context.environment }}",
    "{{ joiner.__init__.__globals__.__builtins__.open('ran', 'w') }}",
    "{{ dict.__base__.__subclasses__() }}",
    "{{ range.__class__.__base__ }}",
    "{{ (1).__class__.__base__.__subclasses__()[0] }}",
    "{% for c in ().__class__.__base__.__subclasses__() %}{{ c }}{% endfor %}",
    "{% set x = ''.__class__ %}{{ x.__mro__ }}",
    "{{ f.__globals__ }}",
    "{{ f.__code__ }}",
    "{{ g.gi_frame }}",
    "{{ g.gi_frame.f_globals }}",
    "{{ url_for.__globals__ }}",
    "{{ caller.__globals__ }}",
    "{% macro m() %}{{ caller.__class__ }}{% endmacro %}{% call m() %}{% endcall %}",
    "{{ m.__class__ }}{% macro m() %}{% endmacro %}",
    "{% import 'other' as o %}{{ o.__dict__['x'].__class__ }}",
    "{{ ''.mro() }}",
    "{{ f.func_globals }}",
]


@each("template", ESCAPES)
def test_template_cannot_leave_sandbox(
    template: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    generator = (one for one in range(3))

    with pytest.raises(CommodoreError) as raised:
        render(template, {"other": "{% set x = 1 %}"}, f=render, g=generator)

    assert raised.value.where.startswith("a.j2")
    assert list(tmp_path.iterdir()) == []


PROBLEMS = [
    "{{ 1/0 }}",
    "{{ [].pop() }}",
    "{{ {}.popitem() }}",
    "{{ 'x'.encode('nope') }}",
    "{{ 'x'.index('y') }}",
    "{{ none.x }}",
    "{{ missing }}",
    "{{ [1, 'a']|sort }}",
    "{{ 1 + 'a' }}",
    "{{ 1|nofilter }}",
    "{{ 1 is notest }}",
    "{% include 'nowhere' %}",
    "{% extends none %}",
    "{{ undefined_function() }}",
    "{% for x in 5 %}{% endfor %}",
    "{{",
    "{% if %}",
    "{% endfor %}",
    "{{ '%d' % 'x' }}",
    "{{ 'ab'[9:].x.y }}",
    "{{ f() }}",
    "{{ 10 ** 5000 }}",
]


@each("template", PROBLEMS)
def test_template_problem_is_error_with_line(template: str) -> None:
    def fails() -> None:
        raise KeyError("inside")

    with pytest.raises(CommodoreError) as raised:
        render(f"first\n{template}\n", f=fails)

    assert raised.value.where == "a.j2:2"
    assert "template" in str(raised.value)


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


def test_template_language_features_are_available() -> None:
    template = (
        "{% set found = [] %}{% for x in items if x > 1 %}{% do found.append(x) %}"
        "{{ loop.index }}/{{ loop.length }}{% if not loop.last %},{% endif %}{% else %}none"
        "{% endfor %} {{ found|join('+') }} {{ '%03d' % 7 }} {{ 'a' * 3 }} {{ 2 ** 8 }}"
        " {{ '{:>4}'.format(1) }} {{ {'a': 1}.items()|list }} {{ lipsum(n=1)|length > 5 }}"
        " {% for i in range(3) recursive %}{{ i }}{% endfor %}"
    )

    text = render(template, items=[1, 2, 3])

    assert text == "1/2,2/2 2+3 007 aaa 256    1 [('a', 1)] True 012"


def test_constants_have_limits_without_our_own_door() -> None:
    environment = Confined()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    with pytest.raises(TemplateLimit, match="more than 512 MiB of memory"):
        environment.from_string("{{ 'a'|center(2000000000)|length }}").render()

    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 1 << 20


def test_loops_are_longer_than_those_of_the_sandbox() -> None:
    assert len(render("{% for i in range(200000) %}x{% endfor %}")) == 200_000


def test_time_limit_applies_to_each_rendering() -> None:
    template = Confined().from_string("{% for i in range(500000) %}{% endfor %}x")

    texts = {rendered(lambda: template, {}, "a.j2") for _ in range(30)}

    assert texts == {"x"}


def test_tojson_renders_nested_values() -> None:
    assert json.loads(render("{{ x|tojson }}", x={"a": [1, None]})) == {"a": [1, None]}
