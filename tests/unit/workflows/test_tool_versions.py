"""Versions, read and compared."""

from __future__ import annotations

import pytest

from commodore_py.workflows.tools.programs import (
    normalised,
    precedence,
    upgrade_available,
    version_in,
)

IN_ORDER = [
    "v1.0.0-alpha",
    "1.0.0-alpha.1",
    "1.0.0-alpha.beta",
    "1.0.0-beta.2",
    "1.0.0-beta.11",
    "1.0.0-rc.1",
    "v1.0.0",
    "1.2.9",
    "v1.10.0",
    "2.0.0",
]


def test_precedence_counts_and_does_not_spell() -> None:
    spelled = sorted(IN_ORDER)

    assert spelled != IN_ORDER
    assert sorted(spelled, key=precedence) == IN_ORDER


def test_build_metadata_makes_no_difference() -> None:
    assert precedence("1.2.3+a") == precedence("1.2.3+b")


@pytest.mark.parametrize(
    ("installed", "latest", "expected"),
    [
        ("v3.9.0", "v3.18.4", True),
        ("3.18.4", "v3.18.4", False),
        ("v4.0.0", "v3.18.4", False),
        ("v3.18.4-rc.1", "v3.18.4", True),
        ("WARNING: kubeconfig is readable by all\nv3.18.4", "v3.18.4", False),
        ("dev", "v0.6.3", True),
        ("nightly", "vnightly", False),
    ],
)
def test_only_what_is_newer_is_an_upgrade(installed: str, latest: str, expected: bool) -> None:
    assert upgrade_available(installed, latest) is expected


@pytest.mark.parametrize(
    ("output", "version"),
    [
        ("v3.18.3", "v3.18.3"),
        ("5.7.0", "v5.7.0"),
        ("{Version:kustomize/v4.5.7 GitCommit:56d82a8 GoOs:linux}", "v4.5.7"),
        ("built with go1.24.8, this is 0.6.3", "v0.6.3"),
        ("10.0.0.1 is an address", None),
        ("", None),
    ],
)
def test_a_version_is_found_in_what_a_program_prints(output: str, version: str | None) -> None:
    assert version_in(output) == version


@pytest.mark.parametrize("text", ["", "latest", "1.2", "1.2.3/../..", "1.2.3 ", "vv1.2.3"])
def test_what_is_not_a_version_is_none(text: str) -> None:
    assert normalised(text) is None

    with pytest.raises(ValueError, match="not a version"):
        precedence(text)
