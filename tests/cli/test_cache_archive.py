"""`commodore cache export` and `import`: what one job has cached, another one uses."""

from __future__ import annotations

import os
import random
import shutil
from typing import TYPE_CHECKING

import pytest

from commodore_py.cache.archive import Source, write
from tests.support.builders import git
from tests.support.fleet import CLUSTER, Fleet, make_fleet

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from tests.support.command_line import CommandLine, Ran

pytestmark = pytest.mark.sample(3)

KEY = {"COMMODORE_CACHE_KEY": "0123456789abcdef0123456789abcdef"}
OTHER = {"COMMODORE_CACHE_KEY": "another-key-another-key"}


class Jobs:
    """Jobs of one fleet, each with an empty working directory and caches of its own."""

    def __init__(self, fleet: Fleet, commodore: CommandLine) -> None:
        self.fleet, self.commodore = fleet, commodore
        self.archive = fleet.root / "caches"

    def cache(self, job: str) -> Path:
        return self.fleet.root / "caches-of" / job / "commodore"

    def run(self, job: str, *words: str, **variables: str) -> Ran:
        variables = {"XDG_CACHE_HOME": str(self.cache(job).parent), **variables}
        return self.commodore("-d", str(self.fleet.root / job), *words, **variables)

    def compile(self, job: str, *options: str) -> Ran:
        facts = str(self.fleet.root / "facts")
        ran = self.run(job, "catalog", "compile", CLUSTER, "--api-url", facts, *options)
        assert ran.code == 0, ran.err
        return ran

    def export(self, job: str, *options: str, **variables: str) -> Ran:
        ran = self.run(job, "cache", "export", str(self.archive), *options, **variables)
        assert ran.code == 0, ran.err
        return ran

    def import_(self, job: str, **variables: str) -> Ran:
        return self.run(job, "cache", "import", str(self.archive), **variables)

    def output(self, job: str) -> dict[str, bytes]:
        work = self.fleet.root / job
        return {
            str(file.relative_to(work)): file.read_bytes()
            for folder in ("compiled", "catalog/manifests")
            for file in (work / folder).rglob("*")
            if file.is_file()
        }


@pytest.fixture
def jobs(tmp_path: Path, commodore: CommandLine) -> Jobs:
    fleet = make_fleet(tmp_path / "fleet", web={}, two={})
    return Jobs(fleet, commodore)


def files_of(folder: Path) -> set[str]:
    return {str(one.relative_to(folder)) for one in folder.rglob("*") if one.is_file()}


def test_a_job_uses_what_another_one_has_exported(jobs: Jobs) -> None:
    jobs.compile("first")
    exported = jobs.export("first", **KEY)

    imported = jobs.import_("second", **KEY)
    second = jobs.compile("second", "--explain-cache")

    assert imported.code == 0
    assert imported.out.replace("imported", "exported") == exported.out
    assert second.err.count(": taken from the cache") == 2
    jobs.compile("plain", "--no-cache", "--no-git-cache")
    assert jobs.output("second") == jobs.output("plain") != {}


def test_without_a_key_there_are_git_objects_only(jobs: Jobs) -> None:
    jobs.compile("first")

    exported = jobs.export("first")
    imported = jobs.import_("second")

    assert "result" not in exported.out
    assert imported.code == 0
    assert not (jobs.cache("second") / "results").exists()
    assert (jobs.cache("second") / "git").is_dir()


@pytest.mark.parametrize("variables", [{}, OTHER])
def test_of_an_archive_by_another_key_only_git_objects_are_used(
    jobs: Jobs, variables: dict[str, str]
) -> None:
    jobs.compile("first")
    jobs.export("first", **KEY)

    imported = jobs.import_("second", **variables)

    assert imported.code == 0
    assert "only Git objects are imported" in imported.err
    assert not (jobs.cache("second") / "results").exists()
    assert "git" in {one.name for one in jobs.cache("second").iterdir()}


def test_imported_objects_are_verified_by_git_without_a_key(jobs: Jobs) -> None:
    jobs.compile("first")
    jobs.export("first")
    jobs.import_("second")

    for pack in (jobs.cache("second") / "git").rglob("*.pack"):
        git(pack.parent, "verify-pack", str(pack))
    jobs.compile("second")
    jobs.compile("plain", "--no-cache", "--no-git-cache")
    assert jobs.output("second") == jobs.output("plain")


def test_caches_of_several_jobs_merge(jobs: Jobs) -> None:
    jobs.compile("first")
    jobs.export("first", **KEY)
    jobs.import_("all", **KEY)
    jobs.fleet.change_data()
    jobs.compile("second")
    jobs.export("second", **KEY)

    jobs.import_("all", **KEY)

    results = {job: files_of(jobs.cache(job) / "results/v1/blobs") for job in ("first", "second")}
    assert files_of(jobs.cache("all") / "results/v1/blobs") == results["first"] | results["second"]
    assert "compiled again" not in jobs.compile("all", "--explain-cache").err


