"""Compiles with a lock: what moves is not followed, what is new is locked, or refused."""

from __future__ import annotations

import json
import re
import shutil

import pytest
import yaml

from commodore_py.config import WorkPaths
from commodore_py.errors import CommodoreError
from commodore_py.workflows.lock import resolve
from tests.support.builders import commit_in, commit_to, git, make_repository
from tests.support.fleet import CLUSTER, component_entries
from tests.support.scenarios.locked import LockedCluster, replace_history, tag

pytestmark = pytest.mark.sample(5)


@pytest.fixture
def cluster(compiled: LockedCluster) -> LockedCluster:
    """The cluster after its first compile."""
    return compiled


MOVING = ("library", "repository", "file", "chart", "component", "tenant")


@pytest.mark.long
def test_compile_locks_all_inputs_of_catalog(new_cluster: LockedCluster) -> None:
    new_cluster.compile()

    kinds = {path[0] for path in new_cluster.lock.blocks}
    assert kinds == {
        *("cluster", "facts", "config", "component", "library", "chart", "file", "repository"),
        "tool",
    }
    assert all(
        re.fullmatch("[0-9a-f]{40}", block.text(key))
        for block in new_cluster.lock.of_kind("component").values()
        for key in ("commit", "tree")
    )


@pytest.mark.parametrize("frozen", [False, True])
@pytest.mark.parametrize("what", MOVING)
@pytest.mark.long
def test_locked_input_that_moves_is_not_followed(
    cluster: LockedCluster, what: str, *, frozen: bool
) -> None:
    first = cluster.made()
    written = cluster.file.read_text()

    cluster.move(what, "2")

    # An archive is not kept by its server: the cache has it.
    assert cluster.compile(frozen=frozen) == first
    assert cluster.file.read_text() == written


@pytest.mark.parametrize("what", ["library", "repository", "component", "tenant"])
@pytest.mark.long
def test_lock_gives_same_catalog_in_empty_working_directory(
    cluster: LockedCluster, what: str
) -> None:
    first = cluster.made()
    cluster.move(what, "2")
    cluster.forget()

    assert cluster.compile(frozen=True) == first


@pytest.mark.long
def test_moved_inputs_are_followed_without_lock(cluster: LockedCluster) -> None:
    first = cluster.made()
    for what in MOVING:
        cluster.move(what, "2")

    assert cluster.compile(lock_file=None) != first


@pytest.mark.parametrize("what", ["file", "chart"])
@pytest.mark.long
def test_changed_download_is_refused_with_both_digests(cluster: LockedCluster, what: str) -> None:
    cluster.forget()
    if what == "file":
        cluster.put_file("2")
    else:
        cluster.put_chart("1.0.0", "2")

    (error,) = cluster.refused()

    assert len(set(re.findall("[0-9a-f]{64}", str(error)))) == 2
    assert "commodore lock update" in error.hint
    assert "class/app.yml" in error.where


@pytest.mark.long
def test_locked_tag_that_moves_is_not_followed(cluster: LockedCluster) -> None:
    repository = cluster.fleet.repository("component-web")
    tag(repository, "v1", "HEAD")
    _request_web(cluster, "v1")
    first = cluster.compile()
    cluster.move("component", "2")
    tag(repository, "v1", "HEAD")

    assert cluster.compile(frozen=True) == first
    cluster.forget()
    assert cluster.compile(frozen=True) == first


def test_locked_commit_missing_on_remote_is_used_from_clone(cluster: LockedCluster) -> None:
    first = cluster.made()
    _lose_commits(cluster, "component-web")

    assert cluster.compile(frozen=True) == first


@pytest.mark.parametrize("name", ["component-web", "tenant"])
def test_locked_commit_missing_everywhere_is_an_error(cluster: LockedCluster, name: str) -> None:
    _lose_commits(cluster, name)
    git(cluster.fleet.repository(name), "reflog", "expire", "--expire=now", "--all")
    git(cluster.fleet.repository(name), "gc", "--quiet", "--prune=now")
    cluster.forget()

    (error,) = cluster.refused()

    assert "lock update" in error.hint
    assert cluster.lock.blocks["component", "web"].text("commit")


