"""What users type and write, right and wrong: tables of command lines, files and results."""

from __future__ import annotations

import os
import re
import shlex
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from commodore_py.cli import run
from commodore_py.workflows.demo import write_demo
from tests.support.builders import git
from tests.support.tables import load_yaml

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.command_line import CommandLine, Ran

_TABLES = Path(__file__).parent / "typed"
_SHORT = {"L": "catalog compile c-demo-1 --local"}


def _cases(table: str) -> list[Any]:
    cases = load_yaml(_TABLES / f"{table}.yaml")
    return [pytest.param(case, id=f"{number}-{case['run']}") for number, case in enumerate(cases)]


@pytest.fixture(scope="module")
def playground(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A playground whose first cluster is compiled, pushed and locked."""
    folder = tmp_path_factory.mktemp("typed") / "demo"
    write_demo(folder)
    api = ("--api-url", str(folder / "facts"))
    before = dict(os.environ)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
        assert run(("-d", str(folder), "catalog", "compile", "c-demo-1", "--push", *api)) == 0
        lock = str(folder / "demo.lock")
        assert run(("-d", str(folder), "lock", "create", "c-demo-1", "--lock", lock, *api)) == 0
        os.environ.clear()
        os.environ.update(before)
    return folder


@pytest.fixture
def typed(
    commodore: CommandLine,
    playground: Path,
    empty_home: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Typed:
    """Runs the commands of a case in the playground, which is as before afterwards."""
    monkeypatch.chdir(playground)
    return Typed(commodore, playground, empty_home)


class Typed:
    """A case, run."""

    def __init__(self, commodore: CommandLine, playground: Path, home: Path) -> None:
        self._commodore = commodore
        self._playground = playground
        self._home = home

    def __call__(self, case: dict[str, Any]) -> Ran:
        """Run it with its files, and remove these again."""
        words = shlex.split(case["run"])
        words[:1] = shlex.split(_SHORT.get(words[0], words[0])) if words else []
        content = {**case.get("files", {}), **_decoded(case.get("bytes", {}))}
        before = self._classes()
        with self._files(content):
            given = self._classes()
            ran = self._commodore(*words)
            writes = case.get("writes", {})
            wanted = {name: _changed(text, writes.get(name, text)) for name, text in given.items()}
            assert self._classes() == wanted, ran.err
        for name, text in before.items():
            (self._playground / name).write_bytes(text.encode())
        checkout = self._playground / "inventory/classes/global"
        if git(checkout, "branch", "--show-current") == "":  # of a lock: detached
            git(checkout, "switch", "--quiet", "master")
        return ran

    def _classes(self) -> dict[str, str]:
        """The files of the tenant's classes: no case changes them but by what it `writes`."""
        files = (self._playground / "inventory/classes/t-demo").glob("*.yml")
        return {
            str(file.relative_to(self._playground)): file.read_bytes().decode(errors="replace")
            for file in files
        }

    @contextmanager
    def _files(self, content: dict[str, Any]) -> Iterator[None]:
        before: dict[Path, bytes | None] = {}
        for name, wanted in content.items():
            in_home = name.startswith("home/")
            path = self._home / name[5:] if in_home else self._playground / name
            before[path] = path.read_bytes() if path.exists() else None
            path.parent.mkdir(parents=True, exist_ok=True)
            _put(path, wanted)
        try:
            yield
        finally:
            for path, bytes_ in before.items():
                _put(path, bytes_)


def _decoded(table: dict[str, str]) -> dict[str, bytes]:
    return {name: bytes.fromhex(content) for name, content in table.items()}


def _put(path: Path, wanted: Any) -> None:  # noqa: ANN401 - as the table has it
    match wanted:
        case None:
            path.unlink(missing_ok=True)
        case bytes():
            path.write_bytes(wanted)
        case [_, _]:
            path.write_text(_changed(path.read_text("utf-8"), wanted), "utf-8")
        case _:
            path.write_text(wanted, "utf-8")


def _changed(text: str, wanted: str | list[str]) -> str:
    """A text of its own, or with one replacement."""
    if isinstance(wanted, str):
        return wanted
    old, new = wanted
    assert old in text
    return text.replace(old, new, 1)


@pytest.mark.parametrize("case", _cases("wrong"))
def test_wrong_command_line_is_a_helpful_error(typed: Typed, case: dict[str, Any]) -> None:
    ran = typed(case)

    assert ran.code == case.get("code", 1), ran.err
    assert not [word for word in case["says"] if word not in ran.err], ran.err
    assert "Traceback" not in ran.err
    if "out" in case:
        assert all(word in ran.out for word in case["out"]), ran.out
    else:
        assert ran.out == ""


@pytest.mark.parametrize("case", _cases("right"))
def test_right_command_line_succeeds(typed: Typed, case: dict[str, Any]) -> None:
    ran = typed(case)

    assert ran.code == case.get("code", 0), ran.err
    assert "error" not in ran.err
    assert all(word in ran.out for word in case.get("out", ())), ran.out
    assert all(word in ran.err for word in case.get("says", ())), ran.err
    assert all(ran.err.count(word) == 1 for word in case.get("once", ())), ran.err
    assert not any(word in ran.err for word in case.get("lacks", ())), ran.err


def test_cases_leave_playground_unchanged(typed: Typed, playground: Path) -> None:
    """A case leaves nothing that another one could stumble over: the catalog is up to date."""
    ran = typed({"run": "catalog compile c-demo-1 --dry-run"})

    assert "No changes" in ran.out
    assert not (playground / "dependencies/my-tool").exists()


def test_migration_notice_names_existing_section(typed: Typed, playground: Path) -> None:
    ran = typed({"run": "L"})

    (named,) = re.findall(r"See\s+(\S+)\s+for the three steps", ran.err)
    assert "## From `node-clock` to `time-sync`" in (playground / named).read_text()
