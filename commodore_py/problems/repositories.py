"""What the ignore files of repositories accept, besides what the user does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .ignore_file import read_ignore_file
from .judge import Judge

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import date
    from pathlib import Path

    from commodore_py.model.problem import Problem
    from commodore_py.model.problems.tolerance import Tolerance
    from commodore_py.model.verdict import Verdict


def lint_verdict(
    problems: Iterable[Problem], targets: Iterable[Path], tolerance: Tolerance, *, today: date
) -> Verdict:
    """Problems of files, judged by the ignore files at the top of the folders that were linted."""
    files = [read_ignore_file(target) for target in dict.fromkeys(targets) if target.is_dir()]
    entries = tuple(entry for file in files for entry in file.ignores)
    tolerance = tolerance._replace(ignores=(*tolerance.ignores, *entries))
    found = (*problems, *(problem for file in files for problem in file.problems))
    return Judge(tolerance, cluster="", today=today).judge(found)


def verdict_of(
    problems: Iterable[Problem],
    tolerance: Tolerance,
    *,
    cluster: str,
    folders: tuple[Path | None, Path | None],
    today: date,
) -> Verdict:
    """Problems of a cluster, judged by the ignore files of its two repositories, too.

    `folders` are the global one and the tenant's. A tenant may ignore what the global file
    delegates, and problems in the tenant's own files.
    """
    global_folder, tenant_folder = folders
    entries, found = list(tolerance.ignores), list(problems)
    delegated: tuple[str, ...] = ()
    if global_folder is not None:
        file = read_ignore_file(global_folder)
        delegated = file.delegated
        entries += file.ignores
        found += file.problems
    if tenant_folder is not None:
        file = read_ignore_file(tenant_folder, delegated=delegated)
        entries += file.ignores
        found += file.problems
    judge = Judge(tolerance._replace(ignores=tuple(entries)), cluster=cluster, today=today)
    return judge.judge(found, own=(f"{tenant_folder}/",) if tenant_folder else ())
