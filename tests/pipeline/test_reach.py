"""Files of the machine that repositories lead to: reported, refused with --strict, or always."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from commodore_py.errors import CommodoreError
from commodore_py.pipeline import compile_catalog
from tests.support.builders import Link, commit_to, errors_in
from tests.support.fleet import CLUSTER, Fleet, make_fleet

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from commodore_py.model.published import Published

pytestmark = pytest.mark.sample(3)

SECRET = "CANARY"
MANIFEST = f'{{"out": {{"kind": "ConfigMap", "data": {{"of": "{SECRET}"}}}}}}'


def _compile(fleet: Fleet, **changes: Any) -> Published:  # noqa: ANN401 - Config checks them
    return compile_catalog(fleet.config(push=True, **changes), CLUSTER, lambda _: True)


def _refused(fleet: Fleet, **changes: Any) -> str:  # noqa: ANN401 - as above
    with pytest.raises(CommodoreError) as caught:
        _compile(fleet, **changes)
    return "\n".join(f"{one}\n{one.where}" for one in errors_in(caught.value))


def _fleet(
    root: Path, files: Mapping[str, str | Link], entry: Mapping[str, Any] | None = None
) -> Fleet:
    usual = {
        "input_type": "jsonnet",
        "input_paths": ["${_base_directory}/component/main.jsonnet"],
        "output_path": "out",
    }
    parameters = {"kapitan": {"compile": [{**usual, **(entry or {})}]}}
    fleet = make_fleet(root, web={"class/web.yml": yaml.safe_dump({"parameters": parameters})})
    if files:
        commit_to(fleet.repository("component-web"), files)
    return fleet


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A folder of the machine."""
    folder = tmp_path / "outside"
    folder.mkdir()
    (folder / "a.json").write_text(MANIFEST)
    (folder / "a.yml").write_text(f"parameters:\n  web:\n    data:\n      of: {SECRET}\n")
    return folder


def _component_link(root: Path, outside: Path) -> Fleet:
    return _fleet(root, {"component/main.jsonnet": Link(outside / "a.json")})


def _folder_link(root: Path, outside: Path) -> Fleet:
    entry = {"input_type": "copy", "input_paths": ["${_base_directory}/stuff"]}
    return _fleet(root, {"stuff": Link(outside)}, entry)


def _import(root: Path, outside: Path) -> Fleet:
    return _fleet(root, {"component/main.jsonnet": f"import '{outside}/a.json'"})


def _import_upwards(root: Path, outside: Path) -> Fleet:
    up = os.path.relpath(outside, root / "work/dependencies/web/component")
    return _fleet(root, {"component/main.jsonnet": f"import '{up}/a.json'"})


def _filter(root: Path, outside: Path) -> Fleet:
    filters = [{"path": "out", "type": "jsonnet", "filter": "filters/f.jsonnet"}]
    entry = yaml.safe_dump(
        {
            "parameters": {
                "commodore": {"postprocess": {"filters": filters}},
                "kapitan": {
                    "compile": [
                        {
                            "input_type": "jsonnet",
                            "input_paths": ["${_base_directory}/component/main.jsonnet"],
                            "output_path": "out",
                        }
                    ]
                },
            }
        }
    )
    return _fleet(root, {"class/web.yml": entry, "filters/f.jsonnet": f"import '{outside}/a.json'"})


def _linked_filter(root: Path, outside: Path) -> Fleet:
    fleet = _filter(root, outside)
    commit_to(fleet.repository("component-web"), {"filters/f.jsonnet": Link(outside / "a.json")})
    return fleet


def _tenant_class(root: Path, outside: Path) -> Fleet:
    fleet = _fleet(root, {"component/main.jsonnet": _OWN_DATA})
    commit_to(
        fleet.repository("tenant"),
        {
            "common.yml": "classes: [.extra]\napplications: [web]\n",
            "extra.yml": Link(outside / "a.yml"),
        },
    )
    return fleet


def _class_folder(root: Path, outside: Path) -> Fleet:
    fleet = _fleet(root, {"component/main.jsonnet": _OWN_DATA})
    commit_to(
        fleet.repository("tenant"),
        {"common.yml": "classes: [.more.a]\napplications: [web]\n", "more": Link(outside)},
    )
    return fleet