@pytest.mark.parametrize("name", ["component-web", "tenant"])
def test_locked_commit_without_branch_is_fetched_by_id(cluster: LockedCluster, name: str) -> None:
    first = cluster.made()
    _lose_commits(cluster, name)
    _answer_by_id(cluster, name)
    cluster.forget()

    assert cluster.compile(frozen=True) == first
    (notice,) = [one for one in cluster.run(frozen=True).notices if "no branch or tag" in str(one)]
    assert name in notice.where
    assert notice.strict


@pytest.mark.long
def test_changed_version_is_resolved_and_locked(cluster: LockedCluster) -> None:
    first = cluster.made()
    repository = cluster.fleet.repository("component-web")
    git(repository, "branch", "next")
    cluster.move("component", "2")
    commit_to(repository, {"more": "x"}, branch="next")

    _request_web(cluster, "next")

    assert cluster.lock.blocks["component", "web"].text("requested") == "master"
    # The tenant is locked as well, so its new request is not seen yet.
    assert cluster.compile() == first
    _update(cluster, "config", "tenant")
    cluster.compile()
    block = cluster.lock.blocks["component", "web"]
    assert (block.text("requested"), block.text("version")) == ("next", "next")
    assert block.text("commit") == git(repository, "rev-parse", "next")


def test_frozen_run_refuses_changed_request(cluster: LockedCluster) -> None:
    cluster.unpin_tenant()
    written = cluster.file.read_text()
    _request_web(cluster, "next")

    (error,) = cluster.refused(frozen=True)

    assert str(error) == (
        "component web: next is requested, master is locked, and --frozen changes nothing"
    )
    assert re.search(r"classes/t-acme/common\.yml:\d+", error.where)
    assert error.hint == f"compile once with --lock {cluster.file} and without --frozen"
    assert error.exit_code == 6
    assert cluster.file.read_text() == written


def test_removed_component_leaves_lock_unless_frozen(cluster: LockedCluster) -> None:
    cluster.unpin_tenant()
    cluster.configure("web")

    frozen = cluster.run(frozen=True)

    assert "component/app is locked, and nothing requests it" in _notices(frozen)
    assert cluster.lock.of_kind("component").keys() == {"app", "web"}
    cluster.run()
    assert cluster.lock.of_kind("component").keys() == {"web"}
    assert not cluster.lock.of_kind("library")


@pytest.mark.long
def test_added_component_is_locked_unless_frozen(new_cluster: LockedCluster) -> None:
    new_cluster.configure("web")
    new_cluster.compile()
    new_cluster.unpin_tenant()
    new_cluster.configure("app", "web")

    (error,) = new_cluster.refused(frozen=True)
    new_cluster.compile()

    assert "component app: master is requested, and it is not locked" in str(error)
    assert new_cluster.lock.of_kind("component").keys() == {"app", "web"}
    assert new_cluster.compile(frozen=True)


def test_frozen_compile_lists_all_unlocked_requests(cluster: LockedCluster) -> None:
    cluster.unpin_tenant()
    cluster.configure(parameters={"components": {n: {"version": "next"} for n in ("app", "web")}})

    errors = cluster.refused(frozen=True)

    assert [str(one).partition(":")[0] for one in errors] == ["component app", "component web"]
    assert _raised(cluster).exit_code == 6


