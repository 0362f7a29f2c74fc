"""What a kustomization would have fetched."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from commodore_py.adapters.kustomize import remote_bases

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    "url",
    [
        "https://github.com/org/repo//config/default?ref=v1",
        "https://example.com/a.yaml",
        "http://example.com/a.yaml",
        "ssh://git@example.com/org/repo",
        "git::https://example.com/org/repo",
        "git@example.com:org/repo.git//x?ref=v1",
        "github.com/org/repo?ref=v1",
        "example.com/org/repo.git",
        "example.com/org/repo//folder",
    ],
)
def test_remote_bases_are_found_with_their_lines(url: str, tmp_path: Path) -> None:
    (tmp_path / "kustomization.yaml").write_text(f"resources:\n  - a.yaml\n  - {url}\n")

    (base,) = remote_bases(tmp_path)

    assert base.url == url
    assert base.where == f"{tmp_path}/kustomization.yaml:3"


@pytest.mark.parametrize(
    "name", ["a.yaml", "../a", "./x/y.yaml", "deep/er/a.yaml", "nowhere.d/a.yaml"]
)
def test_what_may_lie_here_is_not_remote(name: str, tmp_path: Path) -> None:
    (tmp_path / "kustomization.yaml").write_text(f"resources: [{name}]\n")

    assert remote_bases(tmp_path) == ()


def test_local_bases_are_followed_once(tmp_path: Path) -> None:
    for folder, content in {
        "top": "bases: [../one]\ncomponents: [../two]\n",
        "one": "resources: [../top, 'https://example.com/1.yaml']\n",
        "two": "kind: Component\npatches: [{path: 'https://example.com/2.yaml'}]\n",
        "three": "resources: ['https://example.com/3.yaml']\n",
    }.items():
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "Kustomization").write_text(content)

    assert [base.url for base in remote_bases(tmp_path / "top")] == [
        "https://example.com/1.yaml",
        "https://example.com/2.yaml",
    ]


def test_charts_and_schemas_count(tmp_path: Path) -> None:
    (tmp_path / "kustomization.yml").write_text(
        "helmCharts: [{name: x, repo: 'https://charts.example.com'}]\n"
        "openapi: {path: 'https://example.com/schema.json'}\n"
    )

    assert {base.url for base in remote_bases(tmp_path)} == {
        "https://charts.example.com",
        "https://example.com/schema.json",
    }


@pytest.mark.parametrize("content", ["", "[]", "resources: x", "a: [", "resources: [1, null]"])
def test_odd_kustomizations_are_left_to_kustomize(content: str, tmp_path: Path) -> None:
    (tmp_path / "kustomization.yaml").write_text(content)

    assert remote_bases(tmp_path) == ()
    assert remote_bases(tmp_path / "nowhere") == ()
