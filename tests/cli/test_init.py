"""`commodore init`: by options, and by prompts in a terminal."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from commodore_py.cli.settings.written import set_shared
from commodore_py.errors import CommodoreError

PROGRAM = Path(sys.executable).with_name("commodore")
LINE = 'eval "$(commodore completion bash)"'
SECONDS = 60


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home directory with nothing in it."""
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("SHELL", "/bin/bash")
    for name in ("XDG_CONFIG_HOME", "ZDOTDIR", "CI"):
        monkeypatch.delenv(name, raising=False)
    return folder


def files_in(home: Path) -> dict[str, str]:
    return {str(p.relative_to(home)): p.read_text() for p in home.rglob("*") if p.is_file()}


def in_terminal(home: Path, answers: str, *options: str) -> tuple[int, str]:
    """Run it in a terminal where a user types; returns the exit code and what is seen."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [PROGRAM, "init", *options],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        cwd=home,
        env={**os.environ, "HOME": str(home)},
    )
    os.close(theirs)
    os.write(ours, answers.encode())
    seen = b""
    try:
        while part := os.read(ours, 4096):
            seen += part
    except OSError:  # the other side is closed
        pass
    os.close(ours)
    return process.wait(timeout=SECONDS), seen.decode()


def test_init_prompts_in_terminal(home: Path, facts: str) -> None:
    code, seen = in_terminal(home, f"/nowhere\n{facts}\ny\n")
    before = files_in(home)
    again, seen_again = in_terminal(home, "\n")

    assert code == 0, seen
    assert "no such folder" in seen
    assert tomllib.loads(before[".config/commodore/config.toml"]) == {"api-url": facts}
    assert LINE in before[".bashrc"]
    assert (again, files_in(home)) == (0, before)
    assert f"[{facts}]: " in seen_again
    assert "Install completion" not in seen_again


def test_enter_skips_a_step(home: Path) -> None:
    code, seen = in_terminal(home, "\n\n")

    assert (code, seen.count("skipped")) == (0, 3)
    assert files_in(home) == {}


def test_init_does_not_prompt_in_ci(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")

    code, seen = in_terminal(home, "")

    assert (code, "API URL, or" in seen) == (2, False)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", 'api-url = "u"\n'),
        ("# mine\nstrict = true\n", '# mine\nstrict = true\napi-url = "u"\n'),
        ('api-url = "old" # why\nstrict = true\n', 'api-url = "u"\nstrict = true\n'),
        (
            "strict = true\n\n[catalog.compile]\nprocesses = 4\n",
            'strict = true\napi-url = "u"\n\n[catalog.compile]\nprocesses = 4\n',
        ),
        (
            '[catalog.list]\napi-url = "other"\n',
            'api-url = "u"\n\n[catalog.list]\napi-url = "other"\n',
        ),
        ('api-url = "u"', 'api-url = "u"'),
    ],
)
def test_set_shared_changes_only_its_setting(tmp_path: Path, before: str, after: str) -> None:
    file = tmp_path / "config.toml"
    file.write_text(before)

    changed = set_shared(file, "api-url", "u")

    assert (file.read_text(), changed) == (after, before != after)


@pytest.mark.parametrize(
    "before", ['x = """\napi-url = "a"\n"""\n', '"api-url" = "a"\n', "x = [\n[1],\n]\n"]
)
def test_settings_file_of_complex_form_is_not_changed(tmp_path: Path, before: str) -> None:
    file = tmp_path / "config.toml"
    file.write_text(before)

    with pytest.raises(CommodoreError, match="its form is not a simple one") as caught:
        set_shared(file, "api-url", 'a"b\\')

    assert file.read_text() == before
    assert 'api-url = "a\\"b\\\\"' in caught.value.hint


def test_linked_settings_file_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "dotfiles.toml").write_text("strict = true\n")
    (tmp_path / "config.toml").symlink_to("dotfiles.toml")

    set_shared(tmp_path / "config.toml", "api-url", "u")

    assert (tmp_path / "config.toml").is_symlink()
    assert 'api-url = "u"' in (tmp_path / "dotfiles.toml").read_text()
