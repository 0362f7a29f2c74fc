"""The instances' trees and the reference files, laid out as the catalog (pure)."""

from __future__ import annotations

from pathlib import PurePosixPath
from types import MappingProxyType
from typing import TYPE_CHECKING

from commodore_py.errors import CommodoreError, raise_collected
from commodore_py.manifests.documents import faults_in
from commodore_py.manifests.objects import mappings, texts, value_in
from commodore_py.model.git_names import git_names_among
from commodore_py.model.problem import Problem
from commodore_py.model.tree import Entry, Tree, folders_above

from .layout import MANIFESTS, REFERENCES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from commodore_py.model.inventory import Node
    from commodore_py.model.secrets import ReferenceFile

_MANIFEST_HINT = "write to another output path in one of them, or remove the file with a filter"
_REFERENCE_HINT = "rename one of the two secrets"


def assemble(
    instances: Mapping[str, Tree],
    references: tuple[ReferenceFile, ...],
    nodes: Mapping[str, Node] | None = None,
) -> Tree:
    """The catalog as one tree; two contents for one path are an error, which names their inputs."""
    trees = [(name, instances[name]) for name in sorted(instances)]
    files = [
        (reference.path, Tree({PurePosixPath(reference.path): Entry(reference.content)}))
        for reference in references
    ]
    raise_collected(
        (
            *_collisions(
                trees, kind="instance", below=MANIFESTS, hint=_MANIFEST_HINT, nodes=nodes or {}
            ),
            *_collisions(files, kind="reference", below=REFERENCES, hint=_REFERENCE_HINT),
        ),
        "the catalog cannot hold everything that was compiled",
    )
    return _merged(tree for _, tree in trees).below(MANIFESTS) | _merged(
        tree for _, tree in files
    ).below(REFERENCES)


def without_git_folders(
    instances: Mapping[str, Tree], nodes: Mapping[str, Node]
) -> tuple[Mapping[str, Tree], tuple[Problem, ...]]:
    """The instances without empty folders named `.git`, as copies of repositories have them.

    An error where one writes files into such a folder: Git never pushes these.
    """
    kept, problems, errors = dict(instances), [], []
    for name, tree in sorted(instances.items()):
        git_names = git_names_among(tree)
        if git_names:
            more = f" and {len(git_names) - 1} more" if git_names[1:] else ""
            errors.append(
                CommodoreError(
                    f"instance {name} writes {git_names[0]!r}{more}, which is part of a Git"
                    " repository and would never be pushed",
                    where=_where(name, git_names[0], nodes),
                    hint="choose another output path or key, or remove it with an entry of input"
                    " type remove",
                )
            )
        for folder in git_names_among(sorted(tree.empty_folders)):
            kept[name] = Tree(kept[name], kept[name].empty_folders - {PurePosixPath(folder)})
            problems.append(
                Problem(
                    f"{folder!r} is left out of the output of instance {name}: Git's own files"
                    " are not copied",
                    where=_where(name, folder, nodes),
                    strict=True,
                    code="files/git-folder",
                    remedy="copy only the files that are needed, name a subdir of the dependency,"
                    " or remove .git with an entry of input type remove",
                )
            )
    raise_collected(errors, "Git repositories in the output")
    return kept, tuple(problems)


def object_problems(instances: Mapping[str, Tree]) -> Iterator[Problem]:
    """Documents that Argo CD cannot apply: a problem for each file with some."""
    for name, tree in sorted(instances.items()):
        for path, fault in faults_in(tree):
            where = f"instance {name}: {path}"
            yield Problem(fault, where=where, strict=True, code="objects/invalid")


def _where(name: str, path: str, nodes: Mapping[str, Node]) -> str:
    inputs = ", ".join(_inputs_of(nodes.get(name), PurePosixPath(path)))
    return f"instance {name}: {inputs}" if inputs else f"instance {name}"


def _merged(trees: Iterable[Tree]) -> Tree:
    merged: dict[PurePosixPath, Entry] = {}
    empty: set[PurePosixPath] = set()
    for tree in trees:
        merged.update(tree.items())
        empty |= tree.empty_folders
    return Tree(merged, frozenset(empty - folders_above(merged)))


def _collisions(
    trees: Iterable[tuple[str, Tree]],
    *,
    kind: str,
    below: PurePosixPath,
    hint: str,
    nodes: Mapping[str, Node] = MappingProxyType({}),
) -> Iterator[CommodoreError]:
    files: dict[PurePosixPath, tuple[str, Entry]] = {}
    folders: dict[PurePosixPath, str] = {}

    def where(path: PurePosixPath, *names: str) -> str:
        written = [
            f"{kind} {name}: {inputs}"
            for name in names
            if (inputs := ", ".join(_inputs_of(nodes.get(name), path)))
        ]
        return "\n".join([str(below / path), *written])

    for name, tree in trees:
        for path, entry in tree.items():
            first, present = files.setdefault(path, (name, entry))
            if present != entry:
                differs = "file modes" if present.content == entry.content else "content"
                yield CommodoreError(
                    f"{kind} {first} and {kind} {name} write different {differs} to {path}",
                    where=where(path, first, name),
                    hint=hint,
                )
        for folder in tree.folders():
            folders.setdefault(folder, name)
    for path in sorted(files.keys() & folders.keys()):
        yield CommodoreError(
            f"{path} is a file of {kind} {files[path][0]} and a folder of {kind} {folders[path]}",
            where=str(below / path),
            hint=hint,
        )


def _inputs_of(node: Node | None, path: PurePosixPath) -> list[str]:
    """The input paths of the compile entries whose output path holds a file."""
    if node is None:
        return []
    base = node.parameters.get("_base_directory")
    return [
        source.removeprefix(f"{base!s}/")
        for entry in mappings(value_in(node.parameters, "kapitan", "compile"))
        if path.is_relative_to(PurePosixPath(str(entry.get("output_path"))))
        for source in texts(entry.get("input_paths"))
    ]
