"""A cluster and its tenant as the API gives them, a record of a compile, and what went wrong."""

from __future__ import annotations

from copy import deepcopy
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

import yaml

from commodore_py.lieutenant.clusters import report_body, send_report
from commodore_py.model.catalog import BuildRecord, DependencyRecord
from tests.support.builders import errors_in

if TYPE_CHECKING:
    from commodore_py.config import Config
    from commodore_py.errors import CommodoreError

MISSING = object()
"""Given as a field's value: leave the field out."""

_CLUSTER: dict[str, Any] = {
    "id": "c-1",
    "tenant": "t-1",
    "displayName": "Älpli, production",
    "facts": {"cloud": "lakeside", "distribution": "k3s", "region": "east"},
    "dynamicFacts": {"nodes": 3},
    "gitRepo": {"url": "ssh://git@git.example.org/c-1.git", "type": "auto"},
}
_TENANT: dict[str, Any] = {
    "id": "t-1",
    "displayName": "Dairy",
    "gitRepo": {"url": "https://git.example.org/t-1.git", "revision": "never-read"},
    "globalGitRepoURL": "https://git.example.org/global.git",
}


def cluster_object(**fields: object) -> dict[str, Any]:
    """A complete cluster object, with other fields."""
    return _with(_CLUSTER, fields)


def tenant_object(**fields: object) -> dict[str, Any]:
    """A complete tenant object, with other fields."""
    return _with(_TENANT, fields)


def as_yaml(value: object) -> str:
    return yaml.safe_dump(value, allow_unicode=True)


def report(config: Config, record: BuildRecord) -> None:
    send_report(config, record.cluster, report_body(record))


def make_record() -> BuildRecord:
    """A compile of c-1: two instances of one component, one package."""
    zone = timezone(timedelta(hours=2))
    return BuildRecord(
        cluster="c-1",
        time=datetime(2026, 5, 4, 3, 2, 1, 123_456, tzinfo=zone),
        global_config=_record("global"),
        tenant_config=_record("t-1"),
        instances=(
            _record("shop-two", path="comps/shop", component="shop"),
            _record("shop", component="shop"),
        ),
        packages=(_record("tools", path="pkg"),),
    )


def problem_lines(error: CommodoreError) -> list[str]:
    """Every problem, with its place."""
    return [f"{problem.where}: {problem}" for problem in errors_in(error)]


def _with(base: dict[str, Any], fields: dict[str, object]) -> dict[str, Any]:
    changed = {**deepcopy(base), **fields}
    return {name: value for name, value in changed.items() if value is not MISSING}


def _record(name: str, **more: str) -> DependencyRecord:
    url = f"https://git.example.org/{name}.git"
    return DependencyRecord(name, url, "main", "0a1b2c3d" * 5, "0a1b2c3", **more)
