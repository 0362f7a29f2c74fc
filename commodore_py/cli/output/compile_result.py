"""Output of `catalog compile`: the change, the prompt, the outcome."""

from __future__ import annotations

import logging
from contextlib import contextmanager
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING, Any

from commodore_py.adapters.masking import without_secrets
from commodore_py.catalog.diff.revisions import compared
from commodore_py.catalog.record import commit_message
from commodore_py.cli.exit_codes import CHANGES_FOUND, NOT_REPORTED
from commodore_py.errors import CommodoreError
from commodore_py.manifests import grades
from commodore_py.model.difference import GRADES
from commodore_py.model.published import ReportOutcome

from . import differences, messages, streams
from .bundles import heading, used
from .differences import as_json, as_markdown, as_text
from .log import Collected

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import Self

    from commodore_py.catalog.diff.objects import ObjectDiff
    from commodore_py.config import Config
    from commodore_py.manifests.diff import ObjectChange
    from commodore_py.model.catalog import Change
    from commodore_py.model.difference import Grade
    from commodore_py.model.published import Published

    from .differences import DiffForm


@dataclass(frozen=True, slots=True)
class Form:
    """How the result of a compile is wanted."""

    output: str
    diff: DiffForm
    exit_code: bool
    migration: str = ""
    interactive: bool = False
    report: Path | None = None
    """The HTML file for a run over several clusters."""


