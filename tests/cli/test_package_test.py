"""`package test`: the cases of a package, each in a working directory of its own."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

from tests.support.authoring import files_below, make_package_clone

from .test_package_compile import TEST_CLASS, a_component_repository, listing

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.command_line import CommandLine, Ran


def a_package_with_cases(tmp_path: Path) -> Path:
    """One component, two cases that set its parameter."""
    main = listing(a_component_repository(tmp_path))
    files = {
        "main.yml": main,
        **{
            f"tests/{name}.yml": f"{TEST_CLASS}parameters:\n  one:\n    x: {name}\n"
            for name in ("a", "b")
        },
    }
    return make_package_clone(tmp_path / "src", "it", files)


def cases_of(commodore: CommandLine, package: Path, *options: str) -> Ran:
    return commodore("package", "test", str(package), *options)


def test_what_is_accepted_passes_and_is_what_compile_writes(
    commodore: CommandLine, tmp_path: Path
) -> None:
    package = a_package_with_cases(tmp_path)

    missing = cases_of(commodore, package)
    written = cases_of(commodore, package, "--update")
    met = cases_of(commodore, package)

    assert missing.code == 1
    assert "has no expected output yet" in missing.out
    assert written.code == 0, written.out + written.err
    assert met.code == 0
    assert "2 cases: 2 passed" in met.out
    assert not (package / "compiled").exists()
    commodore("package", "compile", str(package), "tests/b.yml")
    assert files_below(package / "tests/golden/b") == files_below(package / "compiled")


def test_a_difference_and_a_case_that_does_not_compile(
    commodore: CommandLine, tmp_path: Path
) -> None:
    package = a_package_with_cases(tmp_path)
    cases_of(commodore, package, "--update")
    (package / "tests/a.yml").write_text(f"{TEST_CLASS}parameters:\n  one:\n    x: other\n")
    (package / "tests/b.yml").write_text("classes: [..none]\n")

    ran = cases_of(commodore, package, "-o", "json")

    assert ran.code == 1
    found = {case["name"]: case for case in json.loads(ran.out)["cases"]}
    assert found["a"]["difference"]["files"][0]["path"] == "one/out/seen.yaml"
    assert "none" in found["b"]["problems"][0]["message"]


def test_offline_with_existing_downloads(commodore: CommandLine, tmp_path: Path) -> None:
    package = a_package_with_cases(tmp_path)
    cases_of(commodore, package, "--update", "--tmp-dir", "kept")
    shutil.rmtree(tmp_path / "remotes")

    ran = cases_of(commodore, package, "--offline", "--tmp-dir", "kept")

    assert ran.code == 0, ran.out + ran.err
    assert cases_of(commodore, package, "--offline").code == 2
    assert cases_of(commodore, package).code == 1
