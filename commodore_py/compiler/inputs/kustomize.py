"""A kustomization: each object that kustomize builds becomes a file; what it reads is recorded."""

from __future__ import annotations

import logging
import os
import re
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from commodore_py.adapters import files, kustomize, yaml
from commodore_py.adapters.child_environment import child_environment
from commodore_py.adapters.reading import text_of
from commodore_py.adapters.yaml.emitter import Style, emit
from commodore_py.cache.digests import UNKNOWN
from commodore_py.cache.questions.remotes import REMOTE, commit_of
from commodore_py.cache.questions.tools import KUSTOMIZE
from commodore_py.compiler.fields import (
    EVERY_INPUT,
    NO_TEXT,
    NOTHING,
    OFF,
    Field,
    named_values,
    or_null,
)
from commodore_py.compiler.workplace import scratch_folder
from commodore_py.errors import CommodoreError
from commodore_py.lib import GIT_HOOKS
from commodore_py.model.tree import Entry

from .base import all_inputs, check_for_programs, record_program, run_program

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from commodore_py.adapters.kustomize import RemoteBase
    from commodore_py.compiler.job import InputJob
    from commodore_py.compiler.output import Output, Place

FIELDS = {
    **EVERY_INPUT,
    "namespace": NO_TEXT,
    "prune": OFF,
    "patches": Field(or_null(named_values), default=NOTHING),
    "patches_strategic": Field(or_null(named_values), default=NOTHING),
    "patches_json": Field(or_null(named_values), default=NOTHING),
}
SECONDS = 0.6

log = logging.getLogger(__name__)

_COMMIT = re.compile(r"[0-9a-f]{40}")
_PROTOCOLS = "https:http:ssh:git"
# Kapitan writes these objects by PyYAML, with its defaults.
_STYLE = Style(indent_sequences=False, multiline="plain", aliases=True)


def render(job: InputJob) -> Output:
    """Build a copy of each folder, with the namespace and the patches of the entry over it."""
    output = job.output
    for source in all_inputs(job):
        record_kustomization(job, source)
        with scratch_folder() as scratch:
            built = _built(job, source, scratch).decode(errors="replace")
            output = output.with_files(_objects(job, source, built))
    return output


def record_kustomization(job: InputJob, folder: Path) -> None:
    """Record everything that kustomize reads for a folder."""
    look, recorder = job.files, job.recorder
    kustomizations = kustomize.read_kustomizations(folder, look)
    problem = kustomizations.unknown_inputs
    if problem or any(map(look.hides, kustomizations.folders)):
        recorder.unseal(problem or "the kustomization is output of an earlier entry")
        return
    for path in kustomizations.folders:
        look.tree_at(path)
    for base in kustomizations.remote_bases:
        for place in base.local_places:
            look.judge(place)
        version = kustomize.version_of(base.url)
        if version is None or job.job.provide_bases is not None:
            recorder.unseal(f"kustomize fetches {base.url}")
        elif not _COMMIT.fullmatch(version.ref):
            about = f"{version.repository} {version.ref}"
            commit = UNKNOWN if job.job.config.offline else commit_of(about)
            recorder.note(REMOTE.question(about), commit)
    record_program(KUSTOMIZE, recorder)


@contextmanager
def fetching(job: InputJob, folder: Path, scratch: Path) -> Iterator[Mapping[str, str]]:
    """Variables with which kustomize fetches the remote bases of a folder.

    Repositories that it checks out leave copies of their kustomizations: as these may be built on
    others in turn, whose commits were not recorded.
    """
    look, provide = job.files, job.job.provide_bases
    kustomizations = kustomize.read_kustomizations(folder, look)
    check_for_programs(job, (path for path in kustomizations.folders if path.is_dir()))
    bases = kustomizations.remote_bases
    if bases and provide is not None:
        with provide(bases) as variables:
            yield variables
        return
    if not bases:
        yield {}
        return
    for base in bases:
        for place in base.local_places:
            look.reach.real_folder(place)
    fetched = [base for base in bases if not base.local_places]
    if job.job.config.offline and fetched:
        urls = dict.fromkeys(base.url for base in fetched)
        raise CommodoreError(
            f"kustomize would fetch {', '.join(urls)}",
            where="\n".join([*(base.where for base in fetched), job.entry.where]),
            hint="leave out --offline, or vendor what the kustomization is built on",
        )
    for base in fetched:
        log.info("%s: kustomize fetches %s itself", job.output.target, base.url)
    copies = scratch / "bases"
    copies.mkdir()
    # After settings that the user passes in the same way.
    given = child_environment().get("GIT_CONFIG_COUNT", "")
    count = int(given) if given.isdecimal() else 0
    yield {
        "COMMODORE_BASES": str(copies),
        "GIT_CONFIG_COUNT": str(count + 1),
        f"GIT_CONFIG_KEY_{count}": "core.hooksPath",
        f"GIT_CONFIG_VALUE_{count}": str(GIT_HOOKS),
    }
    for problem in _unrecorded(bases, copies):
        look.unseal(problem)


