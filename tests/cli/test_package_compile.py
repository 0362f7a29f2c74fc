"""`package compile`: what comes out, where it goes, and the errors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.authoring import CLASS, files_below, make_package_clone
from tests.support.builders import component_files, make_repository, url_of

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.command_line import CommandLine, Ran

CODE = (
    "local inv = (import 'lib/kapitan.libjsonnet').inventory();"
    " { seen: { x: inv.parameters.one.x, ns: inv.parameters.argocd.namespace,"
    " secret: '?{vaultkv:' + inv.parameters.cluster.tenant + '/key}' } }"
)
DEFAULTS = "parameters:\n  one:\n    x: default\n    secret: '?{vaultkv:${cluster:tenant}/key}'\n"
TEST_CLASS = "classes:\n  - ..main\n"


def a_component_repository(root: Path, name: str = "one") -> str:
    files = {
        **component_files(name),
        f"class/{name}.yml": CLASS,
        "class/defaults.yml": DEFAULTS,
        "component/main.jsonnet": CODE,
    }
    return url_of(make_repository(root / "remotes" / f"{name}.git", files))


def listing(url: str, version: str = "master") -> str:
    entry = f"{{url: '{url}', version: {version}}}"
    return f"applications: [one]\nparameters:\n  components:\n    one: {entry}\n"


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A package that configures one component, with one test class."""
    main = listing(a_component_repository(tmp_path)) + "  one:\n    x: package\n"
    return make_package_clone(
        tmp_path / "src", "it", {"main.yml": main, "tests/defaults.yml": TEST_CLASS}
    )


def compile_(commodore: CommandLine, folder: Path, *options: str) -> Ran:
    return commodore("package", "compile", str(folder), *(options or ("tests/defaults.yml",)))


def test_output_goes_to_the_package(commodore: CommandLine, package: Path) -> None:
    ran = compile_(commodore, package)

    assert ran.code == 0, ran.err
    found = files_below(package / "compiled")
    assert set(found) == {"one/out/seen.yaml"}
    assert found["one/out/seen.yaml"].startswith(b"ns: syn\nsecret: ?{vaultkv:t-silent-test-1234/")
    assert found["one/out/seen.yaml"].endswith(b"x: package\n")
    assert str(package / "compiled") in ran.out


def test_other_instances_stay(commodore: CommandLine, package: Path) -> None:
    for stale in ("other/kept.yaml", "one/stale.yaml"):
        (package / "compiled" / stale).parent.mkdir(parents=True, exist_ok=True)
        (package / "compiled" / stale).write_text("a: 1\n")

    compile_(commodore, package)

    assert set(files_below(package / "compiled")) == {"other/kept.yaml", "one/out/seen.yaml"}


def test_the_package_wins_over_values(
    commodore: CommandLine, package: Path, tmp_path: Path
) -> None:
    (tmp_path / "v.yml").write_text(
        "parameters:\n  one:\n    x: values\n  argocd:\n    namespace: v\n"
    )

    ran = compile_(commodore, package, "tests/defaults.yml", "-f", "v.yml")

    assert ran.code == 0, ran.err
    content = (package / "compiled/one/out/seen.yaml").read_text()
    assert "ns: v\n" in content
    assert "x: package\n" in content


def test_an_existing_folder_can_be_used_again_without_fetching(
    commodore: CommandLine, package: Path, tmp_path: Path
) -> None:
    first = compile_(commodore, package, "tests/defaults.yml", "--tmp-dir", "kept")
    (tmp_path / "remotes/one.git/HEAD").unlink()
    code = tmp_path / "kept/dependencies/one/component/main.jsonnet"
    code.write_text("{ mine: { a: 1 } }")

    ran = compile_(commodore, package, "tests/defaults.yml", "--tmp-dir", "kept", "--local", "-F")

    assert first.code == 0, first.err
    assert f"--tmp-dir {tmp_path}/kept --local" in first.err
    assert (tmp_path / "kept/catalog/refs/t-silent-test-1234/key").is_file()
    assert ran.code == 0, ran.err
    assert set(files_below(package / "compiled")) == {"one/out/mine.yaml"}


@pytest.mark.parametrize("keep", [False, True])
def test_the_folder_stays_on_request(
    commodore: CommandLine,
    package: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    keep: bool,
) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))

    ran = compile_(commodore, package, "tests/defaults.yml", *(["-k"] if keep else []))

    assert len(list(scratch.glob("package-*"))) == int(keep)
    assert ("--tmp-dir" in ran.err) == keep


