"""Programs: what they print, and how their failures are reported."""

from __future__ import annotations

import pickle
import sys
from pathlib import Path

import pytest

from commodore_py.adapters.process import ProgramFailed, run


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


def failure(command: list[str], cwd: Path | None = None) -> ProgramFailed:
    with pytest.raises(ProgramFailed) as caught:
        run(command, cwd=cwd)
    return caught.value


def test_what_is_printed_is_returned_as_it_is() -> None:
    assert run(python("print('one\\n')")) == b"one\n\n"


def test_standard_input_is_what_is_given_or_nothing() -> None:
    echo = python("import sys; print(sys.stdin.read().upper(), end='')")

    assert run(echo, stdin=b"one") == b"ONE"
    assert run(echo) == b""


def test_variables_are_added_and_taken_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ONE", "1")
    monkeypatch.setenv("TWO", "2")
    show = python("import os; print([os.environ.get(n) for n in ('ONE', 'TWO', 'THREE')])")

    output = run(show, env={"TWO": None, "THREE": "3"})

    assert output == b"['1', None, '3']\n"


def test_errors_of_a_program_can_be_part_of_the_result() -> None:
    both = python("import sys; print('out', flush=True); print('err', file=sys.stderr)")

    assert run(both, merge_stderr=True) == b"out\nerr\n"
    assert run(both) == b"out\n"


def test_errors_of_a_program_can_be_shown(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    run(python("import sys; print('err', file=sys.stderr)"), forward=True)

    assert capfdbinary.readouterr().err == b"err\n"


def test_a_failure_names_the_command_the_folder_and_the_reason(tmp_path: Path) -> None:
    error = failure(python("import sys; print('why', file=sys.stderr); sys.exit(3)"), tmp_path)

    assert str(error) == f"{sys.executable} failed with status 3: why"
    assert error.where.startswith(f"{tmp_path}: {sys.executable} -c ")
    assert (error.code, error.stderr) == (3, "why\n")


def test_a_failure_without_output_is_reported_as_such() -> None:
    assert str(failure(python("raise SystemExit(1)"))).endswith("it printed no reason")


def test_a_failure_shows_no_password() -> None:
    url = "https://me:s3cret@host/x"
    error = failure(python(f"import sys; sys.exit('cannot reach {url}')"))

    assert "https://***@host/x" in str(error)
    assert "s3cret" not in f"{error} {error.where} {error.stderr}"


def test_a_missing_program_is_reported_with_a_remedy(tmp_path: Path) -> None:
    error = failure(["no-such-program"], tmp_path)

    assert str(error) == "cannot run no-such-program: no-such-program not found"
    assert error.hint == "install no-such-program, or correct PATH"


def test_a_missing_folder_is_not_taken_for_a_missing_program() -> None:
    error = failure([sys.executable], Path("/no/such/folder"))

    assert "/no/such/folder not found" in str(error)
    assert error.hint == ""


def test_what_is_not_a_program_is_reported(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("words")

    assert "Permission denied" in str(failure([str(tmp_path / "text")]))


def test_a_failure_survives_the_way_home_from_a_worker() -> None:
    error = failure(python("raise SystemExit('why')"))

    copy = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own bytes

    assert (str(copy), copy.where, copy.hint) == (str(error), error.where, error.hint)