@pytest.mark.parametrize(
    ("path", "key", "value"),
    [
        (("component", "web"), "tree", "0" * 40),
        (("component", "web"), "tree", ""),
        (("config", "global"), "tree", "0" * 40),
        (("library", "git.example.com/me/library"), "tree", "0" * 40),
        (("chart", "own"), "sum", "1.0.1 sha256:" + "0" * 64),
    ],
)
@pytest.mark.long
def test_incomplete_pin_is_completed_unless_frozen(
    cluster: LockedCluster, path: tuple[str, str], key: str, value: str
) -> None:
    first, before = cluster.made(), cluster.file.read_text()
    place = next(one for one in cluster.lock.blocks if one[0] == path[0] and path[1] in one[1])
    old = cluster.lock.blocks[place].text(key)
    cluster.file.write_text(before.replace(f'{key} = "{old}"', f'{key} = "{value}"'))

    (error,) = cluster.refused(frozen=True)

    assert error.exit_code == 6
    assert cluster.compile() == first
    assert cluster.file.read_text() == before


def test_locked_commit_of_other_branch_is_refused(cluster: LockedCluster) -> None:
    repository = cluster.fleet.repository("component-web")
    git(repository, "branch", "foreign")
    commit = commit_to(repository, {"evil": "x"}, branch="foreign")
    old = cluster.lock.blocks["component", "web"].text("commit")
    cluster.file.write_text(cluster.file.read_text().replace(old, commit))

    (error,) = cluster.refused()

    assert f"commit {commit[:12]} is not part of master" in str(error)


@pytest.mark.long
def test_commit_edited_in_lock_is_completed(cluster: LockedCluster) -> None:
    cluster.move("component", "2")
    commit = git(cluster.fleet.repository("component-web"), "rev-parse", "HEAD")
    old = cluster.lock.blocks["component", "web"]
    cluster.file.write_text(cluster.file.read_text().replace(old.text("commit"), commit))

    assert "'2'" in cluster.compile()["web/web/out.yaml"]

    block = cluster.lock.blocks["component", "web"]
    assert block.text("tree") == git(
        cluster.fleet.repository("component-web"), "rev-parse", "HEAD^{tree}"
    )
    assert cluster.compile(frozen=True)


def test_equal_requests_with_different_pins_are_refused(cluster: LockedCluster) -> None:
    entries = component_entries(cluster.fleet, ["web"])
    cluster.configure("web", "web2", parameters={"components": {"web2": entries["web"]}})
    text = (
        '[component."{}"]\nurl = "https://a.b/c"\nrequested = "m"\nversion = "m"\ncommit = "{}"\n'
    )
    cluster.file.write_text(
        'schema = "lock/v1"\n' + text.format("a", "1" * 40) + text.format("b", "2" * 40)
    )

    (error,) = cluster.refused()

    assert "different commits" in str(error)
    assert f"{cluster.file}:2" in error.where
    assert f"{cluster.file}:7" in error.where


@pytest.mark.long
def test_equivalent_url_is_same_request(cluster: LockedCluster) -> None:
    cluster.unpin_tenant()
    entry = component_entries(cluster.fleet, ["web"])["web"]
    plain = entry["url"].removeprefix("file://")
    cluster.compile()
    written = cluster.file.read_text()

    cluster.configure(parameters={"components": {"web": {"url": plain, "version": "master"}}})
    cluster.compile(frozen=True)
    cluster.compile()

    assert cluster.file.read_text() == written


def test_locked_facts_are_used_with_notice_of_change(cluster: LockedCluster) -> None:
    first = cluster.made()
    facts = cluster.fleet.root / "facts/clusters" / f"{CLUSTER}.yaml"
    content = yaml.safe_load(facts.read_text())
    content["facts"]["cloud"] = "cloud-z"
    facts.write_text(yaml.safe_dump(content))

    published = cluster.run(frozen=True)

    assert cluster.compile() == first
    assert "facts of cluster c-one differ from what is locked, which is used: cloud" in _notices(
        published
    )


@pytest.mark.long
def test_locked_facts_keep_their_types(new_cluster: LockedCluster) -> None:
    facts = new_cluster.fleet.root / "facts/clusters" / f"{CLUSTER}.yaml"
    content = yaml.safe_load(facts.read_text())
    content["facts"] |= {"none": None, "f": 1.5, "n": {"b": [1, "it's"]}, "a.b": "x\ny", "o": "é"}
    facts.write_text(yaml.safe_dump(content))
    new_cluster.configure("web", parameters={"web": {"data": {"all": "${facts}"}}})
    unlocked = new_cluster.compile(lock_file=None)

    assert new_cluster.compile() == unlocked
    assert new_cluster.compile(frozen=True) == unlocked


