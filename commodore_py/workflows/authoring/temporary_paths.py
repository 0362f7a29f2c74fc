"""Replace paths of a temporary folder in messages with those of the user's folder."""

from __future__ import annotations

import re
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from commodore_py.model.problem import Problem


@contextmanager
def user_paths_in_errors(folder: Path | None) -> Iterator[None]:
    """Errors name no path in this folder; without one, they are unchanged."""
    try:
        yield
    except CommodoreError as error:
        if folder is not None:
            error.rewrite(partial(with_user_path, folder=folder))
        raise


def with_user_paths(notices: Iterable[Problem], folder: Path) -> tuple[Problem, ...]:
    """The notices without paths in this folder."""
    return tuple(
        one._replace(
            message=with_user_path(one.message, folder),
            where=with_user_path(one.where, folder),
        )
        for one in notices
    )


def with_user_path(text: str, folder: Path) -> str:
    """A text without paths in a folder: links are followed, the rest is relative."""
    if str(folder) not in text:
        return text

    def name(found: re.Match[str]) -> str:
        real = Path(found[0]).resolve()
        return str(real.relative_to(folder)) if real.is_relative_to(folder) else str(real)

    return re.sub(re.escape(f"{folder}/") + r"[^\s,:;'\"`()]+", name, text)
