"""The commands of a page, as a script; what they print is compared with what the page shows.

Blocks `shell`, `sh` and `console` of a page run in one shell, from an empty home directory on. A
comment before a block says more about it; readers of the built page do not see it:

- `<!-- run: … -->`: commands that run here and are not shown.
- `<!-- file: NAME -->`: the next block is written to this file.
- `<!-- shows -->`: the next block is what the block above prints.
- `<!-- ends with: N -->`: the exit code of the next block, if not 0.
- `<!-- with: A = B -->`: B takes the place of A in the next block.
- `<!-- not run: REASON -->`: the next block cannot be run, or compared.
- `<!-- needs: PROGRAM -->`: from here on, the page is run only where there is this program.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

RUN = frozenset({"shell", "sh", "console"})
_PART = re.compile(
    r"^ *<!-- *(?P<verb>run|file|shows|ends with|with|needs|not run)\b:?(?P<said>.*?)-->"
    r"|^(?P<indent> *)```(?P<kind>\w*)\n(?P<text>.*?)^ *```$",
    re.MULTILINE | re.DOTALL,
)
_LIMIT = 300  # seconds for a page; generous
_VARYING = (
    (re.compile(r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d\S*"), "TIME"),
    (re.compile(r"\b\d{8}T\d{6}\.\d+Z"), "TIME"),
    (re.compile(r"\b(?=[a-f]*\d)[0-9a-f]{7,40}\b"), "HASH"),  # one in a hundred has no letter
    (re.compile(r"(?<![\d.v])\d+(\.\d+)? (B|KiB|MiB|GiB)\b"), "SIZE"),
    (re.compile(r"(?<![\d.v])\d+\.\d+(?![\d.])"), "NUMBER"),
    (re.compile(r"[ \t]+"), " "),
)


@dataclass
class Step:
    """A block or one command of it, and what it prints if that is shown."""

    line: int
    text: str
    hidden: bool = False
    code: int = 0
    shown: str | None = None
    place: tuple[int, int] = (0, 0)  # of what is shown, in the page's text


@dataclass
class Page:
    """What a page does, in order, and what is said not to be run."""

    steps: list[Step] = field(default_factory=list)
    not_run: dict[int, str] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    needs: tuple[str, int] | None = None
    """A program, and the first step that needs it."""

    def possible(self) -> Page:
        """The page without the steps that need a tool that is not here."""
        if self.needs is None or shutil.which(self.needs[0]):
            return self
        return replace(self, steps=self.steps[: self.needs[1]])


@dataclass
class _Said:
    """What the comments before a block say about it."""

    words: dict[str, str] = field(default_factory=dict)

    def take(self) -> dict[str, str]:
        taken, self.words = self.words, {}
        return taken


def commands_of(text: str) -> Page:
    """The steps of a page."""
    page, said = Page(), _Said()
    for part in _PART.finditer(text):
        line = text.count("\n", 0, part.start()) + 1
        if (verb := part["verb"]) == "run":
            page.steps.append(Step(line, part["said"].strip(), hidden=True))
        elif verb == "needs":
            page.needs = (part["said"].strip(), len(page.steps))
        elif verb:
            said.words[verb] = part["said"].strip()
        else:
            _add_block(page, part, line, said.take())
    return page


def _add_block(page: Page, part: re.Match[str], line: int, said: dict[str, str]) -> None:
    kind, indent = part["kind"], part["indent"]
    block = re.sub(rf"^{indent}", "", part["text"], flags=re.MULTILINE)
    if "not run" in said:
        page.not_run[line] = said["not run"]
    elif "shows" in said:
        page.steps[-1].shown, page.steps[-1].place = block, part.span("text")
    elif "file" in said:
        page.steps.append(Step(line, _writing(said["file"], block), hidden=True))
    elif kind in RUN:
        steps = _session(block, line, part) if kind == "console" else [Step(line, block)]
        steps[-1].code = int(said.get("ends with", "0"))
        old, _, new = said.get("with", "").partition(" = ")
        for step in steps:
            step.text = step.text.replace(old, new) if old else step.text
        page.steps += steps
    elif kind in {"text", "bash", ""}:
        page.problems.append(f"{line}: a block {kind!r} that is neither run nor compared")


def _writing(name: str, content: str) -> str:
    return f"mkdir -p \"$(dirname {name})\"\ncat >{name} <<'END-OF-FILE'\n{content}END-OF-FILE"


def _session(block: str, line: int, part: re.Match[str]) -> list[Step]:
    """The commands of a session, each with what follows it."""
    steps: list[Step] = []
    lines = block.splitlines(keepends=True)
    at, going_on = part.start("text"), False
    for number, one in enumerate(lines, line + 1):
        if going_on:
            steps[-1].text += one
        elif one.startswith("$ "):
            steps.append(Step(number, one[2:]))
        else:
            begin = steps[-1].place[0] or at
            steps[-1].shown = (steps[-1].shown or "") + one
            steps[-1].place = (begin, at + len(one))
        going_on = (going_on or one.startswith("$ ")) and one.endswith("\\\n")
        at += len(one)
    return steps


def run_page(page: Page, home: Path) -> dict[int, tuple[str, str]]:
    """Run all of it; stdout and stderr by step. Raises if a step ends otherwise than expected."""
    folder, path = home.parent / f"{home.name}-output", install_command(home)
    folder.mkdir()
    home.joinpath("gitconfig").write_text("[user]\n  name = Me\n  email = me@example.com\n")
    script = "".join(_script(step, folder / str(at)) for at, step in enumerate(page.steps))
    variables = {"PATH": path, "NO_COLOR": "1", "COLUMNS": "100"}
    ran = subprocess.run(
        ["bash", "-c", f"set -e\n{script}"],
        cwd=home,
        env={**os.environ, **variables},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=_LIMIT,
        check=False,
    )
    found = {
        at: tuple(
            folder.joinpath(f"{at}.{name}").read_text("utf-8", "replace") for name in ("out", "err")
        )
        for at in range(len(page.steps))
        if folder.joinpath(f"{at}.out").exists()
    }
    if ran.returncode or len(found) < len(page.steps):
        last = page.steps[max(found, default=0)]
        printed = "".join(found[max(found)]) if found else ran.stderr.decode()
        raise AssertionError(
            f"line {last.line}: ended with {ran.returncode}, not with {last.code}:\n{last.text}\n"
            f"{printed}{ran.stderr.decode()}"
        )
    return {
        at: (out.replace(str(home), "/home/me"), err.replace(str(home), "/home/me"))
        for at, (out, err) in found.items()
    }


def install_command(home: Path) -> str:
    """A `PATH` with the command, beside an empty home directory."""
    programs = home.parent / f"{home.name}-bin"
    programs.mkdir()
    program = programs / "commodore"
    program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m commodore_py "$@"\n')
    program.chmod(0o755)
    return f"{programs}:{os.environ['PATH']}"


def _script(step: Step, output: Path) -> str:
    group = f"{{\n{step.text.strip()}\n}} >{output}.out 2>{output}.err"
    if step.code:
        return f'set +e\n{group}\n_code=$?\nset -e\n[ "$_code" -eq {step.code} ]\n'
    return f"{group}\n"


def is_shown(shown: str, out: str, err: str) -> bool:
    """Whether a page shows what was printed: on stdout, stderr or both.

    `…` stands for anything in a line, a line of `...` for any lines; times, sizes, hashes and
    widths of columns are not compared.
    """
    lines = [_pattern(line) for line in shown.strip("\n").splitlines()]
    pattern = re.compile("".join(lines))
    texts = (out, err, err + out, out + err)
    return any(pattern.fullmatch(_without_varying(text)) for text in texts)


def _pattern(line: str) -> str:
    if line.strip() in {"...", "…"}:
        return r"(?:.*\n)*?"
    return ".*".join(re.escape(_varied(part)) for part in line.rstrip().split("…")) + r"\n"


def _without_varying(text: str) -> str:
    return "\n".join(_varied(line.rstrip()) for line in text.strip("\n").splitlines()) + "\n"


def _varied(line: str) -> str:
    for pattern, name in _VARYING:
        line = pattern.sub(name, line)
    return line
