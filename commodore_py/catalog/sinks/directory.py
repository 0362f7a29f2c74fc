"""A catalog in a plain folder: the same tree as in a repository, for others to take."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from commodore_py.adapters import files, json_text
from commodore_py.catalog.diff.change import change_between
from commodore_py.catalog.layout import OWNED, is_hidden
from commodore_py.config import WorkPaths
from commodore_py.errors import CommodoreError
from commodore_py.model.tree import Tree

from .written import write_owned

if TYPE_CHECKING:
    from pathlib import Path

    from commodore_py.config import Config
    from commodore_py.model.catalog import Change
    from commodore_py.model.stages import Rendered

MARKER = ".commodore-catalog.json"


def check_folder(config: Config, cluster: str) -> Path | None:
    """The folder of `--output-dir`, if it is given.

    A place of the working directory and a folder that holds anything else are errors.
    """
    if config.output_dir is None:
        return None
    directory = config.output_dir.resolve()
    try:
        owner = json_text.load((directory / MARKER).read_bytes(), name=MARKER)["cluster"]
    except (OSError, ValueError, TypeError, KeyError):
        owner = None
    paths = WorkPaths(config.copy_of or config.paths.root)
    refuse_other_folder(directory, paths, is_ours=owner is not None)
    if owner not in (None, cluster):
        raise CommodoreError(
            f"cannot write the catalog of {cluster} there: the folder holds that of {owner}",
            where=str(directory),
            hint="give --output-dir a folder for each cluster",
        )
    return directory


def refuse_other_folder(directory: Path, paths: WorkPaths, *, is_ours: bool) -> None:
    """Refuse a place of the working directory, and a folder with anything, unless it is ours."""
    why = ""
    if paths.uses(directory):
        why = "the working directory uses that folder itself"
    elif directory.exists() and not directory.is_dir():
        why = "it is a file"
    elif not is_ours and directory.is_dir() and any(directory.iterdir()):
        why = "the folder is not empty, and not written by this command"
    if why:
        raise CommodoreError(
            f"cannot write there: {why}",
            where=str(directory),
            hint="give --output-dir a new or an empty folder",
        )


@dataclass(frozen=True, slots=True)
class DirectoryCatalog:
    """A folder that holds the catalog of one cluster, and a hidden file that names the cluster."""

    directory: Path
    cluster: str
    compiled: Path
    dry_run: bool = False

    def stage(self, rendered: Rendered) -> Change:
        """Write `compiled/` and the folder where they differ, and return what that changed."""
        change = change_between(self._present(rendered.catalog), rendered.catalog)
        if not self.dry_run:
            files.write_trees(self.compiled, rendered.instances)
            marker = json.dumps({"cluster": self.cluster}) + "\n"
            files.write_if_changed(self.directory / MARKER, marker.encode())
            for place in (self.directory, *(self.directory / name for name in OWNED)):
                for left_over in files.asides_in(place):  # by a run that was killed
                    files.remove(left_over)
            for folder in OWNED:
                write_owned(self.directory, rendered.catalog, folder)
        return change

    def _present(self, rendered: Tree) -> Tree:
        trees = [
            files.read_tree(self.directory / folder).below(folder)
            for folder in OWNED
            if (self.directory / folder).is_dir()
        ]
        return Tree(
            {
                path: entry
                for tree in trees
                for path, entry in tree.items()
                if path in rendered or not (is_hidden(path.parts[1]) or files.is_aside(path.name))
            }
        )
