"""The test cases of a component or a package: which there are, and their files."""

from __future__ import annotations

import os
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

from commodore_py.errors import CommodoreError, UsageError
from commodore_py.model.names import shown
from commodore_py.workflows.authoring.templates.kinds import check_case
from commodore_py.workflows.authoring.templates.record import NAME, NoRecord, Record

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_SUFFIXES = (".yml", ".yaml")


@dataclass(frozen=True, slots=True)
class Case:
    """One test case, and its files as far as they exist."""

    name: str
    values: Path
    golden: Path


@dataclass(frozen=True, slots=True)
class Suite:
    """All test cases, and files that belong to none."""

    directory: Path
    cases: tuple[Case, ...]
    orphans: tuple[Path, ...]
    """Folders of expected output without a case."""
    unlisted: tuple[Path, ...]
    """Files in `tests/` that nothing lists as a case."""
    golden: bool
    """Whether every case is to have expected output."""
    name: str
    """The name in the record of the template; empty without one."""


def find_suite(folder: Path, chosen: Sequence[str] = ()) -> Suite:
    """The cases in a folder, or those whose names match; fails if there are none.

    Cases are listed in the record of the template; a file that is not is a case if it has
    expected output. Without a list, every file is a case.
    """
    directory = folder.resolve()
    tests = directory / "tests"
    files = {path.stem: path for path in sorted(_values_in(tests))}
    golden = {
        path.name: path
        for path in sorted((tests / "golden").glob("*"))
        if path.is_dir() and not path.name.startswith(".")
    }
    try:
        record = Record.read(directory)
    except NoRecord:
        record = Record("", "", None, {})
    where = str(directory / NAME)
    listed = [check_case(name, where) for name in record.text("test_cases").split()] or [*files]
    names = list(dict.fromkeys([*listed, *(name for name in files if name in golden)]))
    selected = _chosen(list(dict.fromkeys([*names, *files])), chosen) if chosen else names
    if not selected:
        raise UsageError(
            "there are no test cases",
            where=str(tests),
            hint="create one: an empty tests/defaults.yml is enough",
        )
    return Suite(
        directory,
        tuple(_case(directory, name, files.get(name)) for name in selected),
        tuple(path for name, path in golden.items() if name not in {*names, *files}),
        () if chosen else tuple(path for name, path in files.items() if name not in names),
        golden=bool(golden) or record.text("add_golden") != "n",
        name=record.text("slug"),
    )


def _case(directory: Path, name: str, values: Path | None) -> Case:
    tests = directory / "tests"
    golden = tests / "golden" / name
    # All files there may be replaced.
    if Path(os.path.realpath(golden)).parent != tests / "golden":
        raise CommodoreError(
            f"the expected output of case {shown(name)} is outside of {tests / 'golden'}",
            where=str(golden),
            hint="remove the link, or rename the case",
        )
    return Case(name, values or tests / f"{name}.yml", golden)


def _chosen(names: Sequence[str], patterns: Sequence[str]) -> list[str]:
    for pattern in patterns:
        if not any(fnmatchcase(name, pattern) for name in names):
            raise UsageError(
                f"no test case matches {pattern}",
                hint=f"available: {', '.join(names) or 'none'}",
            )
    return [name for name in names if any(fnmatchcase(name, pattern) for pattern in patterns)]


def _values_in(tests: Path) -> Iterator[Path]:
    for path in tests.glob("*"):
        if path.suffix in _SUFFIXES and not path.name.startswith(".") and path.is_file():
            yield path
