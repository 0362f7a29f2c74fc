"""Test a package: all of its cases in one process, against what is expected of them."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from commodore_py.config import WorkPaths
from commodore_py.dependencies.lock.unlocked import RunLock
from commodore_py.errors import CommodoreError
from commodore_py.model.tree import Tree
from commodore_py.workflows.authoring.package import PackageFolder
from commodore_py.workflows.authoring.package_compile import placed, render_package
from commodore_py.workflows.authoring.workspace import Workspace, workspace

from .run import CaseRun, Output, compiled

if TYPE_CHECKING:
    from collections.abc import Generator

    from commodore_py.config import Config
    from commodore_py.dependencies.lock.shared import SharedLock

    from .cases import Suite

    _Work = tuple[Config, PackageFolder, Workspace]


def compile_cases(
    config: Config, suite: Suite, keep: Path | None = None, lock: SharedLock | None = None
) -> Generator[CaseRun, None, None]:
    """Compile all cases, each in a working directory of its own; yields each when it is done.

    They may require different versions of one component; shared content comes from the
    user's caches. The directories remain in a folder if one is given, and are reused there.
    """
    with workspace("package-", folder=keep) as parent:
        ready: list[tuple[str, _Work]] = []
        for case in suite.cases:
            folder = parent.folder / case.name
            folder.mkdir(parents=True, exist_ok=True)
            test_class = case.values.relative_to(suite.directory)
            try:
                package = PackageFolder.find(suite.directory, test_class, [])
            except CommodoreError as error:
                yield CaseRun(case.name, None, error)
            else:
                case_config = replace(config, paths=WorkPaths(folder), processes=1)
                work = Workspace(folder, parent.temporary)
                ready.append((case.name, (case_config, package, work)))
        yield from compiled(config, ready, partial(_compile, lock=lock))


def _compile(what: _Work, *, lock: SharedLock | None) -> Output:
    locked = lock.run() if lock is not None else RunLock()
    rendered = render_package(*what, locked)
    tree = Tree()
    for folder, files in placed(rendered.instances).items():
        tree |= files.below(PurePosixPath(folder))
    return Output(tree, rendered.notices, locked.findings)
