"""Pure functions: the result of a file's `subject` for each case, or its errors.

The arguments in `given` are those of all cases of a file.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jinja2
import pytest

from commodore_py import refs
from commodore_py.adapters.git_urls import dependency_key, normalise, push_url
from commodore_py.adapters.jinja import Confined, rendered
from commodore_py.adapters.masking import Redactor
from commodore_py.adapters.yaml import splice
from commodore_py.compiler.charts import calls_in
from commodore_py.compiler.inputs import helm_arguments as helm
from commodore_py.config import facts_folder
from commodore_py.delivery.plan import read_plan
from commodore_py.delivery.reading import Reader
from commodore_py.delivery.simulation import Model, simulate
from commodore_py.dependencies.jsonnet.jsonnetfile import parse_jsonnetfile, parse_remote
from commodore_py.dependencies.lock.text import read_lock, write_lock
from commodore_py.errors import CommodoreError
from commodore_py.lieutenant.api_objects import ApiObject
from commodore_py.lieutenant.cluster import cluster_of
from commodore_py.lieutenant.urls import request_url
from commodore_py.manifests.secret_texts import masked_texts
from commodore_py.model.inventory import Instance, Inventory
from commodore_py.problems.ignore_file import parse as parse_ignores
from commodore_py.workflows.authoring.templates.kinds import (
    TemplateOptions,
    apply_options,
)
from tests.support import object_subjects as subjects
from tests.support.builders import make_node
from tests.support.golden import golden_cases, shown_errors

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from tests.support.golden import Golden, GoldenCase

CASES = golden_cases(Path(__file__).parent)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_function_matches_case(case: GoldenCase, golden: Golden) -> None:
    function = SUBJECTS[case.content["subject"]]
    given, found = case.content.get("given", {}), {}
    for name, content in case.content["cases"].items():
        try:
            found[name] = function(**{**given, **content})
        except CommodoreError as error:
            found[name] = shown_errors(error)

    golden.check(case, expected=found)


def plan(
    parameters: dict[str, Any],
    instances: list[str],
    requires: dict[str, list[str]] | None = None,
) -> str:
    """Steps of a plan with their predecessors, and findings; `NAME of COMPONENT` is an instance."""
    pairs = (one.partition(" of ") for one in instances)
    deployed = tuple(Instance(name, component or name) for name, _, component in pairs)
    found, findings = read_plan(parameters, deployed, requires or {})
    lines = [
        f"{one.code} at {'.'.join(map(str, one.path))}: {one.message} ({one.remedy})"
        for one in findings
    ]
    if found is not None:
        before = found.order.before.items()
        lines += [
            f"{step}: after {', '.join(sorted(steps)) or 'nothing'}" for step, steps in before
        ]
        lines += [f"removed: {one.leaf.instance}" for one in found.removed]
    return "".join(f"{line}\n" for line in lines)


def reference_files(
    bootstrap: dict[str, Any],
    instances: dict[str, str] | None = None,
    targets: dict[str, dict[str, Any]] | None = None,
) -> str:
    """The files of references in the parameters of all targets; lines are levels."""

    def place_of(target: str, path: tuple[Hashable, ...]) -> str:
        return f"{target}.yml:{len(path)}"

    parameters = {"cluster": bootstrap, **(targets or {})}
    inventory = Inventory(
        {name: make_node(name, parameters=given) for name, given in parameters.items()},
        tuple(Instance(name, component) for name, component in (instances or {}).items()),
    )
    files = refs.render_refs(inventory, refs.find_marked(inventory), place_of)
    return "".join(f"{file.path!r}\n{file.content.decode()}" for file in files)


def jinja_template(template: str) -> str:
    """A template of a component, rendered with a function that fails, a generator and values."""

    def fails() -> None:
        raise KeyError("inside")

    values = {"items": [1, 2, 3], "nested": {"a": [1, None]}}
    environment = Confined(
        undefined=jinja2.StrictUndefined,
        extensions=["jinja2.ext.do"],
        loader=jinja2.DictLoader({"other": "{% set x = 1 %}"}),
    )
    context = {**values, "f": fails, "g": (number for number in range(3))}
    return rendered(lambda: environment.from_string(template), context, "a.j2")


def jsonnetfile(text: str) -> str:
    """The requirements of a jsonnetfile.json."""
    file = parse_jsonnetfile(text.encode(), "jsonnetfile.json")
    lines = [f"legacy imports: {file.legacy_imports}", *map(repr, file.requirements)]
    return "".join(f"{line}\n" for line in lines)


def jsonnet_remote(text: str) -> str:
    """The URL and the name of a remote as a jsonnetfile.json spells it."""
    remote = parse_remote(text)
    return f"{remote.url} {remote.name}"


def helm_template(charts: int = 1, values: str | None = None, **fields: Any) -> str:  # noqa: ANN401 - as people write them
    """The arguments for the last of some charts, and what goes beyond it."""
    every = {"helm_params": {}, "kube_version": None, "helm_values_files": [], **fields}
    release = helm.releases_of(every, where="here")[charts - 1]
    files = [values] if values else []
    files += every["helm_values_files"]
    words = release.arguments("/chart", output="/out", values_files=files)
    beyond = helm.reaching(every["helm_params"])
    fetched = [helm.fetched(every, lacks_charts=lacks) for lacks in (False, True)]
    return f"{' '.join(words)}\nreaches: {beyond}\nfetches: {fetched[0]}, {fetched[1]}\n"


def edit(text: str, path: list[str | int], **how: Any) -> str:  # noqa: ANN401 - any values
    """A text after its node at a path was put, taken away, or given more items."""
    if "put" in how:
        return splice.put(text.encode(), tuple(path), how["put"], name="c.yml").decode()
    if "add" in how:
        return splice.add(text.encode(), tuple(path), how["add"], name="c.yml").decode()
    return splice.take(text.encode(), tuple(path), name="c.yml").decode()


def cluster(cluster: dict[str, Any], tenant: dict[str, Any] | None, **given: Any) -> str:  # noqa: ANN401 - any of its options
    """A cluster of the API's objects."""
    of_tenant = None if tenant is None else ApiObject(tenant, name="tenants/t-1")
    return repr(cluster_of(ApiObject(cluster, name="clusters/c-1"), of_tenant, **given))


