"""The door of classes: files of the hierarchy, loaded, merged, resolved, and linted."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import strategies as st

from commodore_py.inventory.engine.classes import ClassFiles
from commodore_py.inventory.engine.render import render_targets
from commodore_py.inventory.lint import LINTERS, lint
from tests.fuzz.campaign import survives
from tests.fuzz.shapes import as_yaml, damaged, spoilt

VALID = {
    "classes": ["b", ".c", "..a.c"],
    "applications": ["one", "two as three", "~four"],
    "parameters": {
        "one": {"url": "https://example.com", "version": "v1", "=constant": 1, "~over": [1]},
        "components": {"one": {"url": "https://example.com/one.git", "version": "master"}},
        "two": {"text": "${one:url}/${one:version}", "list": ["${one:over}", 5, None, 1.5]},
    },
}
SEEDS = [
    as_yaml(VALID),
    b"classes: [b]\napplications:\n- a\nparameters:\n  a: &x {b: 1}\n  c:\n    <<: *x\n    d: *x\n",
    b"# c\nparameters:\n  a: |\n    text\n  b: >-\n    more\n  ${x}: 'y'\n",
    b"{}\n",
]
FILES = st.one_of(spoilt(SEEDS), damaged(VALID).map(as_yaml))
CASES = st.fixed_dictionaries({"a": FILES, "b": FILES, "a.c": FILES})


def feed(files: dict[str, bytes]) -> None:
    for name, text in files.items():
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, f"{name}.yml").write_bytes(text)
            lint([Path(folder)], list(LINTERS))
    classes = ClassFiles((), generated=files)
    target = {"classes": ["a", "b"], "parameters": {"_instance": "t"}}
    render_targets(classes, {"t": target}, {"t": "t.yml"}, missing_ok=False)


def of(text: bytes) -> dict[str, bytes]:
    return {"a": text, "b": b"", "a.c": b""}


def test_classes() -> None:
    deep = b"parameters:\n  a: "
    survives(
        feed,
        CASES,
        of(b"parameters: {a: 1}"),
        of(deep + b"[" * 100_000),
        of(deep + b"[" * 100_000 + b"]" * 100_000),
        of(b"".join(b" " * level + b"a:\n" for level in range(3000))),
        of(deep + b"9" * 5000),
        of(deep + b"9" * 100_000),
        of(deep + b"x\0y"),
        of(b"a: &a [*a, *a]\nparameters: {b: *a}"),
        of(
            b"x0: &x0 [lol]\n"
            + b"".join(b"x%d: &x%d [%s]\n" % (n + 1, n + 1, b"*x%d," % n * 10) for n in range(9))
            + b"parameters: {a: *x9}\n"
        ),
        {"a": b"classes: [b]", "b": b"classes: [a]", "a.c": b""},
    )
