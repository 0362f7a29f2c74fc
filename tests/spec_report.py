"""Which rows of the specification have no test yet, and which stubs are left in the code."""

import argparse
import ast
import json
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ROWS = ROOT / "tests" / "spec_rows.toml"
TESTS = ROOT / "tests"
CODE = ROOT / "commodore_py"


@dataclass(frozen=True, slots=True)
class Row:
    """One edge case of the specification and what we do there; fields as in spec_rows.toml."""

    id: str
    when: str
    exit: int
    says: str
    peer: str

    @property
    def file(self) -> str:
        """The number of the specification file that holds the row."""
        return self.id.partition(".")[0]


@dataclass(frozen=True, slots=True)
class Stub:
    """A promise in the code that is not kept yet."""

    place: str
    what: str


@dataclass(frozen=True, slots=True)
class Report:
    """The rows, where each is tested, and what is left to do."""

    files: Mapping[str, str]
    rows: Sequence[Row]
    tested: Mapping[str, Sequence[str]]
    stubs: Sequence[Stub]
    not_begun: Mapping[str, str] = field(default_factory=dict)
    """Specification files of which no row is taken up yet, by their numbers."""

    @property
    def missing(self) -> list[Row]:
        """Rows that no test names."""
        return [row for row in self.rows if row.id not in self.tested]

    @property
    def unknown(self) -> dict[str, Sequence[str]]:
        """Ids that tests name and no row has, with the places of their marks."""
        known = {row.id for row in self.rows}
        return {name: self.tested[name] for name in sorted(self.tested.keys() - known)}

    def covered(self, file: str) -> tuple[int, int]:
        """How many rows of a specification file are tested, and how many it has."""
        rows = [row for row in self.rows if row.file == file]
        return sum(row.id in self.tested for row in rows), len(rows)


def load_files(path: Path) -> dict[str, str]:
    """The specification files by their numbers."""
    files: dict[str, str] = tomllib.loads(path.read_text("utf-8"))["files"]
    return files


def load_not_begun(path: Path) -> dict[str, str]:
    """The specification files that later work brings, by their numbers."""
    files: dict[str, str] = tomllib.loads(path.read_text("utf-8")).get("not_begun", {})
    return files


def load_rows(path: Path) -> tuple[Row, ...]:
    """All rows, in the order of the file; a missing or surplus field is a TypeError."""
    return tuple(Row(**fields) for fields in tomllib.loads(path.read_text("utf-8"))["row"])


def rows_tested(folder: Path) -> dict[str, tuple[str, ...]]:
    """Ids that tests below a folder name in a `spec` mark, each with the places of its marks.

    A mark counts wherever it stands: on a function, a class, a module or a case of a table. An
    argument that is not a literal counts under its source text, so that it shows up as unknown.
    """
    places: dict[str, list[str]] = {}
    for path in sorted(folder.rglob("test_*.py")):
        for call in _calls(path):
            if _is_attribute(call.func, "mark", "spec"):
                for argument in call.args:
                    places.setdefault(_text(argument), []).append(_place(call, path, folder))
    return {name: tuple(places[name]) for name in sorted(places)}


def stubs_left(folder: Path) -> tuple[Stub, ...]:
    """Every call of `NotBuiltYet.named(...)` below a folder, in the order of the files."""
    return tuple(
        Stub(_place(call, path, folder), _text(call.args[0]) if call.args else "")
        for path in sorted(folder.rglob("*.py"))
        for call in _calls(path)
        if _is_attribute(call.func, "NotBuiltYet", "named")
    )


def _calls(path: Path) -> Iterator[ast.Call]:
    tree = ast.parse(path.read_text("utf-8"), filename=str(path))
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    return iter(sorted(calls, key=lambda call: (call.lineno, call.col_offset)))


def _is_attribute(node: ast.expr, owner: str, name: str) -> bool:
    """Whether an expression reads `owner.name` or `….owner.name`."""
    if not isinstance(node, ast.Attribute) or node.attr != name:
        return False
    match node.value:
        case ast.Name(id=found) | ast.Attribute(attr=found):
            return found == owner
        case _:
            return False


def _text(node: ast.expr) -> str:
    return str(node.value) if isinstance(node, ast.Constant) else ast.unparse(node)


def _place(call: ast.Call, path: Path, folder: Path) -> str:
    return f"{path.relative_to(folder.parent).as_posix()}:{call.lineno}"


def as_text(report: Report, *, missing_only: bool) -> Iterator[str]:
    """The report for people, line by line."""
    for number, name in report.files.items():
        missing = [row for row in report.missing if row.file == number]
        if missing or not missing_only:
            covered, total = report.covered(number)
            yield f"{name}  {covered}/{total}"
            yield from (f"  {row.id}  {row.when}" for row in missing)
    if report.stubs and not missing_only:
        yield "stubs"
        yield from (f"  {stub.place}  {stub.what}" for stub in report.stubs)
    yield from (f"{name}  not begun" for name in report.not_begun.values())
    tested = len(report.rows) - len(report.missing)
    yield f"rows tested: {tested} of {len(report.rows)}; stubs left: {len(report.stubs)}"


def as_json(report: Report) -> str:
    """The report for programs."""
    files = {name: report.covered(number) for number, name in report.files.items()}
    content = {
        "schema": "spec-report/v1",
        "files": {name: {"covered": done, "total": of} for name, (done, of) in files.items()},
        "missing": [asdict(row) for row in report.missing],
        "unknown": report.unknown,
        "stubs": [asdict(stub) for stub in report.stubs],
        "not_begun": list(report.not_begun.values()),
    }
    return json.dumps(content, indent=2)


def main(arguments: Iterable[str] | None = None) -> int:
    """Print the report; 1 if a test names a row that does not exist."""
    parser = argparse.ArgumentParser(prog="python -m tests.spec_report", description=__doc__)
    parser.add_argument("--missing-only", action="store_true", help="only rows without a test")
    parser.add_argument("-o", "--output", choices=("text", "json"), default="text")
    options = parser.parse_args(None if arguments is None else list(arguments))

    report = Report(
        load_files(ROWS),
        load_rows(ROWS),
        rows_tested(TESTS),
        stubs_left(CODE),
        load_not_begun(ROWS),
    )
    if options.output == "json":
        print(as_json(report))
    else:
        print("\n".join(as_text(report, missing_only=options.missing_only)))
    for name, places in report.unknown.items():
        print(f"error: no row {name}, named in {', '.join(places)}", file=sys.stderr)
    return 1 if report.unknown else 0


if __name__ == "__main__":
    sys.exit(main())
