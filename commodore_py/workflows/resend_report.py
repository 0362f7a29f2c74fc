"""Report a push whose report failed, or was not sent because the process was killed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commodore_py.adapters.git.program import git, succeeds
from commodore_py.catalog.unreported import forget_unreported, unreported
from commodore_py.dependencies.protection.run_lock import exclusive_run
from commodore_py.errors import CommodoreError
from commodore_py.lieutenant.reports import send_report

if TYPE_CHECKING:
    from commodore_py.config import Config


def resend_report(config: Config, cluster_id: str) -> str:
    """Report the unreported push of a cluster; returns its commit, empty if there was none."""
    if unreported(config.paths) is None:
        return ""
    with exclusive_run(config.paths):
        left = unreported(config.paths)
        if left is None:
            return ""
        if left.cluster != cluster_id:
            raise CommodoreError(
                f"the unreported push in this working directory is of cluster {left.cluster}",
                where=str(config.paths.root),
                hint=f"report {left.cluster}, or name the working directory of {cluster_id}",
            )
        if not (left.pushed or _is_pushed(config, left.commit)):
            raise CommodoreError(
                f"it is unknown whether commit {left.commit} was pushed: the process was killed",
                where=str(config.paths.catalog),
                hint="compile again with --push, which pushes what is missing and reports it",
            )
        send_report(config, cluster_id, left.report)
        forget_unreported(config.paths)
        return left.commit


def _is_pushed(config: Config, commit: str) -> bool:
    remotes = ("rev-list", "--max-count=1", commit, "--not", "--remotes")
    directory = config.paths.catalog
    there = directory.is_dir() and succeeds(directory, "cat-file", "-e", f"{commit}^{{commit}}")
    return there and not git(directory, *remotes)