class CompileReporter:
    """Shows the result of one compile; stdout has nothing but the result.

    What is worse than `max_grade` is not pushed, nor, if there is one, another version of the
    changes than the one that was `seen`.
    """

    def __init__(self, form: Form, max_grade: Grade = GRADES[0], *, seen: str = "") -> None:
        self._form = form
        self._max_grade, self._seen = max_grade, seen
        self._collected = Collected()
        self._diff: tuple[Change, ObjectDiff] | None = None
        self.held = False
        """Whether a change is too bad to be pushed."""
        self.content: dict[str, Any] | None = None
        """The result for programs, once there is one."""

    @contextmanager
    def collecting(self) -> Iterator[Self]:
        """Collect the warnings of the run for the result."""
        logger = logging.getLogger("commodore_py")
        logger.addHandler(self._collected)
        try:
            yield self
        finally:
            logger.removeHandler(self._collected)

    def approve(self, config: Config, change: Change) -> bool:
        """Show the change, and decide whether to publish it."""
        self._change(change, for_prompt=config.push and self._form.interactive)
        if not config.push:
            return False
        if self._seen:
            _refuse_others(config, self._seen)
        if self._max_grade != GRADES[0]:
            worst = grades.worst([kube_object.grade for kube_object in self.objects(change)])
            self.held = GRADES.index(worst) < GRADES.index(self._max_grade)
            if self.held:
                stage = f"the stage allows {self._max_grade}"
                messages.error_with(
                    f"not pushed: the worst change is {worst}, and {stage}",
                    hint="see it with --diff objects, and push this cluster by itself if it is"
                    " wanted",
                )
                return False
        return not self._form.interactive or messages.confirm(
            f" > Push to {without_secrets(change.destination)}?",
            undone="nothing is pushed; the changes are staged in catalog/",
            in_advance="--push without --interactive pushes; without --push nothing is pushed",
        )

    def outcome(self, config: Config, cluster: str, published: Published) -> int:
        """Show how the run ended; returns the exit code."""
        never_prompted = config.local or config.dry_run or config.output_dir is not None
        if never_prompted or not published.change:
            self._change(published.change)
        if config.verbosity:
            message = commit_message(published.record)
            messages.plain("\n".join(f"   {line}".rstrip() for line in message.splitlines()))
        for line in _steps(config, published):
            messages.info(line)
        if published.report is ReportOutcome.FAILED:
            messages.warn(
                "the catalog was pushed, but reporting the compile failed: "
                + published.report_problem,
                where=f"commit {published.unreported}",
                hint=f"the next compile reports it: {_compile_command(config, cluster)}",
            )
        self._result(cluster, published)
        messages.notices(published.notices)
        if published.report is ReportOutcome.FAILED:
            return NOT_REPORTED
        return CHANGES_FOUND if self._form.exit_code and published.change else 0

    def _change(self, change: Change, *, for_prompt: bool = False) -> None:
        """Show the change, unless it is the result itself, in another form."""
        if self._form.output == "markdown" and not for_prompt:
            self._warn_of_ignored(change)
            return
        started = monotonic()
        smart = self._form.migration and self._form.diff == "text"
        if smart:
            messages.info("Smart diffing started; this may take a while")
        text = self._text(change)
        if self._form.output == "text":
            streams.result(text)
        else:
            messages.plain(text)
        if smart and change:
            messages.info(f"Smart diffing took {monotonic() - started:.2f}s")
        self._warn_of_ignored(change)

    def _warn_of_ignored(self, change: Change) -> None:
        for message in change.ignored_messages():
            messages.warn(
                message,
                hint="add it to the catalog's .gitignore with a leading `!`, or stop compiling it",
            )

    def _text(self, change: Change) -> str:
        if self._form.diff != "objects":
            return differences.text_of(change, self._form.diff, self._form.migration)
        text, about = as_text.object_diff(self._object_diff(change)), _about_bundle(change)
        return f" > {about}\n{text}" if about else text

    def objects(self, change: Change) -> tuple[ObjectChange, ...]:
        """The objects that change."""
        return self._object_diff(change).objects if change else ()

    def _object_diff(self, change: Change) -> ObjectDiff:
        """The objects of a change, compared once however often that is wanted."""
        if self._diff is None or self._diff[0] is not change:
            self._diff = (change, differences.diff_of(change, self._form.migration))
        return self._diff[1]

    def _result(self, cluster: str, published: Published) -> None:
        if self._form.output == "text":
            streams.result(f"Catalog of cluster {cluster} compiled", bold=True)
            return
        content: dict[str, Any] = {}
        if self._form.output == "markdown" or self._form.diff == "objects":
            change = published.change
            object_diff = self._object_diff(change)
            if self._form.output == "markdown":
                about = _about_bundle(change)
                text = as_markdown.object_diff(object_diff)
                streams.result(f"_{about}_\n\n{text}" if about else text)
                return
            content = {"diff": as_json.object_diff(object_diff)}
        self.content = result_of(cluster, published, self._collected.warnings) | content


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
        "timings": dict(published.timings),
        "warnings": warnings,
        "notices": [notice.message for notice in published.notices],
        "lock": published.lock._asdict() if published.lock is not None else None,
        "bundle": used(bundle) if (bundle := published.change.bundle) is not None else None,
    }


def _refuse_others(config: Config, seen: str) -> None:
    """Refuse changes that differ from those that were read."""
    with compared(config.paths.catalog, "HEAD") as comparison:
        if comparison.tree != seen:
            error = CommodoreError(
                "the changes are no longer those that were read",
                hint="nothing was pushed; read the changes again",
            )
            error.problem_code = "clusters/other-changes"
            raise error


def _about_bundle(change: Change) -> str:
    return heading(change.bundle) if change.bundle is not None else ""


def _compile_command(config: Config, cluster: str) -> str:
    import shlex

    words = ["commodore", "--working-dir", str(config.paths.root), "catalog", "compile", cluster]
    return shlex.join([*words, "--push", "--api-url", config.api_url])


def _steps(config: Config, published: Published) -> list[str]:
    if published.commit:
        return [f"Pushed commit {published.commit}"]
    if config.dry_run:
        return ["Dry run: nothing was written"]
    if config.output_dir is not None:
        return [f"Wrote the catalog to {config.output_dir}"]
    if config.local:
        return ["Nothing is committed or pushed in local mode"]
    if not published.change:
        return ["Nothing to commit"]
    return [
        "Not pushed: the changes are staged in catalog/",
        "Use --push to commit and push them, and --interactive to confirm first",
    ]