def api_url(url: str, *, parts: tuple[str, ...] = ("clusters", "c-1")) -> str:
    """The URL of a request, or the folder in place of a server."""
    folder = facts_folder(url)
    return f"folder {folder}" if folder is not None else request_url(url, *parts)


def git_url(url: str) -> str:
    """The one spelling of a remote's URL, where it is pushed to, and where its clone lies."""
    assert normalise(normalise(url)) == normalise(url)
    return f"{normalise(url)}\n{push_url(url)}\n{dependency_key(url)}\n"


def chart_calls(text: str) -> str:
    """The functions with other results each time that a template calls."""
    return json.dumps(sorted(f"{function} in line {line}" for function, line in calls_in(text)))


def ignore_file(text: str) -> str:
    """Entries of a file of ignored problems, and what is wrong with it."""
    found = parse_ignores(text, "f")
    lines = [*map(str, found.ignores)]
    lines += [f"{one.severity} {one.where} {one.message} ({one.remedy})" for one in found.problems]
    return "".join(f"{line}\n" for line in lines)


def masked_message(text: str) -> str:
    """A message without credentials."""
    return Redactor().message(text)


def template_options(variables: dict[str, Any], options: dict[str, Any]) -> str:
    """Variables of a template after options of an author."""
    lists = {name: tuple(options.get(name, ())) for name in ("add_cases", "remove_cases")}
    applied, _ = apply_options(variables, TemplateOptions(**{**options, **lists}))
    return "".join(f"{name}: {value!r}\n" for name, value in applied.items())


def masked_versions(old: str, new: str = "") -> str:
    """Two versions of a file, without the values of secrets."""
    return "\n".join(masked_texts(old.encode(), new.encode()))


def lock_file(text: str) -> str:
    """A lock file, read and written again."""
    return write_lock(read_lock(text, "it.lock"))


def simulation(written: Any, model: dict[str, Any] | None = None, *, down: bool = False) -> str:  # noqa: ANN401 - a plan as it is written
    """Events of calls of a plan, round by round."""
    reader = Reader()
    node = reader.node(written)
    assert node is not None
    assert reader.findings == []
    given = {**(model or {})}
    given["degrades"] = frozenset(given.get("degrades", ()))
    parameters = {"yes": True, "no": False}
    found = simulate(node, Model(**given), parameters, direction="down" if down else "up")
    lines = [f"{one.round} {one.step}: {one.action} {one.state}" for one in found.events]
    return "\n".join([*lines, f"{found.result.state} after {found.rounds} rounds"]) + "\n"


SUBJECTS: dict[str, Callable[..., str]] = {
    function.__name__.replace("_", " "): function
    for function in (
        *(
            plan,
            simulation,
            reference_files,
            jinja_template,
            jsonnetfile,
            jsonnet_remote,
            helm_template,
            edit,
        ),
        *(cluster, api_url, git_url, chart_calls, ignore_file, masked_message, lock_file),
        *(masked_versions, template_options, subjects.masked_changes),
        *(subjects.prediction, subjects.field_differences, subjects.text_change),
        *(subjects.normal_form, subjects.noise_of_a_migration, subjects.ignore_rules),
        *(subjects.argo_cd_settings, subjects.sync_order, subjects.own_health, subjects.health),
        *(subjects.mark, subjects.tracking_method, subjects.reason_to_keep),
        *(subjects.owners, subjects.orphaned),
        *(subjects.script_verdict, subjects.script_of_a_kind),
    )
}
