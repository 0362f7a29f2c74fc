"""What `catalog compile` shows: the change, the question, the outcome."""

from __future__ import annotations

import logging
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING, Any

import click

from commodore_py import catalog as catalogs
from commodore_py.model import ReportOutcome

from . import prompt, render, voice
from .log import Collected

if TYPE_CHECKING:
    from collections.abc import Iterator

    from commodore_py.config import Config
    from commodore_py.model import Change, Published

NOT_REPORTED = 4
CHANGES_FOUND = 5


class Show:
    """Shows one compile; what programs read is alone on stdout."""

    def __init__(self, output: str) -> None:
        self._output = output
        self._collected = Collected()

    @contextmanager
    def collecting(self) -> Iterator[Show]:
        """Keep the warnings of the run for the result."""
        logger = logging.getLogger("commodore_py")
        logger.addHandler(self._collected)
        try:
            yield self
        finally:
            logger.removeHandler(self._collected)

    def ask(self, config: Config, change: Change) -> bool:
        """Whether to publish; shows the change first, as that is what the answer is about."""
        self._change(config, change)
        if not config.push:
            return False
        return not config.interactive or prompt.confirm(
            " > Should the push be done?",
            undone="nothing is pushed; the changes are staged in catalog/",
            in_advance="--push without --interactive pushes, no --push does not",
        )

    def outcome(
        self, config: Config, cluster: str, published: Published, *, exit_code: bool
    ) -> int:
        """Show how the run ended, and say it as an exit code."""
        if config.local or not published.change:
            self._change(config, published.change)
        if config.verbosity:
            message = catalogs.commit_message(published.record)
            voice.plain("\n".join(f"   {line}".rstrip() for line in message.splitlines()))
        for line in _steps(config, published):
            voice.step(line)
        if published.report is ReportOutcome.FAILED:
            voice.warn(
                "the catalog was pushed, but the compile could not be reported: "
                + published.report_problem,
                where=f"commit {published.commit}",
                hint="the API is told with the next push; until then it shows the compile before",
            )
        self._result(cluster, published)
        voice.notices(published.notices)
        if published.report is ReportOutcome.FAILED:
            return NOT_REPORTED
        return CHANGES_FOUND if exit_code and published.change else 0

    def _change(self, config: Config, change: Change) -> None:
        started = monotonic()
        if config.migration:
            voice.step("Smart diffing started; this may take a while")
        text = render.diff_lines(catalogs.diff_text(change, migration=config.migration))
        if self._output == "text":
            click.echo(text)
        else:
            voice.plain(text)
        if config.migration and change:
            voice.step(f"Smart diffing took {monotonic() - started:.2f}s")
        for path in change.ignored:
            voice.doubt(
                f"{path} is ignored by Git in the catalog, and so not part of it",
                hint="name it in the catalog's .gitignore after a `!`, or stop compiling it",
                strict=config.strict,
            )

    def _result(self, cluster: str, published: Published) -> None:
        if self._output == "text":
            click.secho(f"Catalog of cluster {cluster} compiled", bold=True)
        else:
            content = result_of(cluster, published, self._collected.warnings)
            click.echo(render.structured(content, self._output))


def result_of(cluster: str, published: Published, warnings: list[str]) -> dict[str, Any]:
    """A compile for programs."""
    return {
        "schema": "catalog-compile/v1",
        "cluster": cluster,
        "changed": bool(published.change),
        "changes": [
            {"kind": file.kind, "path": file.path}
            | ({"old_path": file.old_path} if file.old_path != file.path else {})
            for file in published.change.files
        ],
        "commit": published.commit,
        "reported": published.report is ReportOutcome.REPORTED,
        "instances": [
            {
                "name": instance.name,
                "component": instance.component or instance.name,
                "url": instance.url,
                "version": instance.version,
                "commit": instance.commit,
            }
            for instance in published.record.instances
        ],
        "warnings": warnings,
        "notices": [notice.text for notice in published.notices],
    }


def _steps(config: Config, published: Published) -> list[str]:
    if published.commit:
        return [f"Pushed commit {published.commit}"]
    if config.local:
        return ["Nothing is committed or pushed in local mode"]
    if not published.change:
        return ["Nothing to commit"]
    return [
        "Not pushed: the changes are staged in catalog/",
        "Use --push to commit and push them, with --interactive to be asked first",
    ]
