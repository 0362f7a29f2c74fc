"""All test cases of a public component: `component test`, and the peer with a process for each.

Both work offline on clones of local mirrors, in the environment of the conformance cases; only
those that the peer passes are compiled. The first run of each warms caches and is not counted.

    python -m tests.bench.component_test --mirrors FOLDER [--component NAME] [--rounds 3]

Results are cached for one version of the program: while editing it, measure a copy: `--ours`.
"""

from __future__ import annotations

import argparse
import importlib.util
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.conformance import PROGRAM, RUNNER
from tests.support.peer import find_peer

from .measuring import Measured, Spread, measure, together

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def main() -> None:
    """Measure in turns, and print both and their ratios."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.component_test")
    parser.add_argument("--mirrors", type=Path, required=True, help="folder of bare mirrors")
    parser.add_argument("--component", default="component-prometheus")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--ours", type=Path, default=PROGRAM, help="the program to measure")
    options = parser.parse_args()
    runner, mirrors = _runner(), str(options.mirrors.resolve())
    known = _Component.named(runner, options.component, mirrors)
    print(f"{known.entry['repo']}: {len(known.cases)} cases: {', '.join(known.cases)}")
    with tempfile.TemporaryDirectory(prefix="commodore-bench-") as scratch:
        sides = {name: known.clone(runner, Path(scratch) / name, mirrors) for name in ("a", "b")}
        sys.path.insert(0, str(RUNNER.parent))
        proxy = importlib.import_module("offline_https").start(scratch, mirrors)
        try:
            ours, theirs = (
                _Side(known, folder, _environment(runner, folder, mirrors, proxy, known.as_of))
                for folder in sides.values()
            )
            _measure(ours, theirs, (options.ours, find_peer()), options.rounds)
        finally:
            proxy.stop()


def _measure(ours: _Side, theirs: _Side, programs: tuple[Path, Path], rounds: int) -> None:
    program, peer = programs
    runs: dict[str, list[Measured]] = {"ours": [], "peer": []}
    for number in range(rounds + 1):
        turns = (
            ("ours", partial(ours.test, program)),
            ("peer", partial(theirs.compile_each, peer)),
        )
        for name, turn in turns:
            one = turn()
            print(f"  {number or 'warm-up'} {name}: {_shown([one])}", flush=True)
            if number:
                runs[name].append(one)
    for name, some in runs.items():
        print(f"{name}: {_shown(some)}")
    for what in ("cpu", "wall"):
        medians = {name: Spread.of(getattr(o, what) for o in some) for name, some in runs.items()}
        print(f"peer / ours, {what}: {medians['peer'].median / medians['ours'].median:.1f}")


def _shown(runs: Sequence[Measured]) -> str:
    cpu, wall = Spread.of(one.cpu for one in runs), Spread.of(one.wall for one in runs)
    return f"CPU {cpu} s, wall {wall} s"


@dataclass(frozen=True, slots=True)
class _Component:
    """A component of the conformance cases, and those of its cases that the peer passes."""

    entry: Mapping[str, Any]
    cases: tuple[str, ...]
    as_of: int
    """Libraries' branches are read as they were then."""

    @classmethod
    def named(cls, runner: Any, name: str, mirrors: str) -> _Component:  # noqa: ANN401 - a module found at run time
        about = argparse.Namespace(
            manifest=RUNNER.with_name("manifest.json"), baseline=RUNNER.with_name("baseline.json")
        )
        manifest, baseline = runner.load(about)
        entry = next(one for one in manifest if one["repo"].endswith(f"/{name}"))
        ids = {case["case"]: f"{entry['repo']}/{case['case']}" for case in entry["cases"]}
        passed = (case for case, id_ in ids.items() if baseline[id_]["status"] == "pass")
        source = runner.gitdir(mirrors, entry["repo"])
        if source is None:
            sys.exit(f"there is no mirror of {entry['repo']} in {mirrors}")
        committed = runner.git(source, "log", "-1", "--format=%ct", entry["commit"]).stdout
        return cls(entry, tuple(passed), int(committed) + 3600)

    def clone(self, runner: Any, parent: Path, mirrors: str) -> Path:  # noqa: ANN401 - as above
        """The component as it was when its expected output was made."""
        folder = parent / f"component-{self.entry['name']}"
        source = runner.gitdir(mirrors, self.entry["repo"])
        for words in (
            ("clone", "--quiet", "--no-checkout", "--shared", source, str(folder)),
            ("-C", str(folder), "checkout", "--quiet", "--detach", self.entry["commit"]),
            ("-C", str(folder), "remote", "set-url", "origin", "https://git.example.com/it.git"),
        ):
            subprocess.run(["git", *words], check=True)
        (folder / "dependencies").mkdir(exist_ok=True)
        return folder


@dataclass(frozen=True, slots=True)
class _Side:
    """A clone of the component, and what its compiles find around them."""

    component: _Component
    folder: Path
    environment: Mapping[str, str]

    def test(self, program: Path) -> Measured:
        """All cases in one process; they must be as expected."""
        cases = [word for case in self.component.cases for word in ("--case", case)]
        return measure([str(program), "component", "test", *cases], self.folder, self.environment)

    def compile_each(self, peer: Path) -> Measured:
        """A process for each case, without what make does around it."""
        entry = self.component.entry
        words = [word for path in entry["search_paths"] for word in ("--search-paths", path)]
        words += ["-n", entry["name"]] if entry["name_flag"] else []
        return together(
            [
                measure(
                    [
                        *(str(peer), "component", "compile", ".", *words),
                        *(("--alias", case) if entry["alias"] else ()),
                        *("-f", f"tests/{case}.yml"),
                    ],
                    self.folder,
                    self.environment,
                )
                for case in self.component.cases
            ]
        )


def _runner() -> Any:  # noqa: ANN401 - a module found at run time
    spec = importlib.util.spec_from_file_location("conformance_runner", RUNNER)
    if spec is None or spec.loader is None or not RUNNER.is_file():
        sys.exit(f"the conformance cases are not here: they are looked for at {RUNNER}")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _environment(
    runner: Any,  # noqa: ANN401 - as above
    folder: Path,
    mirrors: str,
    proxy: Any,  # noqa: ANN401 - as above
    as_of: int,
) -> Mapping[str, str]:
    variables = {**proxy.env_for(as_of), "CONF_AS_OF": str(as_of)}
    home = runner.make_home(str(folder.parent), mirrors, variables)
    found: Mapping[str, str] = runner.case_env(
        home, str(folder.parent), mirrors, variables, str(folder.parent / "missing")
    )
    return found


if __name__ == "__main__":
    main()
