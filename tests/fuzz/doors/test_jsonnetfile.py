"""The door of jsonnetfiles: lists of required Jsonnet libraries, and the remotes in them."""

from __future__ import annotations

from hypothesis import strategies as st

from commodore_py.dependencies.jsonnet.jsonnetfile import format_jsonnetfile, parse_jsonnetfile
from commodore_py.errors import CommodoreError
from tests.fuzz.campaign import survives
from tests.fuzz.shapes import as_json, damaged, spoilt

VALID = {
    "version": 1,
    "dependencies": [
        {
            "source": {"git": {"remote": "https://example.com/o/r.git", "subdir": "lib/x"}},
            "version": "master",
            "sum": "abc=",
            "name": "x",
        },
        {"source": {"local": {"directory": "../lib"}}, "version": "", "single": True},
        {"source": {"git": {"remote": "git@example.com:o/r.git", "subdir": ""}}, "version": "v1"},
    ],
    "legacyImports": False,
}
SEEDS = [as_json(VALID), b'{"version": 0, "dependencies": [], "dependencies": null}\n', b"{}"]


def feed(content: bytes) -> None:
    found = parse_jsonnetfile(content, "jsonnetfile.json")
    for one in found.requirements:
        assert "\0" not in str(one.source), "it ends in a path"
    format_jsonnetfile(
        [{"version": one.version} for one in found.requirements], legacy_imports=True
    )


def test_jsonnetfile() -> None:
    survives(
        feed,
        st.one_of(spoilt(SEEDS), damaged(VALID).map(as_json)),
        *SEEDS,
        b"[" * 100_000,
        b'{"dependencies": ' + b"[" * 100_000,
        b'{"version": ' + b"9" * 5000 + b"}",
        b'{"dependencies": [{"version": 1' + b"0" * 5000 + b"}]}",
        b"\xef\xbb\xbf{}",
    )


def test_remotes_are_errors_or_names_below_vendor() -> None:
    for text in ("https://example.com/../../x.git", "git@a.b:../../../x/y.git"):
        content = as_json({"dependencies": [{"source": {"git": {"remote": text}}}]})
        try:
            (found,) = parse_jsonnetfile(content, "f").requirements
        except CommodoreError:
            continue
        assert found.source is not None
