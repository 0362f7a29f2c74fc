"""A helm entry as an argument list, and its values as Helm reads them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from commodore_py.compiler.inputs.helm_arguments import (
    BadFlag,
    fetched,
    reaching,
    releases_of,
    values_text,
)


def arguments_of(charts: int = 1, values: str | None = None, **fields: Any) -> list[str]:  # noqa: ANN401 - as people write them
    """The argument list of the last of some charts."""
    every = {"helm_params": {}, "kube_version": None, "helm_values_files": [], **fields}
    release = releases_of(every, where="here")[charts - 1]
    return release.arguments("/chart", output="/out", values=values)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, "--include-crds --skip-tests --output-dir /out --generate-name /chart"),
        (
            {"kube_version": "1.25", "helm_params": {"name": "rel2"}},
            "--include-crds --skip-tests --api-versions 1.25 --output-dir /out rel2 /chart",
        ),
        (
            {
                "helm_params": {
                    "name": "rel",
                    "namespace": "nsx",
                    "no_hooks": True,
                    "include_crds": False,
                    "skip_tests": False,
                    "kube_version": "1.2",
                    "some_flag": 5,
                    "zz": False,
                },
                "values": "/v",
                "helm_values_files": ["vals.yaml", "more.yaml"],
            },
            (
                "--namespace nsx --no-hooks --kube-version 1.2 --some-flag 5 --values /v"
                " --values vals.yaml --values more.yaml --output-dir /out rel /chart"
            ),
        ),
        (
            {"helm_params": {"output_file": "out.yaml", "name": "x"}},
            "--include-crds --skip-tests x /chart",
        ),
        (
            {"helm_params": {"release_name": "old"}},
            "--include-crds --skip-tests --output-dir /out old /chart",
        ),
        (
            {"helm_params": {"release_name": True, "name": "x"}},
            "--include-crds --skip-tests --release-name --output-dir /out x /chart",
        ),
        (
            {"charts": 2, "helm_params": {"name": "spent"}},
            "--include-crds --skip-tests --output-dir /out --generate-name /chart",
        ),
        (
            {"charts": 2, "helm_params": {"release_name": "kept"}},
            "--include-crds --skip-tests --output-dir /out kept /chart",
        ),
    ],
)
def test_arguments_are_in_kapitans_order(fields: dict[str, Any], expected: str) -> None:
    assert arguments_of(**fields) == ["template", *expected.split()]


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("n", "only long flags"),
        ("skip-tests", "_ in place of -"),
        ("set", "cannot be given"),
        ("set_file", "cannot be given"),
        ("set_string", "cannot be given"),
        ("values", "cannot be given"),
        ("dry_run", "decided here"),
        ("generate_name", "decided here"),
        ("help", "decided here"),
        ("output_dir", "decided here"),
        ("show_only", "decided here"),
    ],
)
def test_flags_that_cannot_be_given(key: str, message: str) -> None:
    with pytest.raises(BadFlag, match=message) as caught:
        arguments_of(helm_params={key: "x"})

    assert f"helm_params.{key}" in str(caught.value)
    assert caught.value.where == "here"


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("0123", "'0123'"),
        ("007", "'007'"),
        ("0189", "'0189'"),
        ("1234567", "'1234567'"),
        ("123456", "'123456'"),
        ("1e5", "1e5"),
        ("0", "'0'"),
        ("yes", "'yes'"),
        ("one\ntwo\n", "'one\n\n  two\n\n  '"),
        ("ü", '"\\xFC"'),
    ],
)
def test_values_are_written_as_helm_reads_them(text: str, written: str) -> None:
    assert values_text({"a": text}) == f"a: {written}\n"


@pytest.mark.parametrize(
    "params",
    [
        {"output_file": "/etc/x"},
        {"output_file": "../x"},
        {"output_file": "a/../../x"},
        {"output_file": "a/./.././../x"},
        {"name": "--post-renderer=/x"},
        {"release_name": "-x"},
    ],
)
def test_what_leads_elsewhere_is_refused(params: dict[str, Any]) -> None:
    with pytest.raises(BadFlag):
        arguments_of(helm_params=params)


def test_a_value_is_never_an_option_of_its_own() -> None:
    found = arguments_of(helm_params={"name": "x", "no_hooks": "--post-renderer=/x"})

    assert "--no-hooks=--post-renderer=/x" in found
    assert "--post-renderer=/x" not in found


@pytest.mark.parametrize(
    ("params", "found"),
    [
        ({"name": "x", "namespace": "y", "set_json": "a=1", "output_file": "a"}, []),
        ({"post_renderer": "/x", "validate": True, "kubeconfig": "/x"},
         ["kubeconfig", "post_renderer", "validate"]),
        ({"name_template": "x-y"}, []),
        ({"name_template": '{{ env "HOME" }}'}, ["name_template"]),
        ({"validate": False}, []),
    ],
)  # fmt: skip
def test_what_lets_helm_do_more_than_render(params: dict[str, Any], found: list[str]) -> None:
    assert reaching(params) == found


def test_what_helm_would_fetch() -> None:
    fields = {
        "helm_values_files": ["a.yaml", "https://example.com/b"],
        "helm_params": {"dependency_update": True, "repo": ""},
    }

    assert fetched(fields, []) == ["https://example.com/b"]
    assert fetched(fields, [Path("chart")]) == [
        "https://example.com/b",
        "helm_params.dependency_update",
    ]
