"""The least that is possible with these libraries, for some scenarios.

`Go`: the evaluation of all Jsonnet files in one process, with sums for their formats, which
includes making these; without what else Python is called for meanwhile. `Git`: `git checkout` of
the same commits, one after the other, and nothing else.
`import click`: Python, and the library that every command needs.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .program import Program

_LOCAL = ("--local", "--no-fetch-dependencies", "--no-cache", "--processes", "1")
_RUNS = 9


def least(program: Program, scenario: str) -> dict[str, float]:
    """CPU seconds of each, for the working directory of a program that has compiled."""
    match scenario:
        case "cold":
            return {"Go": _of_go(program), "Git": _of_git(program)}
        case "ci":
            return {"Git": _of_git(program)}
        case "local":
            return {"import click": _of_click(program)}
    return {}


def _of_go(program: Program) -> float:
    words = ("catalog", "compile", program.cluster.id, *_LOCAL)
    with tempfile.NamedTemporaryFile(mode="r") as answer:
        command = [sys.executable, "-m", __name__, answer.name, *words]
        places = os.pathsep.join((program.variables["PYTHONPATH"], *sys.path))
        environment = {**program.environment(), "PYTHONPATH": places}
        subprocess.run(command, cwd=program.work, env=environment, check=True, capture_output=True)
        return float(answer.read())


def _of_click(program: Program) -> float:
    """The median, as that of a scenario."""
    used = []
    for _ in range(_RUNS):
        before = _children()
        command = [sys.executable, "-c", "import click"]
        subprocess.run(command, cwd=program.work, env=program.environment(), check=True)
        used.append(_children() - before)
    return median(used)


def _of_git(program: Program) -> float:
    before = _children()
    # It stays there until the end: new files take longer after many were removed.
    scratch = tempfile.mkdtemp(dir=program.root)
    for number, (clone, commit) in enumerate(_checkouts(program.work / "dependencies")):
        folder = Path(scratch, str(number))
        folder.mkdir()
        environment = {**os.environ, "GIT_INDEX_FILE": f"{folder}.index"}
        git = ["git", f"--git-dir={clone}", f"--work-tree={folder}", "checkout", "--quiet"]
        subprocess.run([*git, "--force", commit, "--", "."], env=environment, check=True)
    return _children() - before


def _checkouts(dependencies: Path) -> Iterator[tuple[Path, str]]:
    for link in dependencies.glob("*/.git"):
        admin = Path(link.read_text().partition(": ")[2].strip())
        git = ["git", "-C", str(link.parent), "rev-parse", "HEAD"]
        head = subprocess.run(git, check=True, capture_output=True, text=True).stdout.strip()
        yield admin.parent.parent, head


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class _Clock:
    """The CPU time within some calls, without that of calls from there back to Python."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def within(self, function: Callable[..., Any], sign: int) -> Callable[..., Any]:
        """The same function; its time is added, or taken away."""

        def timed(*given: object, **named: object) -> object:
            began = time.process_time()
            try:
                return function(*given, **named)
            finally:
                self.seconds += sign * (time.process_time() - began)

        return timed


def _main() -> None:
    from commodore_py.cli import run
    from commodore_py.tuning.jsonnet import SharedEvaluator

    clock, evaluate = _Clock(), SharedEvaluator.run

    def evaluated(
        self: SharedEvaluator,
        name: str,
        text: str,
        *,
        ext_vars: Any,  # noqa: ANN401 - passed on
        find: Any,  # noqa: ANN401 - passed on
        natives: Any,  # noqa: ANN401 - passed on
    ) -> str:
        back = {
            native: (parameters, clock.within(call, -1))
            for native, (parameters, call) in natives.items()
        }
        timed: Callable[..., str] = clock.within(evaluate, 1)
        found = clock.within(find, -1)
        return timed(self, name, text, ext_vars=ext_vars, find=found, natives=back)

    SharedEvaluator.run = evaluated  # type: ignore[method-assign]
    code = run(sys.argv[2:])
    Path(sys.argv[1]).write_text(str(clock.seconds), encoding="utf-8")
    sys.exit(code)


if __name__ == "__main__":
    _main()