def test_offline_compile_uses_locked_inputs_without_requests(cluster: LockedCluster) -> None:
    first = cluster.made()
    cluster.web.answers()
    for name in ("repos", "remotes", "facts", "git.example.com"):
        (cluster.fleet.root / name).rename(cluster.fleet.root / f"{name}-away")

    assert cluster.compile(offline=True) == first
    assert cluster.web.answers() == []
    cluster.forget("cache")
    errors = cluster.refused(offline=True)
    assert len(errors) == 3
    assert {one.exit_code for one in errors} == {1}
    cluster.forget("work")
    errors = cluster.refused(offline=True)
    assert ["global" in str(one) or "tenant" in str(one) for one in errors] == [True, True]


@pytest.mark.long
def test_locked_second_run_requests_no_remote(cluster: LockedCluster) -> None:
    cluster.web.answers()
    for name in ("component-app", "component-web", "global", "tenant"):
        place = cluster.fleet.repository(name)
        place.rename(place.with_suffix(".away"))
    for name in ("remotes", "git.example.com"):
        (cluster.fleet.root / name).rename(cluster.fleet.root / f"{name}-away")

    assert cluster.compile(frozen=True)
    assert cluster.web.answers() == []


def test_lock_of_another_cluster_is_refused(cluster: LockedCluster) -> None:
    cluster.file.write_text(cluster.file.read_text().replace('id = "c-one"', 'id = "c-two"'))

    (error,) = cluster.refused()

    assert error.exit_code == 2
    assert "c-one" in str(error)
    assert "c-two" in str(error)
    assert "{cluster}" in error.hint


@pytest.mark.parametrize("place", ["no/such/it.lock", "work/inventory/classes/t-acme/it.lock"])
def test_unwritable_lock_file_is_refused_at_start(cluster: LockedCluster, place: str) -> None:
    file = cluster.fleet.root / place

    (error,) = cluster.refused(lock_file=file)
    if file.parent.is_dir():
        file.write_text(cluster.file.read_text())

    assert error.exit_code == 2
    (error,) = cluster.refused(lock_file=file, frozen=True)
    assert "no lock file" in str(error) or "local" in str(error)


@pytest.mark.parametrize("how", ["fails", "dry_run", "local"])
def test_run_without_publishing_keeps_lock_file(cluster: LockedCluster, how: str) -> None:
    cluster.unpin_tenant()
    written = cluster.file.read_text()
    if how == "fails":
        cluster.configure("web", parameters={"web": {"data": "${no:such}"}})
        assert cluster.refused()
    else:
        cluster.configure("web")
        cluster.run(**{how: True})

    assert cluster.file.read_text() == written


def test_local_mode_compares_without_writing_lock(cluster: LockedCluster) -> None:
    place = cluster.fleet.work / "dependencies/web"
    (place / "class/defaults.yml").write_text("parameters: {web: {data: {of: local}}}\n")
    git(place, "commit", "--quiet", "--all", "--message=mine")

    published = cluster.run(local=True)
    (error,) = cluster.refused(local=True, frozen=True)

    assert "component web" in _notices(published)
    assert error.exit_code == 6
    assert "is locked" in str(error)


def test_lock_in_tenant_repository_does_not_pin_tenant(cluster: LockedCluster) -> None:
    own = cluster.fleet.root / "mine"
    git(cluster.fleet.root, "clone", "--quiet", str(cluster.fleet.repository("tenant")), "mine")
    file = own / "locks/it.lock"
    file.parent.mkdir()
    cluster.compile(lock_file=file)
    git(own, "add", ".")
    git(own, "commit", "--quiet", "--message=lock")
    git(own, "push", "--quiet")

    cluster.run(lock_file=file, frozen=True)

    assert "pinned = false" in file.read_text()
    assert git(own, "status", "--porcelain") == ""


