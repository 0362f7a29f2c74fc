"""The rows of the specification are in shape, and the report about them finds what it should."""

import json
import re
import shutil
import subprocess
import sys
import tomllib
from collections import Counter
from functools import cache
from pathlib import Path
from textwrap import dedent

import pytest

from tests.spec_report import (
    CODE,
    ROOT,
    ROWS,
    TESTS,
    Report,
    Row,
    Stub,
    as_text,
    load_files,
    load_not_begun,
    load_rows,
    rows_tested,
    stubs_left,
)

SPEC = ROOT.parent / "shared" / "spec"
EXIT_CODES = {0, 1, 2, 3, 4, 5, 6, 7, 127, 130}
FIELDS = {"id": str, "when": str, "exit": int, "says": str, "peer": str}


def test_every_row_has_every_field_in_its_type() -> None:
    for fields in tomllib.loads(ROWS.read_text("utf-8"))["row"]:
        types = {name: type(value) for name, value in fields.items()}

        assert types == FIELDS, fields


@cache
def gaps(file: str) -> list[list[int]]:
    """The first and last row of each part in between that is not begun."""
    found: list[list[int]] = tomllib.loads(ROWS.read_text("utf-8"))["not_begun_rows"].get(file, [])
    return found


def not_begun_within(file: str) -> int:
    return sum(last - first + 1 for first, last in gaps(file))


def test_ids_are_counted_through_each_file_in_order() -> None:
    rows = load_rows(ROWS)
    totals = Counter(row.file for row in rows)

    expected = [
        f"{file}.{number:0{max(2, len(str(totals[file])))}}"
        for file in load_files(ROWS)
        for number in range(1, totals[file] + not_begun_within(file) + 1)
        if not any(first <= number <= last for first, last in gaps(file))
    ]

    assert [row.id for row in rows] == expected


def test_every_row_names_a_known_exit_code_and_standing() -> None:
    rows = load_rows(ROWS)

    assert {row.exit for row in rows} <= EXIT_CODES
    assert {row.peer for row in rows} <= {"same", "better", "differs"}


def test_no_failure_goes_without_a_word() -> None:
    assert [row.id for row in load_rows(ROWS) if row.exit != 0 and not row.says.strip()] == []
    assert [row.id for row in load_rows(ROWS) if not row.when.strip()] == []


def test_every_mark_names_a_row() -> None:
    report = Report(load_files(ROWS), load_rows(ROWS), rows_tested(TESTS), stubs_left(CODE))

    assert report.unknown == {}


def test_every_row_of_the_specification_has_an_entry() -> None:
    if not SPEC.is_dir():
        pytest.skip("put the specification beside the project, as ../shared/spec/NN-*.md")

    not_begun = load_not_begun(ROWS).values()
    expected = {
        path.name: len(edge_cases(path.read_text("utf-8")))
        for path in sorted(SPEC.glob("*.md"))
        if path.name not in not_begun
    }

    later = tomllib.loads(ROWS.read_text("utf-8"))["not_begun_from"]
    for number, name in load_files(ROWS).items():
        expected[name] = min(expected[name], later.get(number, expected[name] + 1) - 1)

    entries = Counter(row.file for row in load_rows(ROWS))
    begun = {name: entries[number] for number, name in load_files(ROWS).items()}
    gaps_in = {name: not_begun_within(number) for number, name in load_files(ROWS).items()}
    assert {name: begun[name] + gaps_in[name] for name in begun} == expected


def test_a_file_that_is_not_begun_has_no_rows() -> None:
    not_begun = load_not_begun(ROWS)

    assert not_begun.keys() & load_files(ROWS).keys() == set()
    assert not_begun.keys() & {row.file for row in load_rows(ROWS)} == set()
    if SPEC.is_dir():
        assert set(not_begun.values()) <= {path.name for path in SPEC.glob("*.md")}


def edge_cases(text: str) -> list[str]:
    """The rows of the tables below the heading of edge cases, up to the next heading."""
    section = re.split(
        r"^## ", text.partition("\n## Edge cases and errors\n")[2], flags=re.MULTILINE
    )[0]
    rows: list[str] = []
    in_body = False
    for line in section.splitlines():
        if re.fullmatch(r"\|[-:| ]+\|", line):
            in_body = True
        elif not line.startswith("|"):
            in_body = False
        elif in_body:
            rows.append(line)
    return rows


