"""Random sequences, for as long as asked: see `play.py` for what must hold in each.

Run it as `python -m tests.stateful.local_work --minutes 30 --jobs 2 --seed N`. Every sequence has a
seed of its own (`<seed>:<number>`): `--only SEED` runs it alone, and makes it as short as it still
fails.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .play import RULES, play
from .remotes import Remotes
from .sequences import Game, main

if TYPE_CHECKING:
    from pathlib import Path


def _prepare(template: Path) -> None:
    Remotes(template).make()


LOCAL_WORK = Game(
    rules=RULES,
    prepare=_prepare,
    play=play,
    # Compiles are what it is about, and time costs time.
    weights={"compile": 6.0, "compile_forced": 2.0, "wait": 0.1, "compile_local": 0.5},
    # The first thing is always a compile, and the last a forced one.
    first=(("compile", 0, 0, 0),),
    last=(("compile", 0, 0, 0), ("compile_forced", 0, 0, 0)),
)

if __name__ == "__main__":
    main(LOCAL_WORK, __doc__)
