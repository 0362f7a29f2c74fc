"""Missing checkouts: listed by offline and strict runs, otherwise left out with a notice."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest
import yaml

from commodore_py import pipeline
from commodore_py.errors import CommodoreError
from tests.support.builders import digest_of, errors_in, make_repository, url_of
from tests.support.fleet import CLUSTER, component_entries, make_fleet

if TYPE_CHECKING:
    from pathlib import Path

    from commodore_py.model.published import Published
    from tests.support.fleet import Fleet

pytestmark = pytest.mark.sample(2)


@pytest.fixture
def fleet(tmp_path: Path) -> Fleet:
    """A cluster that was compiled once: a package, two components and an instance of one."""
    fleet = make_fleet(
        tmp_path,
        kept={},
        lost={
            "class/defaults.yml": yaml.safe_dump(
                {"parameters": {"lost": {"data": {}, "_metadata": {"multi_instance": True}}}}
            )
        },
    )
    package = make_repository(fleet.repository("pack"), {"main.yml": "classes: []\n"})
    fleet.configure(
        {
            "applications": ["kept", "lost", "lost as more", "pkg.pack"],
            "classes": ["pack.main"],
            "parameters": {
                "components": component_entries(fleet, ["kept", "lost"]),
                "packages": {"pack": {"url": url_of(package), "version": "master"}},
            },
        }
    )
    _compile(fleet)
    return fleet


def _compile(fleet: Fleet, **settings: object) -> Published:
    return pipeline.compile_catalog(fleet.config(**settings), CLUSTER, lambda _: False)


def _refused(fleet: Fleet, **settings: object) -> list[tuple[str, str]]:
    before = {name: digest_of(fleet.work / name) for name in ("catalog", "compiled", "inventory")}
    with pytest.raises(CommodoreError) as caught:
        _compile(fleet, **settings)
    assert before == {name: digest_of(fleet.work / name) for name in before}
    return [(str(error), error.hint) for error in errors_in(caught.value)]


@pytest.mark.parametrize(
    ("option", "settings"),
    [
        ("--offline", {"offline": True}),
        ("--offline", {"offline": True, "strict": True}),
        ("--local", {"strict": True}),
    ],
)
@pytest.mark.parametrize("elsewhere", [False, True])
def test_offline_or_strict_run_lists_missing_checkouts(
    fleet: Fleet, option: str, settings: dict[str, object], *, elsewhere: bool
) -> None:
    for name in ("pkg.pack", "lost", "more"):
        shutil.rmtree(fleet.work / "dependencies" / name)
    folder = fleet.root / "out" if elsewhere else None

    errors = _refused(fleet, local=True, output_dir=folder, **settings)

    hint = f"compile once without {option} to fetch it"
    assert errors == [
        ("no checkout of the package pack", hint),
        ("no checkout of the component lost", hint),
        ("no checkout of lost as more", hint),
    ]
    assert not (fleet.root / "out").exists()


def test_local_run_names_omitted_components(fleet: Fleet) -> None:
    for name in ("lost", "more"):
        shutil.rmtree(fleet.work / "dependencies" / name)

    published = _compile(fleet, local=True)

    (notice,) = published.notices
    assert "Left out, as they are not checked out: lost, more." in notice.message
    assert "common.yml:" in notice.where
    assert not (fleet.work / "catalog/manifests/lost").exists()


def test_instance_without_component_checkout_is_an_error(fleet: Fleet) -> None:
    shutil.rmtree(fleet.work / "dependencies/lost")

    (error, *_) = _refused(fleet, local=True)

    assert error[0] == "component lost is not here, but more is an instance of it"


def test_complete_working_directory_compiles_offline(fleet: Fleet) -> None:
    assert _compile(fleet, local=True, offline=True, strict=True).notices == ()
