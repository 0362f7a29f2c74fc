"""The record names what went in; the commit message has the form that programs read."""

from datetime import datetime, timedelta, timezone
from pathlib import Path
from textwrap import dedent

from commodore_py.catalog.record import commit_message, record_of
from commodore_py.model.catalog import DependencyRecord
from commodore_py.model.cluster import Cluster, RepositoryRef
from commodore_py.model.dependency import Dependency, DependencySpec, Kind
from commodore_py.model.inventory import Instance, Inventory
from commodore_py.model.stages import Sources
from tests.support.builders import make_sources

TIME = datetime(2031, 2, 3, 4, 5, 6, 70_809, tzinfo=timezone(timedelta(hours=2)))


def dependency(kind: Kind, name: str, commit: str, **spec: str) -> Dependency:
    url = spec.pop("url", f"https://git.example.org/{name}.git")
    version = spec.pop("version", "trunk")
    return Dependency(
        spec=DependencySpec(kind, name, url, None, **spec),
        url=url,
        version=version,
        commit=commit * 20,
        short_commit=commit * 3,
        worktree=Path(name),
    )


def sources(*dependencies: Dependency, instances: tuple[Instance, ...] = ()) -> Sources:
    return make_sources(
        Path("work"),
        Inventory({}, instances),
        (
            dependency(Kind.GLOBAL, "global", "a1", url="https://git.example.org/all.git"),
            dependency(Kind.TENANT, "t1", "b2", url="ssh://git@git.example.org/t1.git"),
            *dependencies,
        ),
        cluster=Cluster("c1", "", "t1", "", "", RepositoryRef(""), RepositoryRef("")),
        time=TIME,
    )


def test_passwords_of_remotes_are_not_recorded() -> None:
    url = "https://me:secret@git.example.org/web.git"
    instances = (Instance("web", "web"),)
    record = record_of(
        sources(dependency(Kind.COMPONENT, "web", "c3", url=url), instances=instances)
    )

    assert "secret" not in commit_message(record)
    assert "secret" not in repr(record)
    assert "url: https://***@git.example.org/web.git" in commit_message(record)


def test_every_kind_of_entry_has_its_form() -> None:
    message = commit_message(
        record_of(
            sources(
                dependency(Kind.COMPONENT, "web", "c3"),
                dependency(Kind.COMPONENT, "db", "d4", version="v1.0", path="parts/db"),
                dependency(Kind.INSTANCE, "db-b", "e5", version="v2.0", path="db/", component="db"),
                dependency(Kind.PACKAGE, "zoo", "f6"),
                dependency(Kind.PACKAGE, "ark", "07", path="pkgs/ark"),
                instances=(
                    Instance("web", "web"),
                    Instance("db-b", "db"),
                    Instance("db-a", "db"),
                    Instance("db", "db"),
                ),
            )
        )
    )

    assert message == dedent(
        """\
        Automated catalog update from Commodore

        Component instance commits:
         * db: v1.0 (d4d4d4)
           url: https://git.example.org/db.git
           path: parts/db
         * db-a (db): v1.0 (d4d4d4)
           url: https://git.example.org/db.git
           path: parts/db
         * db-b (db): v2.0 (e5e5e5)
           url: https://git.example.org/db-b.git
           path: db/
         * web: trunk (c3c3c3)
           url: https://git.example.org/web.git

        Package commits:
         * ark: trunk (070707)
           url: https://git.example.org/ark.git
           path: pkgs/ark
         * zoo: trunk (f6f6f6)
           url: https://git.example.org/zoo.git

        Configuration commits:
         * global: trunk (a1a1a1)
           url: https://git.example.org/all.git
         * tenant: trunk (b2b2b2)
           url: ssh://git@git.example.org/t1.git

        Compilation timestamp: 2031-02-03T04:05:06.070+02:00
        """
    )


def test_an_empty_section_keeps_its_empty_line() -> None:
    message = commit_message(record_of(sources()))

    assert message.startswith(
        "Automated catalog update from Commodore\n\n"
        "Component instance commits:\n\n\n"
        "Package commits:\n\n\n"
        "Configuration commits:\n * global: "
    )


def test_an_instance_is_recorded_with_its_component() -> None:
    component = dependency(Kind.COMPONENT, "web", "c3")

    record = record_of(sources(component, instances=(Instance("shop", "web"),)))

    assert record.cluster == "c1"
    assert record.time == TIME
    assert record.tenant_config.name == "tenant"
    assert record.instances == (
        DependencyRecord(
            name="shop",
            url="https://git.example.org/web.git",
            version="trunk",
            commit="c3" * 20,
            short_commit="c3c3c3",
            component="web",
        ),
    )
