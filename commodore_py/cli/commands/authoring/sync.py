"""`component sync` and `package sync`: many repositories, with a summary at the end."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from commodore_py.adapters.http.github import PUBLIC, connect
from commodore_py.cli.output import formats, messages, streams
from commodore_py.cli.settings import directories, user_file
from commodore_py.cli.settings.options import Globals, config_of
from commodore_py.errors import CommodoreError, raise_collected
from commodore_py.workflows.authoring.sync import Outcome, Result, Sync, read_list

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from commodore_py.workflows.authoring.templates.kinds import RepositoryKind

_COLOURS: Final = {Result.FAILED: "red", Result.NOT_TRIED: "red", Result.SKIPPED: "yellow"}


def sync(kind: RepositoryKind, settings: Globals, path: Path, options: Mapping[str, Any]) -> None:
    """Propose changes to all repositories of a list; fails at the end if any of them failed."""
    token, pause = options["github_token"], options["github_pause"]
    if not token:
        raise CommodoreError(
            "no token for GitHub",
            where=str(path),
            hint="set --github-token or COMMODORE_GITHUB_TOKEN",
        )
    names = read_list(path, options["filter"])
    url = user_file.shared_text("github_url") or PUBLIC
    github = connect(url, token, timeout=settings.request_timeout, pause=pause)
    dry_run = options["dry_run"]
    if options["template_version"] and not dry_run:
        messages.warn("--template-version implies --dry-run: nothing will be pushed")
        dry_run = True
    config = config_of(settings, **directories.caches())
    run = Sync(
        *(config, kind),
        github,
        options["pr_branch"],
        options["pr_label"],
        options["template_version"],
        options["trust"],
        dry_run,
        options["pr_batch_size"],
        pause,
    )
    outcomes: list[Outcome] = []
    try:
        for outcome in run.run(names, _print_heading):
            _print_outcome(outcome)
            outcomes.append(outcome)
    finally:
        _print_summary(kind, outcomes, len(names))
    raise_collected(
        [outcome.error for outcome in outcomes if outcome.error is not None],
        f"not all {kind.name}s could be updated",
    )


def _print_heading(name: str) -> None:
    messages.heading(f"Updating {name}...")


def _print_outcome(outcome: Outcome) -> None:
    for note in outcome.notes:
        messages.info(note)
    about = f": {outcome.about}" if outcome.about else ""
    messages.info(f"{outcome.result.value}{about}")
    if outcome.lines:
        streams.result(formats.diff_lines(outcome.lines))


def _print_summary(kind: RepositoryKind, outcomes: Sequence[Outcome], listed: int) -> None:
    if not listed:
        messages.warn(f"no {kind.name} in the list to process: see --filter")
    for outcome in outcomes:
        about = f": {outcome.about}" if outcome.about else ""
        line = f"{outcome.name}: {outcome.result.value}{about}"
        streams.result(line, fg=_COLOURS.get(outcome.result))
    counts = Counter(outcome.result for outcome in outcomes)
    parts = [f"{result.value}: {counts[result]}" for result in Result if counts[result]]
    done = f"{len(outcomes)} of {listed}" if len(outcomes) < listed else str(listed)
    plural = "" if listed == 1 else "s"
    streams.result(f"{done} {kind.name}{plural}: {'; '.join(parts) or 'nothing done'}", bold=True)
