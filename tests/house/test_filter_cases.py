"""Whatever a filter can be or call has a case that shows what it does."""

import json
from pathlib import Path

import pytest

from commodore_py.adapters.files.overlay import Overlay
from commodore_py.adapters.jsonnet.evaluate import evaluate
from commodore_py.lib import LIBRARIES
from commodore_py.postprocess.filters import FILTERS
from commodore_py.postprocess.jsonnet_environment import natives
from commodore_py.refs.backends import REF_BACKENDS
from tests.support.filter_functions import LIBRARY, NATIVES

GOLDEN = Path(__file__).parent.parent / "golden" / "filters"
DOCS = Path(__file__).parents[2] / "docs"
NOWHERE = Path("/made/up")


@pytest.mark.parametrize("name", sorted(FILTERS))
def test_every_filter_has_a_golden_case(name: str) -> None:
    assert list(GOLDEN.glob(f"{name}_*.yaml"))


def test_every_native_of_filters_is_called_in_a_case() -> None:
    offered = natives(Overlay(NOWHERE, NOWHERE, {}), {})

    assert sorted(NATIVES) == sorted(offered)
    assert all(any(name in call for call in calls) for name, calls in NATIVES.items())


def test_every_function_of_the_library_is_called_in_a_filter(tmp_path: Path) -> None:
    file = tmp_path / "fields.jsonnet"
    file.write_text("std.objectFields(import 'lib/commodore.libjsonnet')")
    fields = json.loads(evaluate(file, import_folders=(LIBRARIES,)))

    assert sorted(LIBRARY) == sorted(fields)
    assert all(any(f"com.{name}" in call for call in calls) for name, calls in LIBRARY.items())


@pytest.mark.parametrize("name", sorted(FILTERS))
def test_every_filter_is_documented(name: str) -> None:
    assert f"\n## `{name}`\n" in (DOCS / "reference" / "filters.md").read_text("utf-8")


@pytest.mark.parametrize("name", sorted(REF_BACKENDS))
def test_every_secret_backend_is_documented(name: str) -> None:
    assert f"`?{{{name}:" in (DOCS / "how-to" / "secrets.md").read_text("utf-8")
