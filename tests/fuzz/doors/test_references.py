"""The door of references: strings with `${...}` in them, however they are nested and chained."""

from __future__ import annotations

from hypothesis import strategies as st

from commodore_py.inventory.engine.classes import ClassFiles
from commodore_py.inventory.engine.render import render_targets
from tests.fuzz.campaign import survives
from tests.fuzz.shapes import as_yaml

PIECES = st.sampled_from(
    [
        *(
            "${",
            "}",
            ":",
            "::",
            "\\",
            "\\\\",
            "$[",
            "$",
            "a",
            "b",
            "c",
            "0",
            "-1",
            "${a}",
            "${b:a}",
        ),
        *("${a:b:c}", "${${a}}", "${a:${b}}", "${c}${c}", "ä\u2028", "\0", "${a::[}", "${a::{}}"),
        *(" ", "="),
    ]
)
TEXTS = st.lists(PIECES, max_size=8).map("".join)
VALUES = st.recursive(
    TEXTS | st.sampled_from([None, 1, True]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["a", "b", "c", "=a", "~b", "${a}"]), inner, max_size=3)
    ),
    max_leaves=12,
)
PARAMETERS = st.dictionaries(st.sampled_from(["a", "b", "c", "~a", "=b"]), VALUES, max_size=4)
CASES = st.tuples(PARAMETERS, PARAMETERS).map(
    lambda layers: [as_yaml({"parameters": layer}) for layer in layers]
)


def feed(layers: list[bytes]) -> None:
    files = {f"c{number}": text for number, text in enumerate(layers)}
    target = {"classes": sorted(files), "parameters": {}}
    render_targets(ClassFiles((), generated=files), {"t": target}, {"t": "t"}, missing_ok=False)


def of(parameters: dict[str, object]) -> list[bytes]:
    return [as_yaml({"parameters": parameters})]


def chain(length: int) -> dict[str, object]:
    return {"x0": "end", **{f"x{n + 1}": f"${{x{n}}}" for n in range(length)}}


def doubling(count: int, start: object) -> dict[str, object]:
    both = "${x%d}${x%d}" if isinstance(start, str) else None
    return {
        "x0": start,
        **{
            f"x{n + 1}": both % (n, n) if both else [f"${{x{n}}}", f"${{x{n}}}"]
            for n in range(count)
        },
    }


def test_references() -> None:
    survives(
        feed,
        CASES,
        of({"a": "${b}", "b": "c"}),
        of({"a": "${" * 500 + "b" + "}" * 500}),
        of({"a": "${" * 50_000}),
        of(chain(5000)),
        of(doubling(40, "x")),
        of(doubling(40, ["x"])),
        of({"a": "${b}", "b": "${a}"}),
    )
