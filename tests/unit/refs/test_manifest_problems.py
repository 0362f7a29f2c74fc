"""References in compiled trees that will not be replaced: without a file, or hidden in base64."""

from __future__ import annotations

import base64
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

import pytest

from commodore_py.model.secrets import ReferenceFile
from commodore_py.model.tree import Entry, Tree
from commodore_py.refs import manifest_problems

if TYPE_CHECKING:
    from commodore_py.model.problem import Problem

KNOWN = (ReferenceFile("a/b", b"", "vaultkv"),)


def problems_in(content: str | bytes) -> tuple[Problem, ...]:
    data = content.encode() if isinstance(content, str) else content
    return manifest_problems({"web": Tree({PurePosixPath("out/s.yaml"): Entry(data)})}, KNOWN)


def encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


@pytest.mark.parametrize("before", ["", "x", "xy", "xyz", "user:pw@", "\x00"])
@pytest.mark.parametrize("after", ["", "x", "xy", "xyz"])
def test_encoded_reference_is_found_however_it_is_aligned(before: str, after: str) -> None:
    data = encoded(f"{before}?{{vaultkv:a/b:12345678}}{after}")

    (notice,) = problems_in(f"data:\n  first: cGxhaW4=\n  password: {data}\n")

    assert "reference ?{vaultkv:a/b:12345678} is base64-encoded" in notice.message
    assert "stringData" in notice.message
    assert (notice.where, notice.strict) == ("target web: out/s.yaml", True)


@pytest.mark.parametrize(
    "tag",
    [
        "?{vaultkv:no/ref}",
        "?{vaultkv:no/ref:12345678}",
        "?{vaultkv:a/b/c}",
        "?{vaultkv:no/ref@x}",
        "?{vaultkv:no/ref||random:str}",
    ],
)
def test_reference_that_no_parameter_has_is_reported(tag: str) -> None:
    (notice,) = problems_in(f"stringData:\n  a: 'before {tag} after'\n  b: {tag}\n")

    assert f"reference {tag} stands in a manifest, but in no parameter" in notice.message
    assert (notice.where, notice.strict) == ("target web: out/s.yaml", True)


@pytest.mark.parametrize(
    "text",
    [
        "?{vaultkv:a/b:12345678}",
        "?{vaultkv:a//b}",
        "?{vaultkv:a/b@c.d:12345678}",
        "?{gkms:no/ref}",
        "?{vaultkv: no }",
        "?{vaultkv:a/b",
        encoded("?{vaultkv:"),
        encoded("no reference"),
        "aaa" + encoded("?{vaultkv:a/b}"),
        b"\x7fELF?{vaultkv:\xff}",
    ],
)
def test_everything_else_is_left_alone(text: str | bytes) -> None:
    assert problems_in(text) == ()