def test_old_catalog_is_repeated_with_tenant_revision(cluster: LockedCluster) -> None:
    cluster.unpin_tenant()
    first = cluster.compile()
    commit = git(cluster.fleet.repository("tenant"), "rev-parse", "HEAD")
    cluster.move("tenant", "2")
    assert cluster.compile() != first

    assert cluster.compile(frozen=True, tenant_revision=commit) == first
    replace_history(cluster.fleet.repository("tenant"))
    _answer_by_id(cluster, "tenant")
    cluster.forget("work")
    assert cluster.compile(frozen=True, tenant_revision=commit) == first
    cluster.compile()
    assert cluster.compile(offline=True, tenant_revision=commit) == first
    (error,) = cluster.refused(offline=True, tenant_revision="1" * 40)
    assert "not available offline" in str(error)


def test_branch_replaced_after_locking_is_no_local_work(
    cluster: LockedCluster,
) -> None:
    elsewhere = WorkPaths(cluster.fleet.root / "elsewhere")
    for _ in range(2):
        assert cluster.compile(frozen=True, paths=elsewhere)
        replace_history(cluster.fleet.repository("global"))
        config = cluster.fleet.config(download_cache=cluster.fleet.root / "cache")
        resolve.update(config, cluster.file, ("global",), to="", dry_run=False, compare=False)

        first = cluster.compile(frozen=True)

        cluster.file.rename(cluster.fleet.root / "away.lock")
        assert cluster.compile() == first
        work = cluster.fleet.work / "inventory/classes/global"
        commit_in(work, {"mine.yml": ""})
        assert "local work" in str(cluster.refused(frozen=True)[0])
        git(work, "reset", "--quiet", "--hard", "HEAD~1")


@pytest.mark.long
def test_short_commit_is_locked_in_full(cluster: LockedCluster) -> None:
    commit = git(cluster.fleet.repository("component-web"), "rev-parse", "HEAD")
    _request_web(cluster, commit[:10])
    first = cluster.compile()
    cluster.move("component", "2")
    cluster.forget()

    assert cluster.lock.blocks["component", "web"].text("commit") == commit
    assert cluster.compile(frozen=True) == first


@pytest.mark.long
def test_renamed_default_branch_keeps_locked_commit(cluster: LockedCluster) -> None:
    first = cluster.made()
    for name in ("global", "tenant"):
        git(cluster.fleet.repository(name), "branch", "-m", "master", "main")

    assert cluster.compile(frozen=True) == first
    cluster.forget()
    assert cluster.compile(frozen=True) == first


def test_missing_library_stays_locked_as_missing(
    new_cluster: LockedCluster, caplog: pytest.LogCaptureFixture
) -> None:
    place = new_cluster.fleet.root / "git.example.com/me/other.git"
    source = {"git": {"remote": "https://git.example.com/me/other.git", "subdir": ""}}
    library = {"dependencies": [{"source": source, "version": "v1"}]}
    content = {"jsonnetfile.json": json.dumps(library)}
    commit_to(new_cluster.fleet.root / "git.example.com/me/library.git", content)
    first = new_cluster.compile()
    assert new_cluster.lock.of_kind("library")["git.example.com/me/other"].values["missing"] is True
    make_repository(place, {"x.libsonnet": "{}"})
    tag(place, "v1", "master")
    caplog.clear()

    assert new_cluster.compile(frozen=True) == first
    assert "it was missing when it was locked" in caplog.text

    new_cluster.compile()
    assert "missing" not in new_cluster.lock.of_kind("library")["git.example.com/me/other"].values
    caplog.clear()
    assert new_cluster.compile(frozen=True)
    assert "is missing:" not in caplog.text


