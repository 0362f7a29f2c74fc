"""The door of templates: variables, names and files of a repository for cookiecutter."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import strategies as st

from commodore_py.workflows.authoring.templates.cookiecutter import filled, hooks_of, render
from commodore_py.workflows.authoring.templates.record import Record
from tests.fuzz.campaign import survives
from tests.fuzz.shapes import NAMES, as_json, damaged, spoilt

TOP = "{{ cookiecutter.slug }}"
VARIABLES = {
    "name": "{{ cookiecutter.slug }}",
    "slug": "the-component",
    "kind": ["a", "b"],
    "flag": True,
    "nested": {"a": "{{ cookiecutter.name }}"},
    "__hidden": "{{ cookiecutter.slug }}-hidden",
    "_copy_without_render": ["raw/*"],
    "_new_lines": "\n",
}
RECORD = {
    "template": "https://example.com/t.git",
    "commit": "0" * 40,
    "checkout": None,
    "context": {"cookiecutter": {"slug": "x", "_template": "t"}},
    "directory": None,
    "skip": ["a"],
}
EXPRESSIONS = (
    *("{{ 1/0 }}", "{{ [].pop() }}", "{{ 'x'.encode('nope') }}", "{{ range(10**9) }}", "{{", "{%"),
    *("{{ 'a' * 10**10 }}", "{{ ''.__class__.__mro__ }}", "{{ cookiecutter.nope }}", "{% raw %}"),
    *(
        "{% macro f(x) %}{{ f(x) }}{% endmacro %}{{ f(1) }}",
        "{{ lipsum(1000) }}",
        "{% extends x %}",
    ),
    *(
        "{% for i in range(99999) %}{% for j in range(99999) %}x{% endfor %}{% endfor %}",
        "{{ x() }}",
    ),
    *("{% include 'a' %}", "{% import '../../x' as y %}", "{{ cookiecutter|jsonify(-1) }}", "{# "),
    *(
        "{{ random_ascii_string(10**9) }}",
        "{{ '%999999999d' % 1 }}",
        "{{ 9**9**9 }}",
        "{{ 1|int(0) }}",
    ),
    *("{{ '{:>9999999999}'.format(1) }}", "{{ 'x'|center(10**10) }}", "{{ cookiecutter|pprint }}"),
    *(
        "{{ (1).__class__ }}",
        "{{ namespace(a=1).a }}",
        "{{ joiner()() }}",
        "{% set a = 1 %}{{ a }}",
    ),
    *(
        "{{ 'a'|replace('', 'b'*1000)|replace('', 'b'*1000)|replace('', 'b'*1000) }}",
        "{{ dict() }}",
    ),
    *(
        "{{ cookiecutter|tojson }}",
        "{{ 'ä'|slugify }}",
        "{{ 5|slugify }}",
        "{{ []|first }}",
        "{{ a.b.c }}",
    ),
    *("{{ '1' * 5000 |int }}", "{{ ('9' * 5000)|int }}", "{{ 10**4000 * 10**4000 }}", "plain"),
)
TEXTS = st.one_of(
    st.sampled_from(EXPRESSIONS), st.lists(st.sampled_from(EXPRESSIONS), max_size=3).map("".join)
)
FILES = st.dictionaries(
    st.one_of(
        st.sampled_from(["a", "d/b", "raw/c", "{{ cookiecutter.name }}"]),
        st.sampled_from(NAMES),
        TEXTS,
    ),
    st.one_of(
        TEXTS.map(str.encode), spoilt([b"# {{ cookiecutter.name }}\r\n", b"\0{{", b"\xff{{"])
    ),
    max_size=3,
)
CASES = st.tuples(
    st.one_of(
        damaged(VARIABLES).map(as_json),
        spoilt([as_json(VARIABLES)]),
        st.builds(
            lambda texts: as_json({**VARIABLES, **texts}),
            st.dictionaries(st.sampled_from(["slug", "name", "x"]), TEXTS, max_size=2),
        ),
    ),
    FILES,
)


def feed(case: tuple[bytes, dict[str, bytes]]) -> None:
    variables, files = case
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        top = folder / TOP
        top.mkdir()
        (folder / "cookiecutter.json").write_bytes(variables)
        for written, content in files.items():
            file = top / written.lstrip("/")
            try:
                if file.resolve().is_relative_to(top) and file != top:
                    file.parent.mkdir(parents=True, exist_ok=True)
                    file.write_bytes(content)
            except (OSError, ValueError, RuntimeError):  # Git could not have such a name either
                continue
        hooks_of(folder)
        tree = render(folder, filled(folder, {"name": "n"}))
        for path in tree:
            assert not path.is_absolute()
            assert ".." not in path.parts
            assert ".git" not in [part.lower() for part in path.parts]
            assert "\0" not in str(path)


def feed_record(content: bytes) -> None:
    with tempfile.TemporaryDirectory() as name:
        Path(name, ".cruft.json").write_bytes(content)
        Record.read(Path(name))


def test_templates() -> None:
    variables = as_json(VARIABLES)
    survives(
        feed,
        CASES,
        (variables, {"a": b"{{ cookiecutter.name }}"}),
        *((variables, {"a": text.encode()}) for text in EXPRESSIONS),
        *((as_json({**VARIABLES, "x": text}), {}) for text in EXPRESSIONS[:12]),
        (as_json({**VARIABLES, "name": "x" * 300}), {"{{ cookiecutter.name }}": b""}),
        (as_json({**VARIABLES, "name": "a\0b"}), {"{{ cookiecutter.name }}": b""}),
        (as_json({**VARIABLES, "name": ".Git"}), {"{{ cookiecutter.name }}": b""}),
        (b"[" * 100_000, {}),
        (b'{"a": ' + b"9" * 5000 + b"}", {}),
        (b'{"slug": "x", "a": ' + b"[" * 900 + b"]" * 900 + b"}", {}),
        (as_json({**VARIABLES, "_jinja2_env_vars": {"extensions": ["antigravity.X"]}}), {}),
        (as_json({**VARIABLES, "_jinja2_env_vars": {"block_start_string": "{{"}}), {}),
    )


def test_templates_of_repositories() -> None:
    survives(
        feed_record,
        st.one_of(damaged(RECORD).map(as_json), spoilt([as_json(RECORD)])),
        as_json(RECORD),
        b"[" * 100_000,
        b"9" * 5000,
    )
