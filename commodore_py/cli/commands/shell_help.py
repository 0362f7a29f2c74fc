"""`commodore completion`."""

from __future__ import annotations

import click

from commodore_py.cli.output import streams
from commodore_py.cli.settings.options import HELP

_VARIABLE = "_COMMODORE_COMPLETE"
# The file of each shell, and the line that installs completion.
INSTALL = {
    "bash": (
        "~/.bashrc",
        'eval "$(commodore completion bash)"',
    ),
    "zsh": (
        "~/.zshrc, after compinit",
        'eval "$(commodore completion zsh)"',
    ),
    "fish": (
        "~/.config/fish/completions/commodore.fish",
        "commodore completion fish | source",
    ),
}


@click.command(context_settings=HELP)
@click.argument("shell", type=click.Choice(tuple(INSTALL)))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print the script that completes commands, options and names in SHELL.

    \b
    To install it, add a line to a file that the shell reads:
      bash  ~/.bashrc   eval "$(commodore completion bash)"
      zsh   ~/.zshrc    eval "$(commodore completion zsh)"     (after compinit)
      fish  ~/.config/fish/completions/commodore.fish
                        commodore completion fish | source
    """
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    if kind is None:
        raise click.UsageError(f"there is no completion for {shell}", ctx)
    file, line = INSTALL[shell]
    script = kind(ctx.find_root().command, {}, "commodore", _VARIABLE).source()
    streams.result(f"{script.rstrip()}\n\n# To install it, add this line to {file}:\n#   {line}")
