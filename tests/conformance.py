"""Public components against the golden output in their repositories, and the table of results.

The runner and its list of cases are not part of this project: they lie beside it.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

ROOT = Path(__file__).resolve().parent.parent
RUNNER = ROOT.parent / "shared" / "conformance" / "conformance.py"
PAGE = ROOT / "docs" / "explanation" / "conformance.md"
RESULTS = ROOT / ".conformance"
ENGINES = ("native", "reference")
VERBS = ("compile", "test", "export")
PROGRAM = Path(sys.executable).with_name("commodore")

_BEGIN, _END = "<!-- results -->", "<!-- end of results -->"
# The runner hands only a few variables to what it runs, so these are part of the command.
_VARIABLES = (
    "COMMODORE_COMPONENT_COMPILE_ENGINE",
    "COMMODORE_PACKAGE_COMPILE_ENGINE",
    "COMMODORE_COMPONENT_TEST_ENGINE",
    "COMMODORE_PACKAGE_TEST_ENGINE",
)


@dataclass(frozen=True, slots=True)
class Result:
    """How one case ended with one engine."""

    case: str
    engine: str
    status: str
    seconds: float


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the cases, or write the page from what earlier runs left."""
    parser = argparse.ArgumentParser(prog="python -m tests.conformance", description=__doc__)
    verbs = parser.add_subparsers(dest="verb", required=True)
    run_ = verbs.add_parser("run", help="run the cases with one engine")
    run_.add_argument("--mirrors", default="", help="folder of bare mirrors")
    run_.add_argument("--only", default="", help="parts of names of cases, separated by blanks")
    run_.add_argument("--engine", default="native", choices=ENGINES)
    run_.add_argument("--via", default="compile", choices=VERBS, help="the verb that compiles")
    run_.add_argument("--runner", type=Path, default=RUNNER)
    table = verbs.add_parser("table", help="write the page's table from the last runs")
    table.add_argument("--date", required=True, help="the day of the runs")
    as_test_ = verbs.add_parser("as-test", help="do with `test` what the runner asks of `compile`")
    as_test_.add_argument("words", nargs=argparse.REMAINDER)
    as_export_ = verbs.add_parser("as-export", help="the same from an export, without a network")
    as_export_.add_argument("words", nargs=argparse.REMAINDER)
    options = parser.parse_args(arguments)
    if options.verb == "as-test":
        return as_test(options.words)
    if options.verb == "as-export":
        from tests.exported_components import as_export  # slow to import, and only needed here

        return as_export(options.words)
    if options.verb == "table":
        _write_page(options.date)
        return 0
    missing = _missing(options.runner, options.mirrors)
    if missing:
        sys.stderr.write(f"conformance: {missing}\n")
        return 2
    RESULTS.mkdir(exist_ok=True)
    return subprocess.run(
        command(
            options.runner,
            Path(options.mirrors),
            options.engine,
            options.only.split(),
            via=options.via,
        ),
        check=False,
    ).returncode


def _missing(runner: Path, mirrors: str) -> str:
    """What keeps the cases from being run."""
    if not runner.is_file():
        return f"the runner is not here: it is looked up at {runner}"
    if not mirrors:
        return f"name the folder of mirrors, MIRRORS=…; {runner} --need lists what belongs in it"
    if not Path(mirrors).is_dir():
        return f"there is no folder of mirrors at {mirrors}"
    return ""


def command(
    runner: Path, mirrors: Path, engine: str, only: Sequence[str], *, via: str = "compile"
) -> list[str]:
    """The runner's command line."""
    program = [str(PROGRAM)] if via == "compile" else [sys.executable, __file__, f"as-{via}"]
    variables = [*(f"{name}={engine}" for name in _VARIABLES), f"PYTHONPATH={ROOT}"]
    ours = " ".join(["env", *variables, *program])
    name = engine if via == "compile" else f"{engine}-{via}"
    paths = ["--mirrors", str(mirrors.resolve()), "--out", str(RESULTS / f"{name}.json")]
    chosen = [word for name in only for word in ("--only", name)]
    return [sys.executable, str(runner), "--cli", ours, *paths, *chosen, "--verbose"]


def as_test(words: Sequence[str]) -> int:
    """Compile by way of `test`, which finds out by itself how: `compiled/` is there afterwards.

    What is expected must hold; then it is written again from nothing, for the runner to compare.
    """
    noun = words[0]
    case = Path(next(word for word in words if word.endswith(".yml"))).stem
    test = [str(PROGRAM), noun, "test", ".", "--case", case, "--diff", "text"]
    met = subprocess.run(test, check=False).returncode
    if met:
        return met
    golden = Path("tests", "golden", case)
    shutil.rmtree(golden)
    written = subprocess.run([*test, "--update"], check=False).returncode
    if not written:
        shutil.copytree(golden, "compiled")
    return written


def results_of(
    content: Mapping[str, Mapping[str, Mapping[str, object]]], engine: str
) -> list[Result]:
    """What the runner wrote about the cases, by their names."""
    return [
        Result(name, engine, str(case["status"]), float(str(case.get("seconds", 0))))
        for name, case in sorted(content["cases"].items())
    ]


def table_of(results: Sequence[Result], date: str) -> str:
    """The table of the page: a line per case, and what each engine makes of it (pure)."""
    engines = [engine for engine in ENGINES if any(one.engine == engine for one in results)]
    by_case: dict[str, dict[str, Result]] = {}
    for one in results:
        by_case.setdefault(one.case, {})[one.engine] = one
    lines = [
        _totals(results, engines, date),
        "",
        f"| case | {' | '.join(engines)} |",
        f"|---|{'---|' * len(engines)}",
    ]
    for case, found in sorted(by_case.items()):
        cells = [_cell(found[engine]) if engine in found else "not run" for engine in engines]
        lines.append(f"| {case} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _totals(results: Sequence[Result], engines: Sequence[str], date: str) -> str:
    said = []
    for engine in engines:
        own = [one for one in results if one.engine == engine]
        passed = sum(one.status == "pass" for one in own)
        said.append(f"{engine} {passed} of {len(own)}")
    return f"{date}: byte-identical with engine {', with engine '.join(said)}."


def _cell(result: Result) -> str:
    if result.status == "pass":
        return f"same, {result.seconds:.1f} s"
    if result.status == "no-mirror":
        return "not run"
    return result.status


def _write_page(date: str) -> None:
    found: list[Result] = []
    for engine in ENGINES:
        file = RESULTS / f"{engine}.json"
        if file.is_file():
            found += results_of(json.loads(file.read_bytes()), engine)
    page = PAGE.read_text(encoding="utf-8")
    before, _, rest = page.partition(_BEGIN)
    _, _, after = rest.partition(_END)
    text = f"{before}{_BEGIN}\n\n{table_of(found, date)}\n\n{_END}{after}"
    PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