def test_edge_cases_are_counted_by_line_whatever_pipes_they_hold() -> None:
    text = dedent("""
        ## Before

        | a | b |
        |---|---|
        | no | x |

        ## Edge cases and errors

        | a | b |
        |:--|---|
        | `x|y` | 1 |
        | x\\|y | 2 |

        Words between.

        | c | d |
        |---|---|
        | z | 3 |

        ## After

        | e | f |
        |---|---|
        | no | x |
        """)

    assert [line[-3] for line in edge_cases(text)] == ["1", "2", "3"]


def test_marks_are_found_in_every_form(tmp_path: Path) -> None:
    folder = tmp_path / "tests"
    nested = folder / "unit" / "test_forms.py"
    nested.parent.mkdir(parents=True)
    nested.write_text(
        dedent("""\
        import pytest
        from pytest import mark

        pytestmark = [pytest.mark.e2e, pytest.mark.spec("01.01")]

        @pytest.mark.spec("01.02", "01.03")
        def test_function(): ...

        @mark.spec("01.04")
        class TestClass:
            @pytest.mark.spec("01.05")
            async def test_method(self): ...

        @pytest.mark.parametrize(
            "case",
            [1, pytest.param(2, marks=pytest.mark.spec("01.06"))],
        )
        def test_table(case): ...

        @pytest.mark.spec(*IDS)
        @pytest.mark.parametrize("id", ["01.07"])
        def test_hidden_ids(id): ...
        """)
    )
    (folder / "builders.py").write_text("import pytest\npytestmark = pytest.mark.spec('01.08')\n")

    tested = rows_tested(folder)

    assert tested == {
        "*IDS": ("tests/unit/test_forms.py:20",),
        "01.01": ("tests/unit/test_forms.py:4",),
        "01.02": ("tests/unit/test_forms.py:6",),
        "01.03": ("tests/unit/test_forms.py:6",),
        "01.04": ("tests/unit/test_forms.py:9",),
        "01.05": ("tests/unit/test_forms.py:11",),
        "01.06": ("tests/unit/test_forms.py:16",),
    }


def test_stubs_are_found_by_their_call(tmp_path: Path) -> None:
    folder = tmp_path / "commodore_py"
    folder.mkdir()
    (folder / "sync.py").write_text(
        dedent("""\
        from commodore_py import errors
        from commodore_py.errors import NotBuiltYet

        '''NotBuiltYet.named("only words")'''

        def sync(name):
            if name:
                raise NotBuiltYet.named(f"sync of {name}")
            raise errors.NotBuiltYet.named("component sync", instead="later")
        """)
    )

    assert stubs_left(folder) == (
        Stub("commodore_py/sync.py:8", "f'sync of {name}'"),
        Stub("commodore_py/sync.py:9", "component sync"),
    )


def test_report_lists_what_is_missing_and_counts_the_rest() -> None:
    report = Report(
        files={"01": "01-first.md", "02": "02-second.md"},
        rows=[
            Row("01.01", "one", 0, "", "same"),
            Row("01.02", "two", 1, "what", "same"),
            Row("02.01", "three", 2, "what", "better"),
        ],
        tested={"01.01": ["a:1"], "02.01": ["b:2"], "09.99": ["c:3"]},
        stubs=[Stub("sync.py:9", "component sync")],
    )

    assert report.unknown == {"09.99": ["c:3"]}
    assert list(as_text(report, missing_only=False)) == [
        "01-first.md  1/2",
        "  01.02  two",
        "02-second.md  1/1",
        "stubs",
        "  sync.py:9  component sync",
        "rows tested: 2 of 3; stubs left: 1",
    ]
    assert list(as_text(report, missing_only=True)) == [
        "01-first.md  1/2",
        "  01.02  two",
        "rows tested: 2 of 3; stubs left: 1",
    ]


def test_a_mark_without_a_row_fails_the_report(tmp_path: Path) -> None:
    (tmp_path / "commodore_py").mkdir()
    folder = tmp_path / "tests"
    folder.mkdir()
    for path in (TESTS / "__init__.py", TESTS / "spec_report.py", ROWS):
        shutil.copy(path, folder)
    (folder / "test_it.py").write_text("import pytest\npytestmark = pytest.mark.spec('99.01')\n")

    command = [sys.executable, "-m", "tests.spec_report", "--output", "json"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert done.returncode == 1
    assert "no row 99.01, named in tests/test_it.py:2" in done.stderr
    assert json.loads(done.stdout)["unknown"] == {"99.01": ["tests/test_it.py:2"]}
