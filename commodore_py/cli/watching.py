"""`catalog compile --watch`: compile again after each change of the files that are read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from commodore_py.adapters.files.watch import Watched
from commodore_py.config import facts_folder
from commodore_py.errors import UsageError
from commodore_py.inventory.engine.reader import warn_again

from . import failures
from .output import messages
from .output.differences.words import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from commodore_py.config import Config

# What a compile writes by itself, at the top of its working directory; and reports of facts.
_GENERATED = (
    *(".commodore", "catalog", "compiled", "vendor", "jsonnetfile.json", "jsonnetfile.lock.json"),
    "reports",
)
_GENERATED_BELOW = (
    *("inventory/targets", "dependencies/lib"),
    *(f"inventory/classes/{name}" for name in ("components", "defaults", "params")),
)
_FEW = 3


def check(options: dict[str, Any], output: str, *, several: bool) -> None:
    """Refuse what cannot be done for each change of a file."""
    refused = {
        "several clusters": several,
        "--push": options["push"],
        "--output": output != "text",
    }
    for what, is_wanted in refused.items():
        if is_wanted:
            raise UsageError(f"--watch and {what} cannot be combined", hint="omit one of them")


def compile_again(config: Config, compile_once: Callable[[], int]) -> int:
    """Compile until the user ends it while it waits; returns the exit code of the last compile."""
    root = config.paths.root
    own = [root / name for name in _GENERATED_BELOW]
    written = [path for path in (config.output_dir, *config.output_files) if path is not None]
    files = Watched(_folders(config), _GENERATED, (*own, *(path.absolute() for path in written)))
    while True:
        warn_again()
        try:
            code = compile_once()
        except Exception as error:  # noqa: BLE001 - the next change may fix it
            code = failures.report(error)
        if not config.local:  # it has fetched
            files.accept(root)
        try:
            messages.heading("\nWaiting for changes; press Ctrl-C to stop")
            changed = files.wait()
        except KeyboardInterrupt:
            return code
        messages.heading(f"\nChanged: {_shown(changed, root)}")


def _shown(changed: Sequence[Path], root: Path) -> str:
    names = [str(one.relative_to(root) if root in one.parents else one) for one in changed]
    more = len(names) - _FEW
    return ", ".join(names[:_FEW]) + (f" and {counted(more, 'more file')}" if more > 0 else "")


def _folders(config: Config) -> Iterator[Path]:
    """The working directory, checkouts that it links to, and the facts."""
    root = config.paths.root
    yield root
    for folder in (config.paths.dependencies, config.paths.classes):
        links = (one for one in folder.glob("*") if one.is_symlink() and one.is_dir())
        yield from (real for one in links if root not in (real := one.resolve()).parents)
    facts = None if config.local else facts_folder(config.api_url)
    if facts is not None and root not in facts.resolve().parents:
        yield facts.resolve()
