"""The page about results as JSON shows what the commands print."""

from __future__ import annotations

import json
import os
import re
import threading
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from commodore_py.dependencies.downloads.store import Store
from commodore_py.workflows.demo import write_demo
from tests.support.authoring import make_component_clone
from tests.support.builders import commit_in, commit_to, git
from tests.support.bundles import make_place
from tests.support.schemas import problems_of
from tests.support.servers import kubernetes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.command_line import CommandLine

pytestmark = pytest.mark.sample(4)

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "json.md"
SECTION = re.compile(r"^## (\S+)$\n\n```json\n(.*?)^```$", re.MULTILINE | re.DOTALL)
EXAMPLES = {name: json.loads(text) for name, text in SECTION.findall(PAGE.read_text("utf-8"))}

SIZE = "parameters: {one: {size: '1'}}\n"
_EDIT = ("edit", "set", "web_shop.replicas", "3")
_CLUSTER = (
    *("c-demo-1", "--catalog", "catalog", "--kubeconfig", "kubeconfig.json"),
    *("-o", "json"),
)
WORDS = {
    "cache-info/v1": ("cache", "info", "-o", "json"),
    "cache-prune/v1": ("cache", "prune", "--all", "-o", "json"),
    "cache-verify/v1": ("cache", "verify", "-o", "json"),
    "catalog-clean/v1": ("catalog", "clean", "-o", "json"),
    "catalog-compile/v1": (
        *("catalog", "compile", "c-demo-2", "--api-url", "{facts}", "-o", "json"),
        *("--lock", "it.lock"),
    ),
    "catalog-compile-clusters/v1": (
        *("catalog", "compile", "c-demo-3", "c-unknown"),
        *("--api-url", "{facts}", "-o", "json"),
    ),
    "bundle-alias/v1": ("bundle", "alias", "stable", "2026.11.1", "-o", "json"),
    "bundle-check/v1": ("bundle", "check", "2026.11.2", "--cluster", "c-one", "-o", "json"),
    "bundle-diff/v1": ("bundle", "diff", "2026.11.1", "2026.11.2", "-o", "json"),
    "bundle-list/v1": ("bundle", "list", "-o", "json"),
    "bundle-publish/v1": (
        *("bundle", "publish", "2026.11.3", "--set", "web=v1.2.0", "--test", "c-one"),
        *("-o", "json"),
    ),
    "bundle-show/v1": ("bundle", "show", "2026.11.1", "-o", "json"),
    "bundle-use/v1": ("-d", "../work", "bundle", "use", "2026.11.1", "-o", "json"),
    "bundle-withdraw/v1": ("bundle", "withdraw", "2026.11.1", "--reason", "old", "-o", "json"),
    "catalog-diff/v1": ("catalog", "diff", "--catalog", "catalog", "-o", "json"),
    "component-test/v1": ("component", "test", "component-one", "-o", "json"),
    "config/v1": ("config", "show", "-o", "json"),
    "demo/v1": ("demo", "-o", "json"),
    "doctor/v1": ("doctor", "-o", "json"),
    "explain/v1": (
        "-d",
        "{work}",
        "inventory",
        "explain",
        "web-shop",
        "web_shop.host",
        "-o",
        "json",
    ),
    "explain-reverse/v1": (
        *("-d", "{work}", "inventory", "explain", "-o", "json"),
        *("--reverse", "{work}/inventory/classes/t-demo/common.yml:{line}"),
    ),
    "init/v1": ("init", "--api-url", "{facts}", "--skip-completion", "-o", "json"),
    "lint/v1": ("inventory", "lint", "bad.yml", "-o", "json"),
    "live-diff/v1": (
        *("live", "diff", "--live", "objects.yaml", "--desired", "desired.yaml"),
        *("-o", "json"),
    ),
    "live-status/v1": ("live", "status", *_CLUSTER),
    "live-tree/v1": ("live", "tree", *_CLUSTER),
    "live-drift/v1": ("live", "drift", *_CLUSTER),
    "live-orphans/v1": ("live", "orphans", *_CLUSTER),
    "live-plan/v1": ("live", "plan", *_CLUSTER),
    "live-apply/v1": ("live", "apply", *_CLUSTER, "--yes", "--trust-cluster", "uid-of-the-cluster"),
    "live-watch/v1": ("live", "watch", *_CLUSTER, "--timeout", "2"),
    "live-wait-plan/v1": (
        *("live", "wait", *_CLUSTER, "--plan", "--timeout", "1", "--interval", "1"),
    ),
    "live-wait/v1": ("live", "wait", *_CLUSTER, "--timeout", "1"),
    "live-order/v1": ("live", "order", "-f", "objects.yaml", "-o", "json"),
    "live-health/v1": ("live", "health", "-f", "objects.yaml", "-o", "json"),
    "live-health-test/v1": ("live", "health", "--test", "rules", "-o", "json"),
    "plan-render/v1": ("-d", "{work}", "plan", "render", "--driver", "plain", "-o", "json"),
    "plan-show/v1": ("-d", "{work}", "plan", "show", "-o", "json"),
    "plan-simulate/v1": ("-d", "{work}", "plan", "simulate", "-o", "json"),
    "problems/v1": ("-d", "{work}", "catalog", "check", "-o", "json"),
    "lock-create/v1": (
        *("lock", "create", "c-demo-2", "-o", "new.lock", "--api-url", "{facts}"),
        *("--output", "json"),
    ),
    "lock-export/v1": (
        *("lock", "export", "--lock", "it.lock", "-o", "exported", "--output", "json"),
        *("--api-url", "{facts}"),
    ),
    "lock-from-catalog/v1": (
        *("lock", "from-catalog", "-o", "new.lock", "--cluster", "c-demo-2", "--output", "json"),
        *("--api-url", "./own/facts"),
    ),
    "lock-sync/v1": ("lock", "sync", "--lock", "it.lock", "--api-url", "{facts}", "-o", "json"),
    "lock-update/v1": (
        *("lock", "update", "global", "--lock", "it.lock", "--api-url", "{facts}", "-o", "json"),
    ),
    "lock-show/v1": ("lock", "show", "global", "--lock", "it.lock", "-o", "json"),
    "facts-edit/v1": (
        *("cluster", "set", "c-demo-1", "displayName", "New", "--dry-run", "--validate", "syntax"),
        *("--api-url", "{facts}", "-o", "json"),
    ),
    "edit/v1": ("-d", "{work}", *_EDIT, "--dry-run", "--validate", "inventory", "-o", "json"),
    "edit-options/v1": ("-d", "{work}", "edit", "options", "web_shop.replicas", "-o", "json"),
    "edit-log/v1": ("-d", "{work}", "edit", "log", "-o", "json"),
    "lock-diff/v1": ("lock", "diff", "it.lock", "other.lock", "-o", "json"),
    "lock-check/v1": ("lock", "check", "--lock", "it.lock", "-o", "json"),
    "log/v1": ("--log-format", "json", "catalog", "list"),
    "tool-list/v1": ("tool", "list", "-V", "-o", "json"),
    "version/v1": ("version", "-o", "json"),
}
READ = ("edit-request/v1",)
"""Schemas of what is read, not printed."""


