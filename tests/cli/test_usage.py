"""How the command is called, and its errors for invalid arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
import pytest

from commodore_py import __version__
from commodore_py.cli.root import commodore as root
from tests.support.tables import each

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.command_line import CommandLine


@each("group", ["", "catalog", "component", "config", "inventory", "package"])
def test_a_group_alone_shows_its_help_on_stderr(commodore: CommandLine, group: str) -> None:
    ran = commodore(*group.split())

    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"Usage: commodore {group}".rstrip())
    assert ("Commands:" if group else "Every day:") in ran.err


def test_help_lists_each_command_under_one_heading(commodore: CommandLine) -> None:
    rows = [line.split()[0] for line in commodore("--help").out.splitlines() if line[:2] == "  "]

    for name in root.list_commands(click.Context(root)):
        assert rows.count(name) == 1, name


@each("group", ["cache", "catalog", "component", "edit", "lock", "package"])
def test_lists_of_commands_have_whole_sentences(commodore: CommandLine, group: str) -> None:
    ran = commodore(group, "--help")

    listed = ran.out.partition("\nCommands:")[2]
    assert listed
    assert "..." not in listed


def test_lint_alone_shows_its_help_on_stderr(commodore: CommandLine) -> None:
    ran = commodore("inventory", "lint")

    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("Usage: commodore inventory lint")


@each("flag", ["-h", "--help"])
@each("command", ["", "catalog", "catalog compile", "component new", "version"])
def test_help_is_a_result(commodore: CommandLine, command: str, flag: str) -> None:
    ran = commodore(*command.split(), flag)

    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith(f"Usage: commodore {command}".rstrip())


@pytest.mark.parametrize(
    "words",
    [
        "-d {work} -q --log-format json catalog clean",
        "catalog clean -d {work} -q --log-format json",
        "catalog --quiet clean --working-dir={work} --log-format=json",
        "catalog -d{work} clean -vq --log-format json",
        "--log-format json catalog -q -d {work} clean -q",
    ],
)
def test_a_global_option_may_stand_anywhere(
    commodore: CommandLine, tmp_path: Path, words: str
) -> None:
    (tmp_path / "work/compiled").mkdir(parents=True)

    ran = commodore(*words.format(work=tmp_path / "work").split())

    assert (ran.code, ran.out, ran.err) == (0, "", "")
    assert not (tmp_path / "work/compiled").exists()


def test_an_option_of_a_command_is_not_a_global_one(commodore: CommandLine, facts: str) -> None:
    ran = commodore("catalog", "compile", "c-demo-1", "--api-url", facts, "-d", "no-pair")

    assert "no-pair" in ran.err
    assert "KEY=VALUE" in ran.err or "key=value" in ran.err


@each(
    ("words", "message"),
    [
        ("catalog list --request-timeout", "Option '--request-timeout' requires an argument."),
        ("catalog list --request-timeout x", "'x' is not a number of whole seconds"),
        ("catalog list --quite", "No such option '--quite'. (Did you mean one of: "),
        ("catalog list --log-forma json", "Did you mean '--log-format'?"),
        ("catalog list -- --quiet", "Got unexpected extra argument (--quiet)"),
        ("catalog list -Z", "No such option '-Z'"),
    ],
)
def test_a_wrong_global_option_is_wrong_anywhere(
    commodore: CommandLine, words: str, message: str
) -> None:
    ran = commodore(*words.split())

    assert (ran.code, ran.out) == (2, "")
    assert message in ran.err


@each(
    ("words", "commands"),
    [
        ("compile c-1", ["catalog compile", "component compile", "package compile"]),
        ("catalgo compile c-1", ["catalog"]),
        ("explain a b", ["inventory explain"]),
        ("catalog new x", ["component new", "package new"]),
        ("catalog comple", ["catalog compile"]),
        ("clean", ["catalog clean"]),
        ("catalog lst", ["catalog list"]),
    ],
)
@each("form", ["text", "json"])
def test_a_wrong_command_brings_the_right_ones_to_mind(
    commodore: CommandLine, words: str, commands: list[str], form: str
) -> None:
    ran = commodore("--log-format", form, *words.split())

    assert (ran.code, ran.out) == (2, "")
    suggestions = ran.err.partition("Did you mean ")[2]
    assert [one for one in commands if f"'commodore {one}'" not in suggestions] == []


def test_what_resembles_nothing_has_no_suggestion(commodore: CommandLine) -> None:
    assert "Did you mean" not in commodore("xyzzy").err


def test_version_is_one_line(commodore: CommandLine) -> None:
    ran = commodore("--version", COMMODORE_VERSION="v1-of-some-image")

    assert (ran.code, ran.out, ran.err) == (0, f"commodore, version {__version__}\n", "")


def test_a_variable_named_like_the_version_flag_ends_nothing(
    commodore: CommandLine, facts: str
) -> None:
    ran = commodore("catalog", "list", "--api-url", facts, COMMODORE_VERSION="v1")

    assert ran.code == 0


@each(
    ("words", "message"),
    [
        ("catalgo", "No such command 'catalgo'"),
        ("catalog comple", "Did you mean 'commodore catalog compile'?"),
        ("catalog compile c-one --pussh", "--push"),
        ("catalog compile", "Missing argument 'CLUSTER'"),
        ("catalog list c-one", "unexpected extra argument"),
        ("inventory show ./g -o xml", "'xml' is not one of 'json', 'yaml'"),
        ("component compile ./nowhere", "Directory './nowhere' does not exist"),
    ],
)
def test_invalid_arguments(commodore: CommandLine, words: str, message: str) -> None:
    ran = commodore(*words.split())

    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("Usage: commodore")
    assert "--help" in ran.err
    assert message in ran.err


def test_a_file_is_not_a_working_directory(commodore: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    ran = commodore("-d", "file", "catalog", "clean")

    assert ran.code == 2
    assert "'-d' / '--working-dir': Directory 'file' is a file" in ran.err


def test_a_working_directory_may_be_missing(commodore: CommandLine, tmp_path: Path) -> None:
    ran = commodore("--working-dir", "later", "catalog", "clean")

    assert (ran.code, ran.out) == (0, "")
    assert "warning" not in ran.err
    assert not (tmp_path / "later").exists()


@each("value", ["abc", "1.5", "0"])
@each("by_flag", [True, False])
def test_a_timeout_is_whole_seconds(commodore: CommandLine, value: str, by_flag: bool) -> None:
    if by_flag:
        ran = commodore("--request-timeout", value, "catalog", "clean")
    else:
        ran = commodore("catalog", "clean", COMMODORE_REQUEST_TIMEOUT=value)

    assert ran.code == 2
    assert f"'--request-timeout': '{value}' is not a number of whole seconds" in ran.err


@pytest.mark.parametrize("by_flag", [True, False])
def test_a_migration_is_one_of_two(commodore: CommandLine, by_flag: bool) -> None:
    words = ("catalog", "compile", "c-one")
    if by_flag:
        ran = commodore(*words, "--migration", "kapitan")
    else:
        ran = commodore(*words, COMMODORE_CATALOG_COMPILE_MIGRATION="kapitan")

    assert ran.code == 2
    assert "'kapitan' is not one of 'kapitan-0.29-to-0.30', 'ignore-yaml-formatting'" in ran.err


def test_an_empty_variable_is_as_good_as_none(commodore: CommandLine, facts: str) -> None:
    empty = dict.fromkeys(
        (
            "COMMODORE_REQUEST_TIMEOUT",
            "COMMODORE_VERBOSE",
            "COMMODORE_CATALOG_LIST_OUT",
            "COMMODORE_CATALOG_LIST_API_URL",
            "COMMODORE_LOG_FORMAT",
            "NO_COLOR",
        ),
        "",
    )

    ran = commodore("catalog", "list", "--api-url", facts, **empty)

    assert (ran.code, ran.err) == (0, "")


@pytest.mark.parametrize("command", ["show", "components", "packages"])
@pytest.mark.parametrize(("name", "message"), [("none", "no such"), ("file", "not a")])
def test_the_inventory_is_read_from_folders(
    commodore: CommandLine, tmp_path: Path, command: str, name: str, message: str
) -> None:
    (tmp_path / "file").touch()

    ran = commodore("inventory", command, ".", name)

    assert ran.code == 1
    assert f"error: {message} directory\n  {name}\n" in ran.err
    assert "checkout of a global configuration" in ran.err


def test_only_what_is_checked_out_can_be_deleted(commodore: CommandLine, tmp_path: Path) -> None:
    ran = commodore("component", "delete", "nginx", "--force")

    assert ran.code == 2
    assert f"component nginx is not checked out: {tmp_path}/dependencies/ngi" in ran.err