def test_the_least_recently_used_is_left_out(jobs: Jobs) -> None:
    jobs.compile("first")
    folder = jobs.cache("first") / "results/v1"
    results = sorted(one for one in folder.rglob("*") if one.is_file())
    for number, file in enumerate(results):
        os.utime(file, (1e9 + number, 1e9 + number))

    exported = jobs.export("first", "--max-size", "16K", **KEY)

    assert jobs.archive.stat().st_size <= 16 * 1024
    assert "left out" in exported.out
    assert jobs.import_("second", **KEY).code == 0
    there = files_of(jobs.cache("second") / "results/v1")
    names = [str(one.relative_to(jobs.cache("first") / "results/v1")) for one in results]
    assert names[-1] in there
    assert names[0] not in there
    jobs.compile("second")


def test_a_key_must_not_be_short(jobs: Jobs) -> None:
    ran = jobs.run("first", "cache", "export", str(jobs.archive), COMMODORE_CACHE_KEY="short")

    assert ran.code == 2
    assert "less than 16 bytes" in ran.err


def test_the_key_may_be_in_a_file(jobs: Jobs) -> None:
    file = jobs.fleet.root / "key"
    file.write_text(f"{KEY['COMMODORE_CACHE_KEY']}\n")
    jobs.compile("first")
    jobs.export("first", "--key-file", str(file))

    assert "result" in jobs.import_("second", **KEY).out


def test_what_others_may_have_written_is_refused(jobs: Jobs) -> None:
    jobs.compile("first")
    jobs.export("first", **KEY)
    jobs.archive.chmod(0o666)

    ran = jobs.import_("second", **KEY)

    assert ran.code == 1
    assert "only this user" in ran.err
    assert not jobs.cache("second").exists()


def test_a_pipe_is_refused(jobs: Jobs) -> None:
    os.mkfifo(jobs.archive)

    assert jobs.import_("second", **KEY).code == 1


def test_a_cache_of_others_is_not_written_to(jobs: Jobs) -> None:
    jobs.compile("first")
    jobs.export("first", **KEY)
    (jobs.cache("second") / "results").mkdir(parents=True)
    (jobs.cache("second") / "results").chmod(0o777)

    ran = jobs.import_("second", **KEY)

    assert ran.code == 1
    assert "other users may write" in ran.err


@pytest.mark.parametrize("variables", [KEY, {}])
def test_damage_is_found(jobs: Jobs, variables: dict[str, str]) -> None:
    jobs.compile("first")
    jobs.export("first", **variables)
    whole = jobs.archive.read_bytes()
    jobs.compile("plain", "--no-cache", "--no-git-cache")
    chance = random.Random(1)  # noqa: S311 - not a secret

    for _ in range(12):
        content = bytearray(whole)
        content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
        jobs.archive.write_bytes(
            content[: chance.choice([None, None, chance.randrange(len(whole))])]
        )
        ran = jobs.import_("second", **variables)
        assert ran.code in (0, 1), ran.err
        assert "Traceback" not in ran.err

    jobs.compile("second")
    assert jobs.output("second") == jobs.output("plain")


HOSTILE_NAMES = [
    "../../escaped",
    "/tmp/escaped",  # noqa: S108 - nothing is written there
    "a/../../escaped",
    "",
    ".",
    ".new/x",
    "host/x.git/objects/pack",
    "a\0b",
    "x" * 5000,
]


def forged(name: str) -> Iterable[Source]:
    refs = b'{"refs/heads/../../escaped": ["%s", ""], "refs/tags/x": [1, 2]}' % (b"1" * 40)
    yield Source("git-refs", name, 0, refs)
    yield Source("git-refs", f"ok/{len(name)}.git", 0, b'{"refs/tags/x": ["%s", ""]}' % (b"1" * 40))
    yield Source("git-pack", f"{name}/pack-{'1' * 40}.pack", 0, b"PACK")
    yield Source("git-pack", f"ok/{len(name)}.git/../../../escaped.pack", 0, b"PACK")
    yield Source("blob", name, 0, b"x")
    yield Source("blob", "0" * 64, 0, b"x")
    yield Source("note", name, 0, b"x")
    yield Source("download", name, 0, b"{}")
    yield Source("download", f"chart-{'0' * 32}.json", 0, b'{"sha256": "../../../escaped"}')
    yield Source("content", name, 0, b"x")
    yield Source("what", name, 0, b"x")


@pytest.mark.parametrize("variables", [KEY, {}])
@pytest.mark.parametrize("name", HOSTILE_NAMES)
def test_no_name_leads_out_of_the_caches(jobs: Jobs, name: str, variables: dict[str, str]) -> None:
    write(jobs.archive, forged(name), next(iter(variables.values()), "").encode())

    ran = jobs.import_("second", **variables)

    assert ran.code in (0, 1)
    assert "Traceback" not in ran.err
    assert not list(jobs.fleet.root.parent.rglob("*escaped*"))
    shutil.rmtree(jobs.cache("second"), ignore_errors=True)
    jobs.compile("second")
