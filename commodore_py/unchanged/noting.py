"""What is noted of a run that ended well."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from commodore_py import compiler
from commodore_py.cache import instances
from commodore_py.cache.verdicts import Verdicts
from commodore_py.lieutenant.urls import facts_folder

from . import answers, downloads, looks, outcome, outside, proof, remotes

if TYPE_CHECKING:
    from collections.abc import Callable

    from commodore_py.config import Config
    from commodore_py.model.catalog import Change, DiffLine
    from commodore_py.model.stages import Published, Rendered, Sources
    from commodore_py.run_log import Events

    from .looks import Look


@dataclass(frozen=True, slots=True)
class Seen:
    """What was collected since before the run began."""

    before: Look
    began: int
    heard: Events
    warnings: tuple[dict[str, str], ...]
    told_to: frozenset[str]


def note(
    config: Config,
    sources: Sources,
    rendered: Rendered,
    published: Published,
    seen: Seen,
    *,
    lines: Callable[[Change], tuple[DiffLine, ...]] | None,
) -> dict[str, Any] | str:
    """Everything by which the run can be recognised; or why it cannot."""
    why = _objection(config, sources, published, seen)
    if why:
        return why
    root = config.paths.root
    facts = None if config.local else facts_folder(config.api_url)
    elsewhere = sorted(
        {*outside.named_by(sources, root), *instances.paths_outside(seen.heard, root)}
    )
    asked = remotes.asked_in(config.paths, sources, seen.heard, local=config.local)
    if asked is None:
        return "it is not known what its remotes have"
    # A run that fetches also writes where others do, which must be told apart.
    quick = config.local and not config.fetch_dependencies
    before = seen.before if quick else None
    look = looks.of_run(config, elsewhere, seen.told_to, before=before, written=proof.WRITTEN)
    foreign = proof.unexplained(
        proof.Looks(seen.before, seen.began, look), config, sources, rendered
    )
    if foreign:
        return f"somebody else may have changed {foreign} meanwhile"
    if not look.is_settled():
        return "files are as young as the clock is exact"
    text = lines(published.change) if lines is not None and published.change else None
    return {
        "look": look.digest(),
        "cluster": "" if config.local or facts else answers.word_for(sources.cluster),
        "catalog": sources.cluster.catalog_url,
        "outside": elsewhere,
        "told_to": sorted(filter(os.path.lexists, seen.told_to)),
        "remotes": asked,
        "downloads": [] if config.local else downloads.asked_in(seen.heard),
        "outcome": outcome.told(published, text),
    }


def _objection(config: Config, sources: Sources, published: Published, seen: Seen) -> str:
    """Why a run must be done again, whatever the files are like."""
    if published.unreported:
        return "its report is still due"
    warned = replace(config, helm_nondeterminism="warn")
    if _is_unsteady(seen.heard) or compiler.chart_doubts(warned, sources):
        return "a chart gives something else each time"
    file = instances.reads_one_of(seen.told_to, seen.heard, config.paths.root)
    return f"it looks for {file}, and is told to such a file itself" if file else ""


def _is_unsteady(heard: Events) -> bool:
    """Whether something was made that comes out different each time, as far as is known."""
    return any(not verdict.steady for verdicts in heard.of(Verdicts) for verdict in verdicts.all)
