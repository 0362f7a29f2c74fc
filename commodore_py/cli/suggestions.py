"""Suggestions for words that click does not understand; only used for errors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from commodore_py.model.names import nearest

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


def with_suggestions(error: click.exceptions.NoSuchCommand) -> click.UsageError:
    """The error, with the commands of that name, or with a similar one, anywhere in the tree."""
    if error.ctx is None:
        return error
    context, root = error.ctx, error.ctx.find_root()
    if error.command_name == "help":
        return click.UsageError(
            f"{error.message} Did you mean '{context.command_path} --help'?", context
        )
    if context.info_name == "edit" and "." in error.command_name:
        example = f"{context.command_path} set {error.command_name} VALUE"
        return click.UsageError(f"{error.message} Did you mean '{example}'?", context)
    paths = [path for path, _ in _commands(root, root.command, root.command_path)]
    matches = _named(error.command_name, paths) or _similar(error.command_name, context, paths)
    if not matches:
        return error
    *others, last = [f"'{path}'" for path in matches]
    alternatives = f"{', '.join(others)} or {last}" if others else last
    return click.UsageError(f"{error.message} Did you mean {alternatives}?", context)


def with_global_options(error: click.NoSuchOption) -> click.UsageError:
    """The error, with similar global options among its suggestions."""
    if error.ctx is None:
        return error
    commands = (error.ctx.command, error.ctx.find_root().command)
    option_names = [
        name for command in commands for option in command.params for name in option.opts
    ]
    return click.NoSuchOption(
        error.option_name, possibilities=dict.fromkeys(option_names), ctx=error.ctx
    )


def global_option_first(
    arguments: Sequence[str], error: click.NoSuchOption
) -> tuple[str, ...] | None:
    """The arguments with a global option before the command; None if it is not a global one."""
    if error.ctx is None:
        return None
    name, root = error.option_name, error.ctx.find_root().command
    option = next((param for param in root.params if name in param.opts), None)
    if not isinstance(option, click.Option):
        return None
    end = arguments.index("--") if "--" in arguments else len(arguments)
    for index in reversed(range(end)):
        word = arguments[index]
        if word == name:
            rest = index + (1 if option.is_flag or option.count else 2)
            if rest > end:
                text = f"Option {name!r} requires an argument."
                raise click.BadOptionUsage(name, text, error.ctx)
            return (*arguments[index:rest], *arguments[:index], *arguments[rest:])
        if word.startswith(f"{name}=" if name.startswith("--") else name):
            return (word, *arguments[:index], *arguments[index + 1 :])
        if _is_among(name, word) and option.is_flag:
            left = word.replace(name[1], "", 1)
            return (name, *arguments[:index], left, *arguments[index + 1 :])
    return None


def _is_among(name: str, word: str) -> bool:
    """Return whether a word is several short options, and this is one of them."""
    is_short = not name.startswith("--") and word[:1] == "-" and word[1:2] != "-"
    return is_short and name[1] in word[1:] and len(word) > len(name)


def _commands(
    ctx: click.Context, group: click.Command, above: str
) -> Iterator[tuple[str, click.Command]]:
    if not isinstance(group, click.Group):
        return
    for name in group.list_commands(ctx):
        command = group.get_command(ctx, name)
        if command is not None and not command.hidden:
            yield f"{above} {name}", command
            yield from _commands(ctx, command, f"{above} {name}")


def _named(name: str, paths: Sequence[str]) -> list[str]:
    return [path for path in paths if path.rpartition(" ")[2] == name]


def _similar(name: str, context: click.Context, paths: Sequence[str]) -> list[str]:
    """Commands of this group with a similar name, otherwise those of other groups."""
    inside = [path for path in paths if path.rpartition(" ")[0] == context.command_path]
    for some in (inside, paths):
        last = {path.rpartition(" ")[2]: path for path in reversed(some)}
        close = nearest(name, last)
        if close:
            return [path for command in close for path in _named(command, some)]
    return []
