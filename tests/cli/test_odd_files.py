"""Files that commands are given, or find, and that are not files: errors with a path, at once."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.command_line import CommandLine, Ran

pytestmark = pytest.mark.sample(2)

KINDS = ["/dev/zero", "/dev/tty", "fifo", "folder", "self", "huge", "null"]


def _make(path: Path, kind: str) -> Path:
    """Something of that kind at a path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    match kind:
        case "fifo":
            os.mkfifo(path)
        case "folder":
            path.mkdir()
        case "self":
            path.symlink_to(path.name)
        case "huge":
            with path.open("wb") as file:
                file.truncate(3 << 30)
        case "null":
            path.write_bytes(b"a\0b: [\0]\n")
        case _:
            path.symlink_to(kind)
    return path


def _is_an_error(ran: Ran, *words: str) -> None:
    assert ran.code in (1, 2), ran.err
    assert "internal error" not in ran.err
    assert "Traceback" not in ran.err
    assert all(word in ran.err + ran.out for word in words)


@pytest.mark.parametrize("kind", KINDS)
def test_special_settings_file_is_an_error(
    commodore: CommandLine, empty_home: Path, kind: str
) -> None:
    _make(empty_home / ".config/commodore/config.toml", kind)

    _is_an_error(commodore("config", "show"), "config.toml")


@pytest.mark.parametrize("kind", [one for one in KINDS if one != "null"])
def test_special_dotenv_file_is_ignored(commodore: CommandLine, tmp_path: Path, kind: str) -> None:
    _make(tmp_path / ".env", kind)

    ran = commodore("config", "show")

    assert ran.code == 0
    missing = kind in ("folder", "self") or kind.startswith("/")
    assert "ignoring the .env file" in ran.err or missing


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "words",
    [
        ("inventory", "lint", "@"),
        ("inventory", "components", "classes", "-f", "@"),
        ("inventory", "show", "classes", "-f", "@"),
        ("component", "sync", "@", "--github-token", "x", "--template-version", "main"),
        ("package", "sync", "@", "--github-token", "x"),
    ],
    ids=" ".join,
)
def test_special_file_as_argument_is_an_error(
    commodore: CommandLine, tmp_path: Path, words: tuple[str, ...], kind: str
) -> None:
    (tmp_path / "classes").mkdir()
    file = _make(tmp_path / "odd.yml", kind)

    ran = commodore(*(str(file) if word == "@" else word for word in words))

    if words[1] == "lint" and kind in ("folder", "null"):
        assert ran.code == 0  # nothing in it, and a warning
    else:
        _is_an_error(ran, "odd.yml")


@pytest.mark.parametrize("folder", ["/proc/self", "/sys", "/proc/self/root/proc", "link"])
def test_lint_refuses_system_folders(commodore: CommandLine, tmp_path: Path, folder: str) -> None:
    (tmp_path / "link").symlink_to("/proc/self")

    _is_an_error(commodore("inventory", "lint", folder), "nothing in /proc, /sys and /dev is read")


def test_lint_reads_named_hidden_folder(commodore: CommandLine, empty_home: Path) -> None:
    (empty_home / ".work").mkdir()
    (empty_home / ".work/a.yml").write_text("parameters: {}\n")

    assert commodore("inventory", "lint", str(empty_home / ".work")).code == 0


@pytest.mark.parametrize("target", ["/", "/proc", "..", "."])
def test_lint_terminates_on_links_out_of_folder(
    commodore: CommandLine, tmp_path: Path, target: str
) -> None:
    (tmp_path / "classes").mkdir()
    (tmp_path / "classes/link").symlink_to(target)

    ran = commodore("inventory", "lint", "classes")

    assert ran.code == (1 if target == "/proc" else 0)
    assert ("nothing in /proc is read" in ran.out) == bool(ran.code)


@pytest.mark.parametrize("folder", ["/proc/x", "/sys/x", "/dev/null/x", "/dev/full"])
def test_unwritable_output_dir_is_an_error(commodore: CommandLine, facts: str, folder: str) -> None:
    ran = commodore("catalog", "compile", "c-demo-1", "--api-url", facts, "--output-dir", folder)

    _is_an_error(ran, folder)


@pytest.mark.parametrize("name", ["running", "lock", "journal"])
def test_unreadable_state_file_is_an_error(
    commodore: CommandLine, facts: str, tmp_path: Path, name: str
) -> None:
    place = tmp_path / ".commodore" / name
    place.parent.mkdir()
    if name == "journal":
        place.symlink_to(name)
    else:
        place.mkdir()

    ran = commodore("catalog", "compile", "c-demo-1", "--api-url", facts)

    if ran.code:
        _is_an_error(ran, ".commodore")


@pytest.mark.parametrize("kind", [one for one in KINDS if one not in ("fifo", "null")])
def test_special_value_file_is_an_error(commodore: CommandLine, tmp_path: Path, kind: str) -> None:
    file = _make(tmp_path / "value", kind)

    _is_an_error(commodore("edit", "set", "a", "--from-file", str(file)), "value")