def a_changed_catalog(checkout: Path) -> None:
    """Three objects that change alike, in a noisy way, and a file that is none."""
    checkout.mkdir()
    git(checkout, "init", "--quiet")
    for value in ("1", "2"):
        time = ", creationTimestamp: null" * int(value == "2")
        objects = {
            f"{name}.yaml": f"kind: ConfigMap\napiVersion: v1\nmetadata: {{name: {name}{time}}}\n"
            f"data: {{a: {value}}}\n"
            for name in ("one", "two", "three")
        }
        commit_in(checkout, {**objects, "README.md": value})
    git(checkout, "reset", "--quiet", "--soft", "HEAD~")


def a_checkout_with_bundles(commodore: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two versions, an alias of the one that is used, and a class of its own."""
    place = make_place(Path.cwd() / "place", commodore)
    place.component("web", "v1.2.0", selector="other")
    place.bundle("2026.11.2", web="v1.2.0", db="v1.0.0")
    classes = ("bundles/stable.yml", "bundles/tested.yml"), "classes: [.2026-11-1]\n"
    place.index(v2026_11_2="withdrawn: {reason: too new, instead: '2026.11.1'}")
    files = {**dict.fromkeys(*classes), "bundles/own.yml": "parameters: {}\n"}
    commit_to(place.configuration, files)
    git(place.root, "clone", "--quiet", "global.git", "checkout")
    monkeypatch.setenv("COMMODORE_API_URL", str(place.root / "facts"))
    monkeypatch.chdir(place.root)
    place.run("-d", "work", "catalog", "compile", "c-one")
    monkeypatch.chdir(place.root / "checkout")
    for name in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{name}_NAME", "User")
        monkeypatch.setenv(f"GIT_{name}_EMAIL", "user@example.com")


def a_tested_component(commodore: CommandLine) -> None:
    """A case that passes, one that does not any more, and one that was removed."""
    code = (
        "{ it: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'one' },"
        " data: (import 'lib/kapitan.libjsonnet').inventory().parameters.one } }"
    )
    cases = ("defaults", "large", "former")
    component = make_component_clone(
        Path(), "one", {f"tests/{case}.yml": SIZE for case in cases}, code=code
    )
    commodore("component", "test", str(component), "--update")
    (component / "tests/large.yml").write_text(SIZE.replace("1", "2"))
    (component / "tests/former.yml").unlink()


def a_plan(work: Path) -> None:
    """A plan of two instances in the configuration of the tenant."""
    file = work / "inventory/classes/t-demo/common.yml"
    plan = "parameters:\n  commodore: {plan: {serial: [certificates, web-shop]}}\n"
    text = file.read_text()
    if plan not in text:  # the working directory is shared
        file.write_text(text.replace("parameters:\n", plan, 1))


def a_compiled_plan() -> None:
    """What a compile leaves of a plan of two instances."""
    parameters = {"commodore": {"plan": {"concurrent": ["certificates", "web-shop"]}}}
    content = json.dumps({"classes": ["plan"], "parameters": parameters})
    for name in ("cluster", "certificates", "web-shop"):
        file = Path("inventory/targets", f"{name}.yml")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content)
    Path("inventory/classes").mkdir()
    Path("inventory/classes/plan.yml").write_text("{}")


def objects_and_a_rule() -> None:
    """A file with an object, and a folder with a rule and its test."""
    options = "{argocd.argoproj.io/sync-options: Prune=false}"
    metadata = f"{{name: one, annotations: {options}}}"
    thing = f"{{apiVersion: example.com/v1, kind: Thing, metadata: {metadata}}}"
    Path("objects.yaml").write_text(thing)
    Path("desired.yaml").write_text(thing.replace("}}}", "}}, spec: {size: 2}}"))
    folder = Path("rules/example.com/Thing")
    folder.mkdir(parents=True)
    (folder / "health.lua").write_text("return {status='Healthy', message='Done'}")
    (folder / "done.yaml").write_text(thing)
    (folder / "health_test.yaml").write_text(
        "tests: [{inputPath: done.yaml, healthStatus: {status: Healthy, message: Done}}]"
    )


@pytest.fixture
def a_cluster(tmp_path: Path) -> Iterator[kubernetes.Cluster]:
    """A cluster in which objects come, a catalog with another one, and an orphan."""
    config_map = {"apiVersion": "v1", "kind": "ConfigMap"}
    manifests = tmp_path / "catalog" / "manifests"
    manifests.mkdir(parents=True)
    wanted = {**config_map, "metadata": {"name": "one", "namespace": "shop"}, "data": {"a": "1"}}
    (manifests / "one.yaml").write_text(json.dumps(wanted))
    with kubernetes.serve() as cluster:
        (tmp_path / "kubeconfig.json").write_text(kubernetes.kubeconfig_of(cluster.url))
        done = threading.Event()

        def work() -> None:
            number = 0
            while not done.wait(0.1):
                number += 1
                metadata = {"name": f"orphan-{number}", "namespace": "shop"}
                cluster.put({**config_map, "metadata": metadata})

        worker = threading.Thread(target=work)
        worker.start()
        time.sleep(0.2)
        yield cluster
        done.set()
        worker.join()


def a_drifted_object(cluster: kubernetes.Cluster) -> None:
    """An application that was synced, and an object of it with another value."""
    spec = {"source": {"repoURL": "https://git.example.com/c-demo-1.git", "path": "manifests"}}
    application = {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "spec": spec,
        "metadata": {"name": "web-shop", "namespace": "argocd"},
    }
    catalog = Path("catalog")
    git(catalog, "init", "--quiet")
    git(catalog, "add", "--all")
    synced = {"revision": commit_in(catalog, {"manifests/app.yaml": json.dumps(application)})}
    cluster.put({**application, "status": {"sync": synced}})
    live = json.loads((catalog / "manifests/one.yaml").read_text())
    written = {"manager": "me", "operation": "Update", "fieldsV1": {"f:data": {"f:a": {}}}}
    metadata = {**live["metadata"], "managedFields": [written]}
    cluster.put({**live, "metadata": metadata, "data": {"a": "b"}})


def keys(value: Any, shown: Any, path: str = "") -> Iterator[str]:  # noqa: ANN401 - any JSON
    """The paths of all keys, but for what an example leaves out as an empty list."""
    if isinstance(value, dict):
        for key, below in value.items():
            yield f"{path}.{key}"
            known = shown.get(key) if isinstance(shown, dict) else None
            yield from keys(below, known, f"{path}.{key}")
    elif isinstance(value, list) and isinstance(shown, list):
        for below in value:
            for one in shown:
                yield from keys(below, one, f"{path}[]")


@pytest.mark.parametrize("schema", WORDS)
def test_an_example_has_the_keys_that_are_printed(  # noqa: C901 - one for each preparation
    commodore: CommandLine, facts: str, work: Path, schema: str, request: pytest.FixtureRequest
) -> None:
    Path("bad.yml").write_text("parameters:\n  components:\n    a: {url: x}\n")
    common = (work / "inventory/classes/t-demo/common.yml").read_text().splitlines()
    line = next(number for number, text in enumerate(common, 1) if text.endswith(" ~keep:"))
    words = [word.format(facts=facts, work=work, line=line) for word in WORDS[schema]]

    if schema == "catalog-diff/v1":
        a_changed_catalog(Path("catalog"))
    if schema.startswith("bundle-"):
        a_checkout_with_bundles(commodore, request.getfixturevalue("monkeypatch"))
    if schema == "component-test/v1":
        a_tested_component(commodore)
    if schema.startswith("live-"):
        objects_and_a_rule()
    if WORDS[schema][2:8] == _CLUSTER[:6]:
        cluster = request.getfixturevalue("a_cluster")
        if schema == "live-drift/v1":
            a_drifted_object(cluster)
    if schema.startswith("plan-"):
        file = work / "inventory/classes/t-demo/common.yml"
        request.addfinalizer(partial(file.write_text, file.read_text()))
        a_plan(work)
    if schema == "live-wait-plan/v1":
        a_compiled_plan()
    if schema == "edit-log/v1":
        commodore("-d", str(work), *_EDIT, "--validate", "none")
        commodore("-d", str(work), "edit", "undo")
    if schema == "lock-from-catalog/v1":
        write_demo(Path("own"))
        commodore("catalog", "compile", "c-demo-2", "--push", "--api-url", "./own/facts")
    elif schema.startswith("lock-"):
        commodore("lock", "create", "c-demo-2", "-o", "it.lock", "--api-url", facts)
        other = Path("it.lock").read_text().replace('version = "master"', 'version = "other"')
        Path("other.lock").write_text(other)
    if schema.startswith("cache-"):  # there is something in it after a compile only
        commodore("-d", "new", "catalog", "compile", "c-demo-2", "--api-url", facts)
        Store(Path(os.environ["XDG_CACHE_HOME"], "commodore/downloads")).note("a chart", "chart")

    ran = commodore(*words)

    text = ran.err if schema == "log/v1" else ran.out
    text = text.partition("\n")[0] if schema == "live-watch/v1" else text
    printed, shown = json.loads(text), EXAMPLES[schema]
    assert (printed["schema"], shown["schema"]) == (schema, schema)
    assert problems_of(printed) == []
    assert set(keys(printed, shown)) == set(keys(shown, shown))


@pytest.mark.parametrize("schema", READ)
def test_an_example_of_what_is_read_fits_its_schema(schema: str) -> None:
    assert problems_of(EXAMPLES[schema]) == []


def test_every_example_is_compared() -> None:
    assert EXAMPLES.keys() == {*WORDS, *READ}


@pytest.mark.parametrize("schema", EXAMPLES)
def test_an_example_is_valid(schema: str) -> None:
    assert problems_of(EXAMPLES[schema]) == []


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ({"schema": "demo/v1", "directory": "x", "clusters": []}, "'next_steps' is a required"),
        (EXAMPLES["demo/v1"] | {"more": 1}, "'more' was unexpected"),
        (EXAMPLES["doctor/v1"] | {"verdict": "good"}, "'good' is not one of"),
        (
            EXAMPLES["catalog-compile/v1"] | {"diff": {}},
            "$.diff: 'changed' is a required",
        ),
    ],
)
def test_what_a_schema_does_not_have_is_found(content: dict[str, Any], problem: str) -> None:
    assert problem in "\n".join(problems_of(content))
