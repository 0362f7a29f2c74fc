"""Checks that need no schemas: duplicates, namespaces, references, images, secrets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from commodore_py.checks import run
from commodore_py.checks.base import Settings
from commodore_py.checks.origins import inputs_of
from commodore_py.checks.run import check_catalog
from commodore_py.checks.table import names
from commodore_py.model.tree import Entry, Tree

from .build import a_deployment, a_tree, an_object, checked, found, problems

if TYPE_CHECKING:
    from pathlib import Path

    from commodore_py.model.spot import ParameterPath

NAMED = {"namespace": "shop"}


def test_an_object_with_two_contents() -> None:
    one, other = an_object("ConfigMap", data={"a": "1"}), an_object("ConfigMap", data={"a": "2"})

    (problem,) = problems(one, other, only="duplicates")

    assert (problem.code, problem.severity) == ("duplicates/different", "error")
    assert "in out.yaml of instance web" in problem.message


def test_an_object_that_is_there_twice() -> None:
    assert found(an_object("ConfigMap"), an_object("ConfigMap"), only="duplicates") == [
        ("equal", "")
    ]


def test_an_object_in_the_group_it_was_moved_from() -> None:
    old = an_object("Ingress", api_version="extensions/v1beta1", metadata=NAMED)
    new = an_object("Ingress", api_version="networking.k8s.io/v1", metadata=NAMED)

    assert found(old, new, only="duplicates") == [("different", "")]


@pytest.mark.parametrize(
    ("kind", "code"), [("ConfigMap", "unknown-namespace"), ("ClusterRole", "equal")]
)
def test_objects_without_a_namespace_in_two_instances(kind: str, code: str) -> None:
    trees = {"a": a_tree(an_object(kind)), "b": a_tree(an_object(kind))}

    result = check_catalog(trees, Settings(skip=tuple({*names()} - {"duplicates"})))

    assert [one.code for one in result.problems] == [f"duplicates/{code}"]


def test_names_made_by_the_server_are_not_compared() -> None:
    job = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"generateName": "x-"}}

    assert found(job, dict(job), only="duplicates") == []


@pytest.mark.parametrize(
    ("source", "codes"),
    [
        ({}, ["sync/folder-not-read"]),
        ({"directory": {"recurse": True}}, []),
        ({"kustomize": {}}, []),
    ],
    ids=["plain", "recursive", "rendered"],
)
def test_a_folder_that_no_application_reads(source: dict[str, Any], codes: list[str]) -> None:
    spec = {"source": {"path": "manifests/web", **source}}
    application = an_object("Application", "web", "argoproj.io/v1alpha1", spec=spec)
    files = {
        "argocd": a_tree(application, file="apps/web.yaml"),
        "web": Tree(
            {
                **a_tree(an_object("ConfigMap"), file="web/all.yaml"),
                **a_tree(an_object("ConfigMap", "a"), file="web/below/a.yaml"),
                **a_tree(an_object("ConfigMap", "b"), file="web/below/b.yaml"),
            }
        ),
    }

    result = check_catalog(files, Settings(skip=tuple({*names()} - {"sync-paths"})))

    assert [one.code for one in result.problems] == codes


def test_lists_are_unrolled() -> None:
    items = [an_object("ConfigMap"), an_object("ConfigMap")]

    assert checked({"apiVersion": "v1", "kind": "List", "items": items}).objects == 2


def test_a_document_that_cannot_be_read(tmp_path: Path) -> None:
    text = Entry(b"a: [\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n")
    from pathlib import PurePosixPath

    result = check_catalog({"web": Tree({PurePosixPath("a.yaml"): text})}, Settings(cache=tmp_path))

    assert result.objects == 1
    assert [one.code for one in result.problems if one.severity == "warning"] == [
        "checks/unreadable"
    ]


def test_a_namespace_that_nothing_creates_is_reported_once() -> None:
    pods = [an_object("ConfigMap", name, metadata=NAMED) for name in "ab"]

    (problem,) = problems(*pods, only="namespaces")

    assert problem.message == "nothing here creates namespace shop, as for 1 other object"


@pytest.mark.parametrize(
    "creator",
    [
        an_object("Namespace", "shop"),
        an_object("Project", "shop", "project.openshift.io/v1"),
        an_object(
            "Application",
            api_version="argoproj.io/v1alpha1",
            spec={
                "destination": NAMED,
                "syncPolicy": {"syncOptions": ["CreateNamespace=true"]},
            },
        ),
    ],
    ids=lambda one: one["kind"],
)
def test_namespaces_are_created(creator: dict[str, Any]) -> None:
    assert found(an_object("ConfigMap", metadata=NAMED), creator, only="namespaces") == []


def test_known_namespaces() -> None:
    config = an_object("ConfigMap", metadata=NAMED)

    assert found(config, only="namespaces", known_namespaces=("shop",)) == []
    assert found(an_object("ConfigMap", metadata={"namespace": "default"}), only="namespaces") == []


POD: dict[str, Any] = {
    "serviceAccountName": "robot",
    "imagePullSecrets": [{"name": "pull"}],
    "volumes": [
        {"name": "a", "configMap": {"name": "files"}},
        {"name": "b", "secret": {"secretName": "key"}},
        {"name": "c", "persistentVolumeClaim": {"claimName": "disk"}},
        {"name": "d", "projected": {"sources": [{"secret": {"name": "part"}}]}},
        {"name": "e", "secret": {"secretName": "maybe", "optional": True}},
    ],
    "containers": [
        {
            "name": "main",
            "image": "a:1",
            "env": [{"name": "A", "valueFrom": {"secretKeyRef": {"name": "env", "key": "k"}}}],
            "envFrom": [
                {"configMapRef": {"name": "all"}},
                {"secretRef": {"name": "x", "optional": True}},
            ],
        }
    ],
}
NAMES = {
    *("ServiceAccount robot", "Secret pull", "ConfigMap files", "Secret key", "Secret part"),
    *("PersistentVolumeClaim disk", "Secret env", "ConfigMap all"),
}


def test_what_a_workload_names() -> None:
    assert {one.subject for one in problems(a_deployment(**POD), only="references")} == NAMES


def test_what_is_provided_is_not_missing() -> None:
    there = [an_object(*name.split()) for name in NAMES]

    assert problems(a_deployment(**POD), *there, only="references") == []


def test_another_namespace_does_not_provide() -> None:
    pod = a_deployment(serviceAccountName="robot")
    pod["metadata"]["namespace"] = "shop"
    account = an_object("ServiceAccount", "robot", metadata={"namespace": "other"})

    (problem,) = problems(pod, account, only="references")

    assert problem.message.endswith("there is one in namespace other")
    assert problem.place.field == "spec.template.spec.serviceAccountName"


@pytest.mark.parametrize(
    "producer",
    [
        an_object("Certificate", api_version="cert-manager.io/v1", spec={"secretName": "key"}),
        an_object("ExternalSecret", "key", "external-secrets.io/v1"),
        an_object("SealedSecret", "key", "bitnami.com/v1alpha1"),
    ],
    ids=lambda one: one["kind"],
)
def test_secrets_that_others_produce(producer: dict[str, Any]) -> None:
    pod = a_deployment(volumes=[{"name": "b", "secret": {"secretName": "key"}}])

    assert problems(pod, producer, only="references") == []


@pytest.mark.parametrize(
    ("image", "code"),
    [
        ("nginx", "no-tag"),
        ("nginx:latest", "no-tag"),
        ("nginx:1.2", "no-digest"),
        ("host:5000/a/b:1", "no-digest"),
        ("Example.com/a:1", "no-digest"),
        ("a@sha256:" + "0" * 64, ""),
        ("host/a:1@sha256:" + "0" * 64, ""),
        ("Nginx:1", "invalid"),
        ("a:", "invalid"),
        ("https://example.com/a:1", "invalid"),
        ("a b", "invalid"),
        ("${image}", "invalid"),
    ],
)
def test_images(image: str, code: str) -> None:
    pod = a_deployment(containers=[{"name": "a", "image": image}])

    assert [one for one, _ in found(pod, only="images")] == ([code] if code else [])


def test_images_in_variables_and_cron_jobs() -> None:
    variable = {"name": "RELATED_IMAGE_X", "value": "x:1"}
    pod = {"spec": {"containers": [{"image": "y:1", "env": [variable]}]}}
    job = an_object("CronJob", spec={"jobTemplate": {"spec": {"template": pod}}})

    assert {one.subject for one in problems(job, only="images")} == {"x:1", "y:1"}


KEY = "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA\n-----END RSA PRIVATE KEY-----\n"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (an_object("Secret", stringData={"a": "hunter2"}), [("plain-text", "stringData.a")]),
        (an_object("Secret", stringData={"a": "?{vaultkv:a/b}"}), []),
        (an_object("Secret", stringData={"a": "user:?{vaultkv:a/b}"}), []),
        (an_object("Secret", stringData={"a": ""}), []),
        (an_object("Secret", data={"a": "P3t2YXVsdGt2OmEvYn0="}), [("in-base64", "data.a")]),
        (an_object("Secret", data={"a": "aGVsbG8="}), [("plain-text", "data.a")]),
        (an_object("ConfigMap", data={"a": KEY}), [("private-key", "data.a")]),
        (an_object("ConfigMap", data={"a": "-----BEGIN PRIVATE KEY-----"}), []),
        (an_object("ConfigMap", data={"a": "ghp_" + "a" * 36}), [("private-key", "data.a")]),
        (an_object("ConfigMap", data={"a": "light"}), []),
    ],
)
def test_secrets(content: dict[str, Any], expected: list[tuple[str, str]]) -> None:
    assert found(content, only="secrets") == expected
    assert "hunter2" not in str(problems(content))


ENTRIES: dict[str, Any] = {
    "kapitan": {
        "compile": [
            {"input_paths": ["c/main.jsonnet"], "output_path": "web"},
            {"input_paths": ["c/charts"], "output_path": "web/charts"},
            {"input_paths": ["c/all.jsonnet"], "output_path": "."},
            {"input_paths": [], "output_path": None},
            "odd",
        ]
    },
    "web": {"replicas": "three", "list": [{"image": "a:latest"}], "twice": "same-value"},
    "other": {"twice": "same-value"},
}


@pytest.mark.parametrize(
    ("file", "inputs"),
    [
        ("web/a.yaml", ("c/main.jsonnet",)),
        ("web/charts/x/a.yaml", ("c/charts",)),
        ("b.yaml", ("c/all.jsonnet",)),
    ],
)
def test_the_input_that_rendered_a_file(file: str, inputs: tuple[str, ...]) -> None:
    assert inputs_of(ENTRIES, file) == inputs


class AnOrigin:
    """One instance with known parameters."""

    def parameters(self, _instance: str) -> dict[str, Any]:
        return ENTRIES

    def line(self, _instance: str, path: ParameterPath) -> str:
        return f"common.yml:{len(path)}"


def test_the_line_that_set_a_value() -> None:
    pod = a_deployment(containers=[{"name": "a", "image": "a:latest"}])

    (problem,) = problems(pod, only="images", origins=AnOrigin())

    assert [(one.note, one.position, one.field) for one in problem.related] == [
        ("rendered by", "c/all.jsonnet", ""),
        ("set by", "common.yml:4", "parameters.web.list.[0].image"),
    ]


def test_a_value_of_several_parameters_has_no_line() -> None:
    config = an_object("ConfigMap", metadata={"namespace": "same-value"})

    (problem,) = problems(config, only="namespaces", origins=AnOrigin())

    assert [one.note for one in problem.related] == ["rendered by"]


def test_results_are_the_same_from_the_cache(tmp_path: Path) -> None:
    objects = (a_deployment(**POD), an_object("Secret", stringData={"a": "b"}))

    first = checked(*objects, cache=tmp_path)
    second = checked(*objects, cache=tmp_path)
    changed = checked(*objects[1:], cache=tmp_path)

    assert first == second == checked(*objects)
    assert changed == checked(*objects[1:])


def test_an_unchanged_run_is_not_examined_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    objects = (a_deployment(**POD), an_object("Secret", stringData={"a": "b"}))
    before = checked(*objects, cache=tmp_path)

    def fail(*_: object) -> None:
        raise AssertionError

    with monkeypatch.context() as patched:
        patched.setattr(run, "examine", fail)
        assert checked(*objects, cache=tmp_path) == before
    for other in ({"only": "secrets"}, {"skip": ("secrets",)}, {"version": None}):
        assert checked(*objects, cache=tmp_path, **other) == checked(*objects, **other)


def test_checks_that_earlier_runs_omitted_are_made(tmp_path: Path) -> None:
    objects = (a_deployment(**POD), an_object("ConfigMap", metadata={"namespace": "shared"}))
    checked(*objects, only="images", cache=tmp_path)
    changed = (*objects, an_object("ConfigMap"))

    assert checked(*changed, cache=tmp_path) == checked(*changed)
    assert checked(*changed, only="namespaces", cache=tmp_path) == checked(
        *changed, only="namespaces"
    )


def test_namespaces_that_become_known_are_another_run(tmp_path: Path) -> None:
    content = an_object("ConfigMap", metadata={"namespace": "shared"})

    first = checked(content, only="namespaces", cache=tmp_path)
    second = checked(content, only="namespaces", cache=tmp_path, known_namespaces=("shared",))

    assert (len(first.problems), len(second.problems)) == (1, 0)


def test_a_definition_that_changes_is_another_question(tmp_path: Path) -> None:
    from .build import a_definition

    widget = an_object("Widget", api_version="example.com/v1", spec="x")
    schema = {"properties": {"spec": {"type": "string"}}}

    assert found(a_definition(schema), widget, only="custom-resources", cache=tmp_path) == []
    schema["properties"]["spec"]["type"] = "integer"
    assert found(a_definition(schema), widget, only="custom-resources", cache=tmp_path) == [
        ("wrong-type", "spec")
    ]


def test_a_check_that_is_skipped_does_not_run() -> None:
    runs = checked(a_deployment(), skip=("images",)).runs

    assert "images" not in {one.name for one in runs}
    assert {one.outcome for one in runs} == {"passed"}


@pytest.mark.parametrize(
    ("api_version", "kind", "remedy"),
    [
        ("apps/v1", "Deploymnt", "did you mean Deployment?"),
        ("v1", "ConfigMpa", "did you mean ConfigMap?"),
        ("v1", "Deployment", "did you mean apps/v1 Deployment?"),
        ("app/v1", "Deployment", "did you mean apps/v1 Deployment?"),
        ("example.com/v1", "Widgte", "did you mean Widget?"),
        ("example.com/v1", "Widget", ""),
        ("example.com/v1", "Other", ""),
        ("other.example.com/v1", "Widgte", ""),
        ("extensions/v1beta1", "Ingress", ""),
        ("policy/v1beta1", "PodSecurityPolicy", ""),
    ],
)
def test_misspelled_kinds(api_version: str, kind: str, remedy: str) -> None:
    definition = an_object(
        "CustomResourceDefinition",
        api_version="apiextensions.k8s.io/v1",
        spec={"group": "example.com", "names": {"kind": "Widget"}},
    )
    result = problems(definition, an_object(kind, api_version=api_version), only="kinds")

    assert [one.remedy for one in result] == ([remedy] if remedy else [])
