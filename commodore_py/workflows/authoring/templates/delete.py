"""A component's checkout deleted from a working directory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commodore_py import dependencies

if TYPE_CHECKING:
    from pathlib import Path

    from commodore_py.config import Config


def refuse_deletion(config: Config, slug: str, place: Path) -> None:
    """Refuse what is no checkout, and without --force one that holds local work."""
    what = f"component {slug}"
    problem = dependencies.checkout_problem(what, place)
    if problem is None and not config.force:
        problem = dependencies.local_work(what, place)
    if problem is not None:
        raise problem


def delete(config: Config, slug: str, place: Path) -> Path | None:
    """Delete the checkout, and its clone unless something else is in it; says which is kept."""
    with dependencies.one_run(config.paths):
        refuse_deletion(config, slug, place)
        return dependencies.delete_checkout(config.paths, f"component {slug}", place)