@pytest.mark.parametrize(
    ("test_class", "message"),
    [
        ("tests/other.yml", "there is no such test class"),
        ("tests/defaults", "with the suffix .yml"),
        ("../elsewhere.yml", "not a file of the package"),
    ],
)
def test_a_test_class_that_is_not_there(
    commodore: CommandLine, package: Path, test_class: str, message: str
) -> None:
    ran = compile_(commodore, package, test_class)

    assert ran.code == 1
    assert message in ran.err
    assert test_class.removeprefix("..") in ran.err
    assert ".yml" in ran.err


def test_no_components_are_listed(commodore: CommandLine, tmp_path: Path) -> None:
    package = make_package_clone(tmp_path, "it", {"tests/defaults.yml": "parameters: {}\n"})

    ran = compile_(commodore, package)

    assert ran.code == 1
    assert "package it lists no components" in ran.err
    assert "tests/defaults.yml" in ran.err
    assert "parameters.components" in ran.err


@pytest.mark.parametrize("field", ["url", "version"])
def test_a_component_that_is_listed_by_halves(
    commodore: CommandLine, tmp_path: Path, field: str
) -> None:
    other = {"url": "version: v1", "version": "url: 'https://git.example.com/x/y'"}[field]
    text = f"applications: [one]\nparameters:\n  components:\n    one: {{{other}}}\n"
    package = make_package_clone(
        tmp_path, "it", {"main.yml": text, "tests/defaults.yml": TEST_CLASS}
    )

    ran = compile_(commodore, package)

    assert ran.code == 1
    assert f"component one has no {field}" in ran.err
    assert "main.yml:4" in ran.err


def test_a_revision_that_is_not_there(commodore: CommandLine, tmp_path: Path) -> None:
    url = a_component_repository(tmp_path)
    files = {"main.yml": listing(url, "v9"), "tests/defaults.yml": TEST_CLASS}
    package = make_package_clone(tmp_path / "src", "it", files)

    ran = compile_(commodore, package)

    assert ran.code == 1
    assert "component one" in ran.err
    assert url in ran.err
    assert "v9" in ran.err


def test_no_applications(commodore: CommandLine, tmp_path: Path) -> None:
    text = listing(a_component_repository(tmp_path)).replace("[one]", "[]")
    files = {"main.yml": text, "tests/defaults.yml": TEST_CLASS}
    package = make_package_clone(tmp_path / "src", "it", files)

    ran = compile_(commodore, package)

    assert ran.code == 1
    assert "nothing to compile for package it: it has no applications" in ran.err
    assert "under `applications`" in ran.err


def test_a_fresh_folder_without_fetching(commodore: CommandLine, package: Path) -> None:
    ran = compile_(commodore, package, "tests/defaults.yml", "--local")

    assert ran.code == 1
    assert "package it" in ran.err
    assert "without --local" in ran.err


def test_a_class_of_another_package(commodore: CommandLine, tmp_path: Path) -> None:
    text = "classes:\n  - other.main\n"
    package = make_package_clone(tmp_path, "it", {"tests/defaults.yml": text})

    ran = compile_(commodore, package)

    assert ran.code == 1
    assert "class other.main not found" in ran.err
    assert "tests/defaults.yml:2" in ran.err
    assert "other packages and configurations are not fetched" in ran.err


def test_applications_that_are_packages_are_ignored(commodore: CommandLine, package: Path) -> None:
    (package / "main.yml").write_text(
        (package / "main.yml").read_text().replace("[one]", "[one, pkg.other]")
    )

    ran = compile_(commodore, package)

    assert ran.code == 0, ran.err
    assert set(files_below(package / "compiled")) == {"one/out/seen.yaml"}


@pytest.mark.parametrize(("folder", "name"), [("pkg.it", "it"), ("package-it.git", "it")])
def test_the_name_comes_from_the_folder(
    commodore: CommandLine, package: Path, folder: str, name: str
) -> None:
    renamed = package.rename(package.with_name(folder))

    ran = compile_(commodore, renamed)

    assert ran.code == 0, ran.err
    assert f"Compiling package {name} " in ran.err


def test_a_reserved_name(commodore: CommandLine, package: Path) -> None:
    renamed = package.rename(package.with_name("package-global"))

    ran = compile_(commodore, renamed)

    assert ran.code == 1
    assert "'global' cannot be the name of a package" in ran.err


def test_only_local_mode_goes_without_fetching(commodore: CommandLine, package: Path) -> None:
    ran = compile_(commodore, package, "tests/defaults.yml", "-F")

    assert ran.code == 0
    assert "--no-fetch-dependencies has no effect without --local" in ran.err


def test_a_folder_inside_of_the_package_is_a_warning(commodore: CommandLine, package: Path) -> None:
    ran = compile_(commodore, package, "tests/defaults.yml", "--tmp-dir", str(package / "work"))

    assert ran.code == 0, ran.err
    assert "name a folder beside the package" in ran.err
