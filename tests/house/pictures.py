"""Pictures of terminal sessions: `make pictures` writes them to docs/pictures (needs tmux)."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

from tests.support.argocd_catalog import recorded_cluster

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "pictures"
_PROMPT = "$ "
_SECONDS = 60
# Rich's own frame loads a font from a server.
_FRAME = """\
<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{ font-family: ui-monospace, Menlo, Consolas, monospace;
  font-size: {char_height}px; line-height: {line_height}px; }}
.{unique_id}-title {{ font: bold 18px sans-serif; }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}" />
</clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""


@dataclass(frozen=True, slots=True)
class Picture:
    """A command whose session is shown, and what is typed before."""

    name: str
    command: str
    before: str = "true"


_EDIT = "commodore edit set --commit --push"
PICTURES = (
    Picture("compile", "commodore catalog compile --all --push --diff none"),
    Picture(
        "diff",
        "commodore catalog compile c-demo-1 --diff objects",
        "commodore catalog compile c-demo-1 --push;"
        f" {_EDIT} web_shop.replicas 4; {_EDIT} monitoring.alerts.disk_full_at 0.5",
    ),
    Picture("explain", "commodore inventory explain web-shop web_shop.replicas"),
    Picture("plan", "commodore plan show", "commodore catalog compile c-demo-2"),
)
_LIVE = Picture(
    "live-tree", "commodore live tree c-demo-1 --catalog catalog --kubeconfig kubeconfig"
)


class Terminal:
    """A shell in a tmux session."""

    def __init__(self, folder: Path, home: Path, *, width: int = 96, height: int = 60) -> None:
        self._socket = str(home / "tmux")
        variables = {
            "HOME": str(home),
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "PS1": _PROMPT,
            "TERM": "screen-256color",
            "GIT_CONFIG_GLOBAL": str(home / "gitconfig"),
        }
        shell = shlex.join(["env", "-i", *(f"{k}={v}" for k, v in variables.items()), "sh"])
        size = ("-x", str(width), "-y", str(height))
        self._tmux("new-session", "-d", "-c", str(folder), *size, shell)
        self._until(lambda screen: screen.rstrip() == _PROMPT.rstrip())

    def run(self, command: str) -> str:
        """The screen after a command, with its colours."""
        self._tmux("send-keys", "clear", "Enter")
        self._until(lambda screen: screen.rstrip() == _PROMPT.rstrip())
        self._tmux("send-keys", "-l", command)
        self._tmux("send-keys", "Enter")
        self._until(lambda screen: screen.rstrip().endswith(f"\n{_PROMPT.rstrip()}"))
        return self._tmux("capture-pane", "-e", "-p").rstrip().removesuffix(_PROMPT.rstrip())

    def close(self) -> None:
        """End the shell."""
        self._tmux("kill-server")

    def _until(self, condition: Callable[[str], bool]) -> None:
        deadline = time.monotonic() + _SECONDS
        while not condition(self._tmux("capture-pane", "-p")):
            if time.monotonic() > deadline:
                raise TimeoutError(self._tmux("capture-pane", "-p"))
            time.sleep(0.1)

    def _tmux(self, *words: str) -> str:
        command = ["tmux", "-S", self._socket, *words]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def draw(picture: Picture, screen: str) -> None:
    """Write a screen as a picture."""
    text = Text.from_ansi(screen.rstrip())
    width = max(60, *(len(line) for line in text.plain.splitlines()))
    console = Console(record=True, width=width, file=StringIO(), legacy_windows=False)
    console.print(text, soft_wrap=True)
    svg = console.export_svg(
        title="commodore", theme=MONOKAI, code_format=_FRAME, unique_id=picture.name
    )
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / f"{picture.name}.svg").write_text(svg, "utf-8")


@contextmanager
def _opened(folder: Path, home: Path) -> Iterator[Terminal]:
    terminal = Terminal(folder, home)
    try:
        yield terminal
    finally:
        terminal.close()


def main() -> None:
    """Write all pictures."""
    with tempfile.TemporaryDirectory() as scratch:
        home = Path(scratch)
        (home / "gitconfig").write_text("[user]\nname = Ann\nemail = ann@example.com\n")
        with _opened(home, home) as terminal:
            terminal.run("commodore demo fleet >/dev/null; cd fleet")
            for picture in PICTURES:
                terminal.run(f"({picture.before}) >/dev/null 2>&1")
                draw(picture, terminal.run(picture.command))
            (home / "live").mkdir()
            with recorded_cluster(home / "live", "annotation"):
                terminal.run("cd ../live")
                draw(_LIVE, terminal.run(_LIVE.command))


if __name__ == "__main__":
    if shutil.which("tmux") is None:
        sys.exit("there is no tmux in PATH: install it (Debian, Ubuntu: apt install tmux)")
    main()
