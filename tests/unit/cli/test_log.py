"""One record, formatted for people, programs and GitHub."""

from __future__ import annotations

import json
import logging
from typing import TYPE_CHECKING

import pytest

from commodore_py.cli.output.log import NOTICE, as_github, as_json, as_text, wrapped
from commodore_py.cli.output.streams import styled

if TYPE_CHECKING:
    from pathlib import Path


def record(
    level: int, text: str, *, name: str = "commodore_py.cli", **more: str
) -> logging.LogRecord:
    made = logging.LogRecord(name, level, __file__, 1, text, (), None)
    made.__dict__.update(more)
    return made


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (record(logging.INFO, "done"), [" > done"]),
        (record(logging.INFO, "Work", kind="heading"), ["\x1b[1mWork\x1b[0m"]),
        (record(logging.INFO, "Work", name="commodore_py.pipeline"), ["\x1b[1mWork\x1b[0m"]),
        (record(logging.INFO, "  as it is", kind="plain"), ["  as it is"]),
        (record(logging.DEBUG, "detail", name="commodore_py.refs"), [" > detail"]),
        (
            record(logging.WARNING, "odd", where="a.yml:3", hint="fix it"),
            [
                "\x1b[33mwarning: odd\x1b[0m",
                "  a.yml:3",
                "",
                "\x1b[1mhint:\x1b[0m fix it",
            ],
        ),
        (
            record(logging.ERROR, "bad", where="a\nb", notes="while one\nwhile two", gap="gap"),
            [
                "\x1b[31m\x1b[1merror:\x1b[0m bad",
                "  a",
                "  b",
                "  while one",
                "  while two",
                "",
            ],
        ),
        (
            record(NOTICE, "old", kind="notice", where="a.yml:3"),
            [" > old", "   a.yml:3"],
        ),
    ],
)
def test_people(made: logging.LogRecord, expected: list[str]) -> None:
    assert list(as_text(made)) == expected


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (record(logging.INFO, "done"), {"level": "info", "message": "done"}),
        (record(logging.DEBUG, "x"), {"level": "debug", "message": "x"}),
        (record(NOTICE, "x", kind="notice"), {"level": "notice", "message": "x"}),
        (
            record(logging.ERROR, styled("bad", fg="red"), where="a:1", hint="h"),
            {"level": "error", "message": "bad", "where": "a:1", "hint": "h"},
        ),
    ],
)
def test_programs(made: logging.LogRecord, expected: dict[str, str]) -> None:
    (line,) = as_json(made)

    assert json.loads(line) == {"schema": "log/v1", **expected}


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (record(logging.INFO, "done"), " > done"),
        (record(logging.WARNING, "odd"), "::warning::odd"),
        (record(NOTICE, "old", kind="notice"), "::notice::old"),
        (record(logging.ERROR, "bad", where="a/b.yml:3"), "::error file=a/b.yml,line=3::bad"),
        (record(logging.ERROR, "bad", where="a.yml:3:7"), "::error file=a.yml,line=3,col=7::bad"),
        (
            record(logging.ERROR, "bad", where="a,b.yml:3", hint="50%\nmore"),
            "::error file=a%2Cb.yml,line=3::bad%0A50%25%0Amore",
        ),
        (record(logging.ERROR, "bad", where="parameters.one"), "::error::bad%0Aparameters.one"),
        (
            record(logging.ERROR, "bad", where="https://example.com:443/x"),
            "::error::bad%0Ahttps://example.com:443/x",
        ),
        (record(logging.ERROR, "bad", where="ssh://host:22"), "::error::bad%0Assh://host:22"),
    ],
)
def test_github(made: logging.LogRecord, expected: str) -> None:
    assert list(as_github(made)) == [expected]


def test_addresses_in_notices_stay_whole() -> None:
    address = "https://docs.example.com/" + "a-very-long-name/" * 6

    lines = wrapped(f"See {address} for more. " + "word " * 30)

    assert any(address in line for line in lines)
    assert all(len(line) <= 100 or address in line for line in lines)
    assert lines[0].startswith(" > ")
    assert {line[:3] for line in lines[1:]} == {"   "}


@pytest.mark.parametrize("inside", ["", "job/"])
def test_github_finds_files_in_the_checkout_of_the_job(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, inside: str
) -> None:
    work, job = tmp_path / f"{inside}work", tmp_path / "job"
    classes = work / "inventory/classes/t-one"
    for folder in (classes / "sub", job / "sub"):
        folder.mkdir(parents=True)
        (folder / "same.yml").write_text("same")
        (folder / "other.yml").write_text(str(folder))
    monkeypatch.chdir(work)
    monkeypatch.setenv("GITHUB_WORKSPACE", str(job))
    other = "inventory/classes/t-one/sub/other.yml"
    expected = {
        "inventory/classes/t-one/sub/same.yml": "sub/same.yml",
        f"{classes}/sub/same.yml": "sub/same.yml",
        other: f"work/{other}" if inside else other,
        "missing.yml": "missing.yml",
    }

    for file, named in expected.items():
        (line,) = as_github(record(logging.ERROR, "bad", where=f"{file}:3"))
        assert line == f"::error file={named},line=3::bad"