def _unrecorded(bases: Iterable[RemoteBase], copies: Path) -> Iterator[str]:
    """Why the bases of repositories that were checked out are not known, at any depth."""
    checked_out: dict[str, list[Path]] = {}
    for copy in copies.iterdir():
        url = text_of(str(copy / ".url")).strip().removesuffix(".git")
        checked_out.setdefault(url, []).append(copy)
    waiting, seen = [base.url for base in bases], set[str]()
    while waiting:
        url = waiting.pop()
        version = kustomize.git_base(url)
        if version is None or url in seen:  # a file, or a circle
            continue
        seen.add(url)
        paths = checked_out.get(version.repository.removesuffix(".git"), [])
        if not paths:
            yield f"{url} was not fetched with git"
        for copy in paths:  # one for each version of a repository
            below_it = kustomize.read_kustomizations(copy / version.folder)
            for below in below_it.remote_bases:
                named = kustomize.version_of(below.url)
                if named is None or not _COMMIT.fullmatch(named.ref):
                    yield f"{url} is built on {below.url}"
                waiting.append(below.url)


def _built(job: InputJob, source: Path, scratch: Path) -> bytes:
    fields, look = job.entry.fields, job.files
    if look.kind(source) != "folder":
        raise CommodoreError(
            f"{source} must be a folder with a kustomization.yaml", where=job.entry.where
        )
    build = scratch / "build"
    with fetching(job, source, scratch) as variables:
        files.write_tree(build / source.name, look.tree_at(source))
        content: dict[str, Any] = {
            "resources": [source.name],
            "namespace": fields["namespace"] or _kustomization(job, source).get("namespace", ""),
        }
        for name, patch in (fields["patches"] or {}).items():
            place = os.path.normpath(build / f"{name}.yaml")
            if not place.startswith(f"{build}/"):
                raise CommodoreError(f"patch {name} would be written outside of the output")
            if not isinstance(patch, dict) or not {"patch", "target"} <= patch.keys():
                raise CommodoreError(
                    f"patch {name} must be a mapping with patch and target", where=job.entry.where
                )
            files.write_if_changed(Path(place), yaml.dump(patch["patch"]))
            content.setdefault("patches", []).append(
                {"path": os.path.basename(place), "target": patch["target"]}  # noqa: PTH119 - a text
            )
        files.write_if_changed(build / "kustomization.yaml", yaml.dump(content))
        # Bases of others have bases as well.
        bases = kustomize.read_kustomizations(source, look).remote_bases
        allowed = _PROTOCOLS + (":file" if any(base.local_places for base in bases) else "")
        env = {"GIT_ALLOW_PROTOCOL": allowed, **variables}
        return run_program(job, ["kustomize", "build", "."], source, build, env)


def _kustomization(job: InputJob, source: Path) -> Mapping[str, Any]:
    """The kustomization of a folder."""
    file = source / "kustomization.yaml"
    content = yaml.load(job.files.read(file) or b"", name=str(file)) or {}
    if not isinstance(content, dict):
        raise CommodoreError(f"{file} is not a mapping", where=job.entry.where)
    return content


def _objects(job: InputJob, source: Path, built: str) -> Mapping[Place, Entry]:
    """The objects by their files, written as Kapitan does."""
    documents = yaml.load_all(built, name=f"what kustomize built from {source}")
    written: dict[Place, Entry] = {}
    try:
        for document in filter(None, documents):
            kind = document.get("kind", "").lower()
            name = document.get("metadata", {}).get("name", "").lower()
            file = f"{name}-{kind}.yaml" if name and kind else "output.yaml"
            place = job.output.place(job.entry.output_path, file)
            written[place] = Entry(emit(document, _STYLE).encode())
    except AttributeError as error:
        text = f"what kustomize built from {source} cannot be read: {error}"
        raise CommodoreError(text, where=job.entry.where) from error
    return written
