"""Every command and option of Commodore 1.35.1 is there, and few of ours beside them."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from commodore_py.cli.root import commodore
from commodore_py.cli.settings.origins import variables_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

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
MOST_COMMANDS = 64
MOST_OPTIONS = 15
MOST_OPTIONS_OF_COMPILE = 36
MOST_NAMES = 62


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


def test_all_commands_of_commodore_exist() -> None:
    assert {*LISTED} - {*THERE} == set()


def test_all_options_of_commodore_exist() -> None:
    for name, command in LISTED.items():
        ctx = THERE[name]
        options = by_names(described(ctx, option) for option in options_of(ctx))
        listed = by_names(command.get("options", []))

        assert {names: options.get(names) for names in listed} == listed, name


def test_all_arguments_of_commodore_exist() -> None:
    for name, command in LISTED.items():
        arguments = [
            {
                "name": str(argument.name).upper(),
                **kind_of(argument),
                **flags(optional=not argument.required, repeatable=argument.nargs == -1),
            }
            for argument in THERE[name].command.params
            if isinstance(argument, click.Argument)
        ]

        assert arguments == command.get("arguments", []), name


def test_commands_are_few() -> None:
    leaves = [name for name, ctx in THERE.items() if not isinstance(ctx.command, click.Group)]

    assert len(leaves) <= MOST_COMMANDS


def test_number_of_options_is_limited() -> None:
    most = dict.fromkeys({*THERE} - {*LISTED}, MOST_OPTIONS)
    most["catalog compile"] = MOST_OPTIONS_OF_COMPILE

    counts = {name: len(options_of(THERE[name])) for name in most}

    assert {name: count for name, count in counts.items() if count > most[name]} == {}


def test_distinct_options_of_ours_are_few() -> None:
    listed = {name for entry in LISTED.values() for name in long_names(entry.get("options", []))}
    present = {
        option.opts[-1] if option.opts[-1].startswith("--") else option.opts[0]
        for ctx in THERE.values()
        for option in options_of(ctx)
    }

    assert len(present - listed) <= MOST_NAMES, sorted(present - listed)


def test_automatic_variables_are_commodores() -> None:
    for name in {*THERE} - {""}:
        listed = by_names(LISTED.get(name, {}).get("options", []))
        options = by_names(described(THERE[name], option) for option in options_of(THERE[name]))

        assert {names for names, option in options.items() if "auto" in option} <= {*listed}, name


def options_of(ctx: click.Context) -> list[click.Option]:
    return [
        option
        for option in ctx.command.params
        if isinstance(option, click.Option) and not option.is_eager
    ]


def by_names(options: Iterable[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {" ".join(option["names"]): option for option in options}


def long_names(options: Iterable[dict[str, Any]]) -> Iterator[str]:
    for option in options:
        yield from (name for name in option["names"] if name.startswith("--"))


def described(ctx: click.Context, option: click.Option) -> dict[str, Any]:
    variables = variables_of(ctx, option)
    found = {
        "names": sorted(option.opts, key=len),
        **({"off": sorted(option.secondary_opts, key=len)} if option.secondary_opts else {}),
        **kind_of(option),
        **flags(repeatable=option.multiple),
        **({"env": variables[0]} if option.envvar else {}),
        **({"auto": variables[-1]} if option.allow_from_autoenv else {}),
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
