"""Who is affected by a change: everybody whose output changes, and few others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from commodore_py.config import WorkPaths
from commodore_py.errors import CommodoreError
from commodore_py.workflows import changed_files
from commodore_py.workflows.affected import affected
from tests.support.builders import git
from tests.support.fleet import configmap_component
from tests.support.scenarios.reruns import Reruns, make_reruns

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.sample(4)

READS_ANOTHER = configmap_component("db-one")["component/main.jsonnet"].replace(
    "data: data", "data: data, other: kap.inventory_global().web.parameters.web.data"
)
NAMES = (
    "local kap = import 'lib/kapitan.libjsonnet';"
    " { out: { names: std.objectFields(kap.inventory().parameters) } }"
)
TENANT = "inventory/classes/t-acme/common.yml"
WEB, DB = "dependencies/web/component", "dependencies/db-one/component"
OLD, NEW = "  web: {data: {of: you}}\n", "  web: {data: {of: me}}\n"
FOLLOWS = "  db_one: {data: '${web:data}'}\n"
AND_FOLLOWS = "  middle: {of: '${web:data}'}\n  db_one: {data: '${middle:of}'}\n"
SOMEHOW = "  named: web\n  db_one: {data: '${${named}:data}'}\n"


@pytest.fixture
def reruns(tmp_path: Path) -> Reruns:
    """Compiled without the network, with a result cache."""
    reruns = make_reruns(tmp_path / "fleet")
    reruns.settings = {"result_cache": tmp_path / "results"}
    reruns.run()
    reruns.settings |= {"local": True, "fetch_dependencies": False}
    return reruns


def compiled(reruns: Reruns) -> dict[str, bytes]:
    """What each instance compiled to."""
    ran = reruns.run()
    return {name: content for name, content in ran.state.items() if name.startswith("compiled/")}


def edited(reruns: Reruns, files: dict[str, str | None]) -> tuple[set[str], set[str]]:
    """The instances that are called affected by an edit, and those that compile otherwise."""
    before = compiled(reruns)
    for name, text in files.items():
        path = reruns.work / name
        if text is None:
            path.unlink()
        else:
            path.write_text(text)
    changes = [*changed_files.since(WorkPaths(reruns.work), "HEAD")]
    called = {one.instance for one in affected(WorkPaths(reruns.work), changes)}
    after = compiled(reruns)
    different = {
        name for name in before.keys() | after.keys() if before.get(name) != after.get(name)
    }
    return called, {name.split("/")[1] for name in different if name.count("/") > 1}


def common(text: str) -> dict[str, str | None]:
    return {TENANT: f"applications: [web, db-one]\nparameters:\n{text}"}


@pytest.mark.parametrize(
    ("first", "edit", "expected"),
    [
        ({}, {f"{WEB}/main.jsonnet": "{ out: { of: 'me' } }"}, {"web"}),
        ({}, {f"{WEB}/unused.libsonnet": "{}"}, set()),
        ({}, {f"{WEB}/names.json": "{ }"}, set()),
        (
            {f"{WEB}/main.jsonnet": "{ out: import 'names.json' }"},
            {f"{WEB}/names.json": '{"of": "me"}'},
            {"web"},
        ),
        ({}, common("  web: {data: {of: me}}\n"), {"web"}),
        (common("  nobody: {a: 1}\n"), common("  nobody: {data: {of: me}}\n"), set()),
        ({}, common("  nobody: {data: {of: me}}\n"), {"web", "db-one"}),
        (
            {f"{WEB}/main.jsonnet": NAMES, f"{DB}/main.jsonnet": "{ out: {} }"},
            common("  nobody: {data: {of: me}}\n"),
            {"web"},
        ),
        (
            {f"{WEB}/main.jsonnet": NAMES, **common("  nobody: {}\n")},
            common("  nothing: {}\n"),
            {"web", "db-one"},
        ),
        (common(OLD + FOLLOWS), common(NEW + FOLLOWS), {"web", "db-one"}),
        (common(OLD + AND_FOLLOWS), common(NEW + AND_FOLLOWS), {"web", "db-one"}),
        (common(OLD + SOMEHOW), common(NEW + SOMEHOW), {"web", "db-one"}),
        (
            {f"{DB}/main.jsonnet": READS_ANOTHER},
            common("  web: {data: {of: me}}\n"),
            {"web", "db-one"},
        ),
        ({}, common("  =web: {data: {of: me}}\n"), {"web"}),
        (
            {},
            {"dependencies/db-one/class/defaults.yml": "parameters: {db_one: {data: {of: me}}}"},
            {"db-one"},
        ),
    ],
)
def test_readers_of_a_value_are_affected(
    reruns: Reruns,
    first: dict[str, str | None],
    edit: dict[str, str | None],
    expected: set[str],
) -> None:
    for name, text in first.items():
        (reruns.work / name).write_text(text or "")
    reruns.run()
    for place in ("inventory/classes/t-acme", "dependencies/web", "dependencies/db-one"):
        who = ("-c", "user.name=Me", "-c", "user.email=me@example.com")
        git(reruns.work / place, *who, "commit", "--quiet", "--all", "--allow-empty", "-m", "first")

    called, different = edited(reruns, edit)

    assert called == expected
    assert different <= called


def test_a_file_of_which_anything_may_change(reruns: Reruns) -> None:
    reruns.run()
    paths = WorkPaths(reruns.work)

    named = [*changed_files.named([reruns.work / WEB / "main.jsonnet", reruns.work / TENANT])]
    found = affected(paths, named)

    assert [one.instance for one in found] == ["web"]
    assert [(reason.file, reason.why) for reason in found[0].reasons] == [
        ("dependencies/web/component/main.jsonnet", "it is read")
    ]


def test_a_class_that_is_included_reaches_all_who_include_it(reruns: Reruns) -> None:
    (reruns.work / TENANT).write_text("classes: [.other]\napplications: [web, db-one]\n")

    changes = changed_files.since(WorkPaths(reruns.work), "HEAD")
    found = affected(WorkPaths(reruns.work), changes)

    assert {reason.why for one in found for reason in one.reasons} == {
        "it decides about classes or applications"
    }
    assert {one.instance for one in found} == {"web", "db-one"}


COUNTS = (
    "local kap = import 'lib/kapitan.libjsonnet';"
    " { out: { count: std.length(kap.inventory().applications) } }"
)


@pytest.mark.parametrize(
    ("applications", "found"),
    [
        ("[web, db-one, new]", {"new": "new"}),
        ("[web, db-one, web as web-two]", {"web-two": "web"}),
        ("[web, db-one, db-one as two, new as other]", {"other": "new", "two": "db-one"}),
        ("[web]", {"db-one": "db-one"}),
        ("[web, db-one, ~web]", {"web": "web"}),
        ("[web, db-one, pkg.some]", {"db-one": "db-one", "web": "web"}),
        ("[web, db-one, '${a:b}']", {"db-one": "db-one", "web": "web"}),
        ("[db-one, web]", {}),
    ],
)
@pytest.mark.parametrize("reader", ["", "web"])
def test_an_application_reaches_its_own_instance(
    reruns: Reruns, applications: str, found: dict[str, str], reader: str
) -> None:
    if reader:
        (reruns.work / WEB / "main.jsonnet").write_text(COUNTS)
        reruns.run()
    (reruns.work / TENANT).write_text(f"applications: {applications}\n")

    changes = changed_files.since(WorkPaths(reruns.work), "HEAD")
    of_tenant = [one for one in changes if one.path.name == "common.yml"]
    called = {one.instance: one.component for one in affected(WorkPaths(reruns.work), of_tenant)}

    others = {"web": "web"} if reader and found else {}
    assert called == {**found, **others}


def test_where_a_component_comes_from_reaches_its_instances(reruns: Reruns) -> None:
    reruns.run()
    text = (reruns.work / "inventory/classes/global/commodore.yml").read_text()
    changed = text.replace(
        "component-web.git\n      version: master", "component-web.git\n      version: v2"
    )
    assert changed != text
    (reruns.work / "inventory/classes/global/commodore.yml").write_text(changed)

    changes = changed_files.since(WorkPaths(reruns.work), "HEAD")
    found = affected(WorkPaths(reruns.work), changes)

    assert [one.instance for one in found] == ["web"]
    assert found[0].reasons[0].why == "it sets the source of component web"


def test_only_the_checkout_around_the_current_folder_counts(
    reruns: Reruns, monkeypatch: pytest.MonkeyPatch
) -> None:
    (reruns.work / WEB / "main.jsonnet").write_text("{ out: { of: 'me' } }")
    (reruns.work / DB / "main.jsonnet").write_text("{ out: { of: 'me' } }")
    monkeypatch.chdir(reruns.work / DB)

    changes = [*changed_files.since(WorkPaths(reruns.work), "HEAD")]

    assert [one.path.name for one in changes] == ["main.jsonnet"]
    assert [one.instance for one in affected(WorkPaths(reruns.work), changes)] == ["db-one"]


def test_an_unknown_revision_is_an_error(reruns: Reruns) -> None:
    with pytest.raises(CommodoreError, match="no checkout has a revision nowhere"):
        [*changed_files.since(WorkPaths(reruns.work), "nowhere")]


@pytest.mark.parametrize(
    "settings",
    [
        {"verify_cache": True},
        {"explain_cache": True},
        {"local": False, "fetch_dependencies": True, "force": True},
        {"output_dir": True},
    ],
    ids=lambda settings: next(reversed(settings)),
)
def test_runs_that_do_all_the_work_are_noted_too(
    reruns: Reruns, tmp_path: Path, settings: dict[str, Any]
) -> None:
    note = reruns.work / ".commodore/looked.json"
    known = note.read_bytes()
    note.unlink()
    if "output_dir" in settings:
        settings = {"output_dir": tmp_path / "out"}

    reruns.run(**settings)

    assert note.read_bytes() == known


def test_a_run_that_nobody_watches_makes_what_is_known_older(
    reruns: Reruns, caplog: pytest.LogCaptureFixture
) -> None:
    change = [*changed_files.named([reruns.work / WEB / "main.jsonnet"])]

    def is_noted() -> bool:
        caplog.clear()
        assert [one.instance for one in affected(WorkPaths(reruns.work), change)] == ["web"]
        return "this is based on an older compile" in caplog.text

    assert not is_noted()
    for unwatched in ({"recompile": True, "result_cache": None}, {"engine": "reference"}):
        reruns.run(**unwatched)
        assert is_noted()
        reruns.run(verify_cache=True)
        assert not is_noted()


def test_what_was_known_holds_where_nothing_changed_since(reruns: Reruns) -> None:
    reruns.settle()
    older = reruns.work / ".commodore/looked.json.older"
    older.touch()

    assert reruns.run().rested

    assert not older.exists()


def test_without_a_cache_it_is_not_known_what_programs_and_code_read(tmp_path: Path) -> None:
    reruns = make_reruns(tmp_path)
    reruns.run()
    reruns.run(recompile=True)

    with pytest.raises(CommodoreError, match="not known what the instances read"):
        affected(WorkPaths(reruns.work), ())