def _component_path(root: Path, outside: Path) -> Fleet:
    for name in ("class/web.yml", "class/defaults.yml", "component/main.jsonnet"):
        (outside / "web" / name).parent.mkdir(parents=True, exist_ok=True)
    (outside / "web/class/defaults.yml").write_text("parameters: {web: {}}\n")
    (outside / "web/component/main.jsonnet").write_text(MANIFEST)
    fleet = _fleet(root, {})
    entry = {"input_type": "jsonnet", "output_path": "out"}
    entry["input_paths"] = ["dependencies/web/link/component/main.jsonnet"]  # type: ignore[assignment]
    (outside / "web/class/web.yml").write_text(
        yaml.safe_dump({"parameters": {"kapitan": {"compile": [entry]}}})
    )
    commit_to(fleet.repository("component-web"), {"link": Link(outside / "web")})
    tenant = {"applications": ["web"], "parameters": {"components": {"web": {"path": "link"}}}}
    fleet.configure(tenant)
    return fleet


_OWN_DATA = """
local inv = (import 'lib/kapitan.libjsonnet').inventory();
{ out: { kind: 'ConfigMap', data: inv.parameters.web.data } }
"""
WAYS = [
    _component_link,
    _folder_link,
    _import,
    _import_upwards,
    _filter,
    _linked_filter,
    _tenant_class,
    _class_folder,
    _component_path,
]


@pytest.mark.parametrize("cached", [False, True])
@pytest.mark.parametrize("way", WAYS)
def test_outside_content_is_reported_and_refused_if_strict(
    tmp_path: Path,
    outside: Path,
    way: Callable[[Path, Path], Fleet],
    *,
    cached: bool,
) -> None:
    fleet = way(tmp_path, outside)
    cache = tmp_path / "results" if cached else None

    for _ in range(2):
        published = _compile(fleet, result_cache=cache)
        notices = [one for one in published.notices if str(outside) in one.message]
        assert notices
        assert all(one.strict for one in notices)
    assert any(SECRET in content for content in fleet.catalog_files().values())
    assert str(outside) in _refused(fleet, result_cache=cache, strict=True)


@pytest.mark.parametrize("way", WAYS)
def test_secrets_of_the_home_directory_are_refused_always(
    tmp_path: Path,
    empty_home: Path,
    way: Callable[[Path, Path], Fleet],
) -> None:
    hidden = empty_home / ".kube"
    hidden.mkdir()
    (hidden / "a.json").write_text(MANIFEST)
    (hidden / "a.yml").write_text(f"parameters:\n  web:\n    data:\n      of: {SECRET}\n")

    text = _refused(way(tmp_path, hidden))

    assert "hidden files of a home directory" in text
    assert SECRET not in text


@pytest.mark.parametrize("repository", ["global", "tenant"])
@pytest.mark.parametrize(
    ("target", "why"),
    [
        ("/dev/zero", "nothing in /dev is read"),
        ("/dev/fd/0", "nothing in /dev is read"),
        ("/proc/self/environ", "nothing in /proc is read"),
        ("fifo", "it is a FIFO, not a file"),
        ("missing", "the symlink is broken"),
        ("extra.yml", "the symlink is broken"),
    ],
)
def test_class_that_is_no_regular_file_is_an_error(
    tmp_path: Path, repository: str, target: str, why: str
) -> None:
    os.mkfifo(tmp_path / "fifo")
    fleet = make_fleet(tmp_path, web={})
    name = "commodore.yml" if repository == "global" else "common.yml"
    to = tmp_path / target if target == "fifo" else target
    commit_to(fleet.repository(repository), {name: Link(to)})

    assert why in _refused(fleet).replace("the symlink leads to itself", "the symlink is broken")


@pytest.mark.parametrize("target", ["/", "..", ".", "../../..", "/proc", "/proc/self/root"])
def test_class_folder_linked_upwards_is_an_error(tmp_path: Path, target: str) -> None:
    fleet = make_fleet(tmp_path, web={})
    commit_to(fleet.repository("tenant"), {"more": Link(target)})

    text = _refused(fleet)

    assert "more" in text
    assert "leads to a folder above it" in text or "nothing in /proc is read" in text
