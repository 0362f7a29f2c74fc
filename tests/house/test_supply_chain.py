"""What we are made of: pinned, licensed, listed, and packages that anybody can build again."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.supply_chain import licences
from tests.supply_chain.bill import bill_of_materials
from tests.supply_chain.licences import Accepted, accepted, identifier
from tests.supply_chain.requirements import ROOT, Requirement, read
from tests.supply_chain.vulnerabilities import audit, result
from tests.supply_chain.wheels import built
from tests.support.builders import git

if TYPE_CHECKING:
    from pathlib import Path

_FOUND = '{"id": "X", "fix_versions": ["2"]}'
LARGE = 400_000
LOCKED = sorted((ROOT / "requirements").glob("*.txt"))


@pytest.mark.parametrize("file", LOCKED, ids=lambda file: file.name)
def test_every_requirement_is_pinned_by_hash(file: Path) -> None:
    found = read(file)

    assert found
    assert [one.name for one in found if not one.hashes] == []


def test_a_requirement_that_is_not_pinned_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "loose.txt"
    file.write_text("click>=8\n")

    with pytest.raises(ValueError, match="not a pinned requirement: click>=8"):
        read(file)


def test_no_file_is_large() -> None:
    # A package downloaded by hand was committed once, and every clone would have brought it.
    files = git(ROOT, "ls-files", "-z").split("\0")

    assert [file for file in files if file and (ROOT / file).lstat().st_size > LARGE] == []


def test_all_licences_are_accepted() -> None:
    assert list(licences.problems()) == []


def test_every_exception_has_a_reason() -> None:
    assert [name for name, one in accepted().packages.items() if not one["reason"].strip()] == []


def test_a_licence_that_is_not_accepted_is_reported() -> None:
    click = Requirement("click", "8", "", ())
    nothing = Accepted({}, {})

    assert list(licences.problems([click], nothing)) == ["click 8: BSD-3-Clause is not accepted"]


def test_an_exception_that_nothing_needs_is_reported() -> None:
    (problem,) = licences.problems([], Accepted({}, {"gone": {"licence": "X", "reason": "Y"}}))

    assert problem == "gone is accepted in licences.toml, but not required"


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("MIT", "MIT"),
        ("MIT License", "MIT"),
        ("Apache-2.0 OR BSD-3-Clause", "Apache-2.0 OR BSD-3-Clause"),
        ("(MIT OR Apache 2.0)", "MIT OR Apache-2.0"),
        ("MIT AND GPL-3.0-only", ""),
        ("", ""),
    ],
)
def test_licences_are_recognised_in_their_spellings(written: str, expected: str) -> None:
    assert identifier(written, accepted()) == expected


def test_the_bill_lists_every_requirement_and_is_the_same_each_time() -> None:
    bill = json.loads(bill_of_materials())

    assert [one["name"] for one in bill["components"]] == [one.name for one in read()]
    assert all(one["properties"] for one in bill["components"])
    assert bill_of_materials() == bill_of_materials()


@pytest.mark.slow
def test_packages_are_equal_when_they_are_built_again(tmp_path: Path) -> None:
    first = built(tmp_path / "one", time_zone="UTC", umask=0o022, age=0)
    again = built(tmp_path / "two", time_zone="Asia/Tokyo", umask=0o077, age=10**7)

    assert sorted(name.rpartition(".")[2] for name in first) == ["gz", "whl"]
    assert first == again


@pytest.mark.parametrize(
    ("output", "stderr", "problems", "skipped"),
    [
        ('{"dependencies": [{"name": "a", "version": "1", "vulns": []}]}', "", 0, ""),
        (
            f'{{"dependencies": [{{"name": "a", "version": 1, "vulns": [{_FOUND}]}}]}}',
            "",
            1,
            "",
        ),
        (
            '{"dependencies": [{"name": "a", "skip_reason": "away"}]}',
            "",
            0,
            "1 of 1 packages: away",
        ),
        ("", "x\nno connection\n", 0, "the database cannot be reached: no connection"),
    ],
)
def test_an_audit_says_what_is_known_or_why_nothing_is(
    output: str, stderr: str, problems: int, skipped: str
) -> None:
    found = result(output.encode(), stderr)

    assert (len(found.problems), found.skipped) == (problems, skipped)


def test_an_audit_without_its_program_is_skipped(tmp_path: Path) -> None:
    assert "not installed" in audit(tmp_path / "pip-audit").skipped
