"""Where things are checked out to, and which URL a shared clone has."""

from __future__ import annotations

from pathlib import Path

import pytest

from commodore_py.config import WorkPaths
from commodore_py.dependencies.git.groups import place_of, register
from commodore_py.model.dependency import DependencySpec, Kind

HTTPS, SSH, SCP = "https://host/mono.git", "ssh://git@host/mono.git", "git@host:mono.git"


def spec(url: str, kind: Kind = Kind.COMPONENT, name: str = "foo") -> DependencySpec:
    return DependencySpec(kind, name, url, "v1")


@pytest.mark.parametrize(
    ("urls", "wins"),
    [
        ([HTTPS, SSH], SSH),
        ([SSH, HTTPS], SSH),
        ([HTTPS, SCP], HTTPS),
        ([SCP, HTTPS], SCP),
        ([HTTPS, "https://me:pw@host:8443/mono.git"], HTTPS),
    ],
)
def test_one_repository_has_one_clone_and_ssh_wins(urls: list[str], wins: str) -> None:
    remotes: dict[str, str] = {}

    register([spec(url) for url in urls], remotes)

    assert remotes == {"host/mono.git": wins}


def test_the_url_of_an_earlier_step_stays() -> None:
    remotes: dict[str, str] = {}

    register([spec(HTTPS, Kind.PACKAGE)], remotes)
    register([spec("https://HOST/mono.git")], remotes)

    assert remotes == {"host/mono.git": HTTPS}


def test_configurations_have_clones_of_their_own() -> None:
    remotes: dict[str, str] = {}

    register([spec(HTTPS, Kind.GLOBAL), spec(HTTPS, Kind.TENANT)], remotes)

    assert remotes == {}


@pytest.mark.parametrize(
    ("kind", "place"),
    [
        (Kind.GLOBAL, "inventory/classes/foo"),
        (Kind.TENANT, "inventory/classes/foo"),
        (Kind.PACKAGE, "dependencies/pkg.foo"),
        (Kind.COMPONENT, "dependencies/foo"),
        (Kind.INSTANCE, "dependencies/foo"),
    ],
)
def test_everything_has_its_place(kind: Kind, place: str) -> None:
    assert place_of(spec(HTTPS, kind), WorkPaths(Path("w"))) == Path("w") / place
