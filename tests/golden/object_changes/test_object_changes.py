"""Objects before and after, what became of them, and which `rules` of the hierarchy hide."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from commodore_py.manifests.diff import object_changes
from commodore_py.manifests.ignore_rules import rules_from, without_ignored
from commodore_py.manifests.objects import KubeObject, identify
from commodore_py.manifests.paths import written
from commodore_py.manifests.secrets import hidden
from tests.support.golden import golden_cases

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.golden import Golden, GoldenCase

CASES = golden_cases(Path(__file__).parent)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_changes_match_case(case: GoldenCase, golden: Golden) -> None:
    found = {
        name: "".join(f"{line}\n" for line in _lines(**content))
        for name, content in case.content["cases"].items()
    }

    golden.check(case, expected=found)


def _lines(
    old: list[dict[str, Any]] | None = None,
    new: list[dict[str, Any]] | None = None,
    rules: Any = None,  # noqa: ANN401 - as people write them
) -> Iterator[str]:
    ignored, problems = rules_from(rules)
    assert problems == ()
    changes = object_changes(_objects(old or []), _objects(new or []))
    shown, counts = without_ignored(changes, ignored)
    for change in shown:
        reason = f" ({change.reason})" if change.reason else ""
        yield f"{change.what} {change.id}: {change.grade}{reason}"
        for field in change.fields:
            yield f"  {field.happened} {written(field.path)}: {field.old!r} -> {field.new!r}"
    for count in counts:
        yield f"{count.rule} hides {count.changes} in {count.objects}, up to {count.worst}"


def _objects(contents: list[dict[str, Any]]) -> list[KubeObject]:
    found = []
    for content in contents:
        id_ = identify(content)
        assert id_ is not None
        (masked,) = hidden([content], b"Secret")
        assert isinstance(masked, dict)
        found.append(KubeObject(id_, masked, "manifests/a.yaml"))
    return found
