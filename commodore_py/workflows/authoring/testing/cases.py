"""The test cases of a component or a package: which there are, and their files."""

from __future__ import annotations

import os
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

from commodore_py.adapters import yaml
from commodore_py.errors import CommodoreError, UsageError
from commodore_py.model.names import shown
from commodore_py.workflows.authoring.folder_kind import empty_folder_error, other_kind_error
from commodore_py.workflows.authoring.templates.record import NoRecord, Record

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from commodore_py.workflows.authoring.folder_kind import Kind

_SUFFIXES = (".yml", ".yaml")
_EXPECTATIONS = ".expect"


@dataclass(frozen=True, slots=True)
class Case:
    """One test case, and its files as far as they are there."""

    name: str
    values: Path
    golden: Path
    expectations: Path | None = None


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


def find_suite(kind: Kind, folder: Path, chosen: Sequence[str] = ()) -> Suite:
    """The cases in a folder, or those whose names match; fails if there are none."""
    directory = folder.resolve()
    tests = directory / "tests"
    files = {path.stem: path for path in sorted(_values_in(tests))}
    record = _record(directory)
    in_workflow = list(_in_workflow(directory / ".github" / "workflows" / "test.yaml"))
    listed = in_workflow or record.get("test_cases", "").split()
    golden = {path.name: path for path in _folders_in(tests / "golden")}
    names = list(dict.fromkeys([*listed, *(name for name in files if name in golden)]))
    if not listed:
        names = list(files)
    cases = {name: _case(tests, name, files.get(name)) for name in names}
    if chosen:
        others = {name: _case(tests, name, path) for name, path in files.items()}
        cases = _chosen({**cases, **others}, chosen)
    if not cases:
        raise (other_kind_error(directory, kind) or empty_folder_error(directory)) or UsageError(
            "there are no test cases",
            where=str(tests),
            hint="create one: an empty tests/defaults.yml is enough",
        )
    for case in cases.values():
        _check_golden(case, directory)
    return Suite(
        directory,
        tuple(cases.values()),
        tuple(path for name, path in golden.items() if name not in {*names, *files}),
        () if chosen else tuple(path for name, path in files.items() if name not in names),
        golden=bool(golden) or record.get("add_golden") != "n",
        name=record.get("slug", ""),
    )


def _case(tests: Path, name: str, values: Path | None) -> Case:
    files = (tests / f"{name}{_EXPECTATIONS}{suffix}" for suffix in _SUFFIXES)
    return Case(
        name,
        values or tests / f"{name}.yml",
        tests / "golden" / name,
        next((file for file in files if file.is_file()), None),
    )


def _check_golden(case: Case, directory: Path) -> None:
    """Refuse expected output elsewhere, as all files there may be replaced."""
    if not Path(os.path.realpath(case.golden)).is_relative_to(directory):
        raise CommodoreError(
            f"the expected output of case {shown(case.name)} is outside of {directory}",
            where=str(case.golden),
            hint="remove the link, or rename the case",
        )


def _chosen(cases: Mapping[str, Case], patterns: Sequence[str]) -> dict[str, Case]:
    found = {
        name: case
        for name, case in cases.items()
        if any(fnmatchcase(name, pattern) for pattern in patterns)
    }
    for pattern in patterns:
        if not any(fnmatchcase(name, pattern) for name in cases):
            raise UsageError(
                f"no test case matches {pattern}",
                hint=f"available: {', '.join(cases) or 'none'}",
            )
    return found


def _values_in(tests: Path) -> Iterator[Path]:
    for path in tests.glob("*"):
        is_values = path.suffix in _SUFFIXES and not path.stem.endswith(_EXPECTATIONS)
        if is_values and not path.name.startswith(".") and path.is_file():
            yield path


def _folders_in(golden: Path) -> Iterator[Path]:
    for path in sorted(golden.glob("*")):
        if path.is_dir() and not path.name.startswith("."):
            yield path


def _record(directory: Path) -> dict[str, str]:
    """Variables of the template, where one made the repository."""
    try:
        variables = Record.read(directory).variables
    except NoRecord:
        return {}
    return {name: value for name, value in variables.items() if isinstance(value, str)}


def _in_workflow(file: Path) -> Iterator[str]:
    """The matrix of instances of the jobs that GitHub runs."""
    try:
        content = yaml.load_file(file)
    except (OSError, CommodoreError):
        return
    jobs = content.get("jobs") if isinstance(content, dict) else None
    for job in jobs.values() if isinstance(jobs, dict) else ():
        found = job
        for key in ("strategy", "matrix", "instance"):
            found = found.get(key) if isinstance(found, dict) else None
        if isinstance(found, list):
            yield from (str(name) for name in found)