@pytest.mark.long
def test_changed_library_version_is_locked_or_refused(cluster: LockedCluster) -> None:
    repository = cluster.fleet.root / "git.example.com/me/library.git"
    git(repository, "branch", "next")
    text = git(cluster.fleet.repository("component-app"), "show", "HEAD:jsonnetfile.json")
    commit_to(
        cluster.fleet.repository("component-app"),
        {"jsonnetfile.json": text.replace('"master"', '"next"')},
    )
    _update(cluster, "component", "app")
    frozen_text = cluster.file.read_text()

    cluster.compile()

    assert frozen_text != cluster.file.read_text()
    assert cluster.lock.of_kind("library")["git.example.com/me/library"].text("requested") == "next"


def test_lock_that_pins_its_own_repository_gives_notice(cluster: LockedCluster) -> None:
    git(cluster.fleet.root, "clone", "--quiet", str(cluster.fleet.repository("tenant")), "mine")
    moved = cluster.file.rename(cluster.fleet.root / "mine" / "it.lock")
    cluster.move("component", "2")
    text = moved.read_text()
    moved.write_text(re.sub(r'\[component\."web"\]\n(?:.+\n)+\n', "", text))

    notices = cluster.run(lock_file=moved).notices

    assert any("always a commit behind" in one.message for one in notices)


@pytest.mark.parametrize("frozen", [False, True])
def test_changed_tool_version_is_warning(cluster: LockedCluster, *, frozen: bool) -> None:
    text = cluster.file.read_text()
    recorded = cluster.lock.blocks["tool", "jsonnet"].text("version")
    other = text.replace(f'version = "{recorded}"', 'version = "0.0.1"')
    cluster.file.write_text(other)

    notices = cluster.run(frozen=frozen).notices

    assert any("what was locked with 0.0.1" in one.message for one in notices)
    assert cluster.file.read_text() == other


def test_cached_commits_compile_in_new_working_directory(new_cluster: LockedCluster) -> None:
    settings = {"git_cache": new_cluster.fleet.root / "git-cache"}
    first = new_cluster.compile(**settings)
    for name in ("remotes", "git.example.com"):
        shutil.move(new_cluster.fleet.root / name, new_cluster.fleet.root / f"{name}-away")
    for name in ("component-app", "component-web"):
        shutil.move(new_cluster.fleet.repository(name), new_cluster.fleet.root / name)
    shutil.rmtree(new_cluster.fleet.work / "dependencies")
    shutil.rmtree(new_cluster.fleet.work / "vendor")

    assert new_cluster.compile(frozen=True, **settings) == first
    shutil.rmtree(new_cluster.fleet.work / "dependencies")
    assert new_cluster.compile(offline=True, **settings) == first


def _request_web(cluster: LockedCluster, version: str) -> None:
    cluster.configure(parameters={"components": {"web": {"version": version}}})


def _update(cluster: LockedCluster, kind: str, name: str) -> None:
    """Let go of a pin, as `lock update` does."""
    text = cluster.file.read_text()
    part = re.compile(rf'\[{kind}\."{name}"\]\n(?:.+\n)+\n')
    assert part.search(text)
    cluster.file.write_text(part.sub("", text))


def _lose_commits(cluster: LockedCluster, name: str) -> None:
    """Force-push: the branch has another beginning."""
    repository = cluster.fleet.repository(name)
    tree = git(repository, "rev-parse", "HEAD^{tree}")
    commit = git(repository, "commit-tree", tree, "-m", "another history")
    git(repository, "update-ref", "refs/heads/master", commit)


def _notices(published: object) -> str:
    return "\n".join(one.message for one in getattr(published, "notices", ()))


def _raised(cluster: LockedCluster) -> CommodoreError:
    with pytest.raises(CommodoreError) as caught:
        cluster.run(frozen=True)
    return caught.value


def _answer_by_id(cluster: LockedCluster, name: str) -> None:
    """Let a repository send commits that no branch has."""
    git(cluster.fleet.repository(name), "config", "uploadpack.allowAnySHA1InWant", "true")
