"""Edits of clusters and tenants in a folder of facts, validated by what they cause."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from commodore_py.adapters.files import write_if_changed
from commodore_py.adapters.git.program import over_network
from commodore_py.adapters.git_urls import local_path, normalise
from commodore_py.adapters.process import ProgramFailed
from commodore_py.adapters.reading import content_of
from commodore_py.adapters.yaml.emitter import emit
from commodore_py.config import facts_folder
from commodore_py.errors import CommodoreError, UsageError
from commodore_py.inventory.checks import NoComponents
from commodore_py.inventory.class_edits import Edit, edited
from commodore_py.lieutenant.api_objects import FieldReader
from commodore_py.lieutenant.clusters import cluster_from
from commodore_py.lieutenant.folder import FactsFolder, object_in
from commodore_py.lieutenant.urls import no_api_url
from commodore_py.model.cluster import NOT_TENANTS
from commodore_py.model.problem import Problem
from commodore_py.workflows.editing.outcome import outcome_of_cluster
from commodore_py.workflows.editing.requests import judged, known_error

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from commodore_py.catalog.diff.objects import ObjectDiff
    from commodore_py.config import Config
    from commodore_py.model.problems.codes import Severity
    from commodore_py.model.verdict import Verdict
    from commodore_py.workflows.editing.requests import Rules

_LINE = "\n"
# What another cluster must not have: a URL with a token, and the report of a compile.
_ITS_OWN = ("installURL", "compileMeta")
_TO_SET = "set `"
_OPTIONS = (
    "add --tenant ID, --catalog URL or --fact NAME=VALUE, or --like ID for those of another one"
)


@dataclass(frozen=True, slots=True)
class NewCluster:
    """A cluster to add; what is empty is that of another cluster, if it is to be like one."""

    id: str
    like: str = ""
    tenant: str = ""
    display_name: str = ""
    catalog: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)
    dynamic_facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class FactsEdit:
    """A new file, and what is to be said about it."""

    file: Path
    content: bytes
    verdict: Verdict
    diff: ObjectDiff | None = None
    written: bool = False


def add_cluster(config: Config, new: NewCluster, rules: Rules) -> FactsEdit:
    """Add a cluster that compiles."""
    folder, new = _folder(config), replace(new, catalog=_absolute(new.catalog))
    file = folder.new_file("cluster", new.id)
    content = _like(folder, new) if new.like else _text_of_cluster(new)
    try:
        cluster = cluster_from(config, folder, object_in("cluster", new.id, file, content))
    except CommodoreError as error:
        about_new = [part for part in error.parts if part.where.startswith(str(file))]
        missing = [part for part in about_new if part.hint.startswith(_TO_SET)]
        for part in () if new.like else about_new:
            part.where = ""  # the file is not written yet
            if part in missing:
                part.hint = _OPTIONS if part is missing[-1] else ""
        raise
    try:
        outcome = outcome_of_cluster(config, cluster)
        diff, problems = outcome.diff, [*outcome.problems]
    except NoComponents as error:  # the first cluster of an installation
        diff, problems = None, [known_error(error)]
    except CommodoreError as error:
        for part in error.parts:
            if f"{cluster.tenant}.{cluster.id} " in str(part):
                part.hint = f"add {cluster.id}.yml to the tenant's repository first, and push it"
        raise
    problems += _unreachable("catalog", cluster.catalog_url, severity="warning")
    facts_edit = FactsEdit(file, content, judged(problems, rules, None), diff)
    return facts_edit if rules.dry_run else written(facts_edit)


def add_tenant(
    config: Config,
    tenant: str,
    rules: Rules,
    *,
    display_name: str,
    repository: str,
    global_repository: str,
) -> FactsEdit:
    """Add a tenant whose repositories can be reached."""
    folder = _folder(config)
    file = folder.new_file("tenant", tenant)
    repository, global_repository = map(_absolute, (repository, global_repository))
    content = _text_of(
        id=tenant,
        displayName=display_name,
        gitRepo={"url": repository},
        globalGitRepoURL=global_repository,
    )
    object_in("tenant", tenant, file, content)
    if tenant.lower() in NOT_TENANTS:
        raise CommodoreError(
            f"{tenant} cannot be the id of a tenant: inventory/classes/{tenant} holds something"
            " else",
            hint=f"choose one that is not one of {', '.join(NOT_TENANTS)}",
        )
    problems = [
        *_unreachable("tenant's", repository),
        *_unreachable("global", global_repository),
    ]
    facts_edit = FactsEdit(file, content, judged(problems, rules, None))
    return facts_edit if rules.dry_run else written(facts_edit)


def written(edit: FactsEdit) -> FactsEdit:
    """Write the file, unless someone else has written it in the meantime."""
    if edit.file.exists():
        raise CommodoreError(
            "the file was written in the meantime",
            where=str(edit.file),
            hint="nothing was written: repeat the command",
        )
    write_if_changed(edit.file.resolve(), edit.content)
    return replace(edit, written=True)


def _folder(config: Config) -> FactsFolder:
    folder = facts_folder(config.api_url)
    if folder is not None:
        return FactsFolder(folder)
    if config.api_url:
        raise UsageError(
            f"{config.api_url} is a server, and what it knows is changed there",
            where="--api-url",
            hint="this command edits a folder of facts, such as ./facts",
        )
    raise no_api_url(config.paths.root)


def _like(folder: FactsFolder, new: NewCluster) -> bytes:
    """The file of another cluster, with what is different."""
    file = folder.cluster_file(new.like)
    api_object = folder.cluster(new.like)
    catalog = new.catalog
    if not catalog:
        url = FieldReader(api_object).text("gitRepo", "url")
        catalog = url.replace(new.like, new.id)
        if catalog == url:
            raise UsageError(
                f"the catalog's URL of {new.like} does not have its id: {url or 'it is empty'}",
                where="--catalog",
                hint="name the repository of the new catalog",
            )
    values: dict[tuple[str, ...], Any] = {
        ("id",): new.id,
        ("displayName",): new.display_name or new.id,
        ("gitRepo", "url"): catalog,
        **({("tenant",): new.tenant} if new.tenant else {}),
        **{("facts", name): value for name, value in new.facts.items()},
        **{("dynamicFacts", name): value for name, value in new.dynamic_facts.items()},
    }
    content = content_of(file)
    for name in _ITS_OWN:
        if name in api_object.fields:
            content = edited(content, Edit("unset", (name,)), name=str(file))
    for path, value in values.items():
        content = edited(content, Edit("set", path, value), name=str(file))
    return content


def _text_of_cluster(new: NewCluster) -> bytes:
    return _text_of(
        id=new.id,
        tenant=new.tenant,
        displayName=new.display_name,
        facts=dict(new.facts),
        dynamicFacts=dict(new.dynamic_facts),
        gitRepo={"url": new.catalog} if new.catalog else {},
    )


def _text_of(**fields: object) -> bytes:
    """The text of an object, without what is empty."""
    return "".join(emit({name: value}) for name, value in fields.items() if value).encode()


def _absolute(url: str) -> str:
    """A URL as facts have it: compiles run Git elsewhere, where a relative path is another one."""
    return Path(url).resolve().as_uri() if url.startswith(("./", "../")) else url


def _unreachable(kind: str, url: str, *, severity: Severity = "error") -> Iterator[Problem]:
    url = normalise(url)
    try:
        over_network(Path.cwd(), "ls-remote", "--quiet", "--", url, "HEAD")
    except ProgramFailed as error:
        path = local_path(url)
        create = f"`git init --bare {path}` creates it" if path else "create it, empty"
        yield Problem(
            f"the {kind} repository cannot be read: {error.stderr.strip().partition(_LINE)[0]}",
            where=url,
            severity=severity,
            code="edit/no-repository",
            remedy=f"if it is not there yet: {create}",
        )
