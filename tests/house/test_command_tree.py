"""The commands, arguments and options are those of tests/command_tree.toml: all, and no more."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import pytest

from commodore_py.cli.command_classes import GENERAL, Sectioned
from commodore_py.cli.root import commodore
from commodore_py.cli.settings.origins import variables_of

if TYPE_CHECKING:
    from collections.abc import Iterator

TREE = Path(__file__).parent.parent / "command_tree.toml"
KINDS: dict[type[click.ParamType[Any]], str] = {
    click.Choice: "choice",
    click.types.IntParamType: "integer",
    click.types.StringParamType: "text",
}


def commands_listed() -> dict[str, dict[str, Any]]:
    listed = tomllib.loads(TREE.read_text("utf-8"))["command"]
    found = {command["name"]: command for command in listed}
    assert len(found) == len(listed), "a command is listed twice"
    return found


LISTED = commands_listed()


def commands_there(ctx: click.Context, name: str = "") -> Iterator[tuple[str, click.Context]]:
    yield name, ctx
    if isinstance(ctx.command, click.Group):
        for word in ctx.command.list_commands(ctx):
            command = ctx.command.get_command(ctx, word)
            assert command is not None
            inner = context_of(command, word, parent=ctx)
            yield from commands_there(inner, f"{name} {word}".strip())


def context_of(
    command: click.Command,
    name: str,
    **more: Any,  # noqa: ANN401 - click's own
) -> click.Context:
    return click.Context(command, info_name=name, **command.context_settings, **more)


THERE = dict(commands_there(context_of(commodore, "commodore", auto_envvar_prefix="COMMODORE")))


def test_the_commands_are_those_listed() -> None:
    assert sorted(THERE) == sorted(LISTED)


@pytest.mark.parametrize("name", sorted({*THERE} & {*LISTED}))
def test_the_options_are_those_listed(name: str) -> None:
    ctx = THERE[name]

    options = [
        described(ctx, option)
        for option in ctx.command.params
        if isinstance(option, click.Option) and option.expose_value
    ]

    assert by_names(options) == by_names(LISTED[name].get("options", []))


@pytest.mark.parametrize("name", sorted({*THERE} & {*LISTED}))
def test_the_arguments_are_those_listed(name: str) -> None:
    arguments = [
        {
            "name": str(argument.name).upper(),
            **kind_of(argument),
            **flags(optional=not argument.required, repeatable=argument.nargs == -1),
        }
        for argument in THERE[name].command.params
        if isinstance(argument, click.Argument)
    ]

    assert arguments == LISTED[name].get("arguments", [])


@pytest.mark.parametrize("name", sorted(THERE))
def test_every_command_has_help(name: str) -> None:
    help_option = THERE[name].command.get_help_option(THERE[name])

    assert help_option is not None
    assert {"-h", "--help"} <= {*help_option.opts}
    assert THERE[name].command.get_short_help_str()


@pytest.mark.parametrize(
    "name", sorted(name for name, ctx in THERE.items() if isinstance(ctx.command, Sectioned))
)
def test_headings_hold_every_option_once_and_mark_those_of_ours(name: str) -> None:
    command, listed = THERE[name].command, LISTED[name]
    assert isinstance(command, Sectioned)
    sections = dict(command.sections(THERE[name]))

    common = [option.opts[-1] for option in sections.pop(GENERAL)]

    assert common == ["--verbose", "--help"]
    marked = {
        " ".join(sorted(option.opts, key=len)): command.is_ours(option)
        for options in sections.values()
        for option in options
    }
    assert marked == {
        names: option.get("ours", False)
        for names, option in by_names(listed["options"], ours=True).items()
        if names != "-v --verbose"
    }


def test_the_overview_describes_every_command() -> None:
    overview = commodore.get_help(THERE[""]).partition("Commands:")[2]

    for word in commodore.list_commands(THERE[""]):
        assert re.search(rf"^  {word} +[A-Z].+\.$", overview, re.MULTILINE)


def by_names(options: list[dict[str, Any]], *, ours: bool = False) -> dict[str, dict[str, Any]]:
    return {
        " ".join(option["names"]): {
            key: value for key, value in option.items() if ours or key != "ours"
        }
        for option in options
    }


def described(ctx: click.Context, option: click.Option) -> dict[str, Any]:
    named, *automatic = variables_of(ctx, option)
    found = {
        "names": sorted(option.opts, key=len),
        **({"off": sorted(option.secondary_opts, key=len)} if option.secondary_opts else {}),
        **kind_of(option),
        **flags(repeatable=option.multiple),
        **({"env": named} if option.envvar else {}),
        "auto": automatic[0] if automatic else named,
    }
    default = option.to_info_dict()["default"]
    if default is not None:
        found["default"] = list(default) if isinstance(default, tuple) else default
    return found


def kind_of(parameter: click.Parameter) -> dict[str, Any]:
    kind = parameter.type
    if isinstance(parameter, click.Option) and parameter.count:
        return {"type": "count"}
    if isinstance(parameter, click.Option) and parameter.is_flag:
        return {"type": "flag"}
    if isinstance(kind, click.Path):
        name = {(True, False): "file", (False, True): "folder"}.get(
            (kind.file_okay, kind.dir_okay), "path"
        )
        return {"type": name, **flags(exists=kind.exists)}
    found: dict[str, Any] = {
        # A type of our own goes by the name it has in the help.
        "type": next(
            (name for known, name in KINDS.items() if isinstance(kind, known)), kind.name.lower()
        )
    }
    if isinstance(kind, click.Choice):
        found |= {"choices": list(kind.choices), **flags(any_case=not kind.case_sensitive)}
    return found


def flags(**given: bool) -> dict[str, bool]:
    return {name: True for name, value in given.items() if value}


def test_the_readme_names_all_commands() -> None:
    readme = (TREE.parent.parent / "README.md").read_text("utf-8")
    at_the_top = {name.split()[0] for name in LISTED if name}

    assert {name for name in at_the_top if f"`{name}`" not in readme} == set()
