"""`component test`: which cases there are, what is thought of each, and what is written."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.authoring import files_below, make_component_clone
from tests.support.builders import git
from tests.support.servers.web import serve

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.support.command_line import CommandLine, Ran

pytestmark = pytest.mark.sample(2)

ROOT = Path(__file__).resolve().parents[2]
OBJECT = """\
local inv = (import 'lib/kapitan.libjsonnet').inventory();
local p = inv.parameters.one;
assert std.objectHas(p, 'size') : 'a size is needed';
{
  it: {
    apiVersion: 'apps/v1', kind: 'Deployment',
    metadata: { name: inv.parameters._instance, namespace: 'there' },
    spec: { replicas: p.size, template: { spec: { containers: [
      { name: 'main', image: 'x:1' }, { name: 'side', image: 'y:2' },
    ] } } },
  },
}
"""
IT = "one/out/it.yaml"


def sized(number: int, key: str = "one") -> str:
    return f"parameters:\n  {key}:\n    size: {number}\n"


def one(tmp_path: Path, files: Mapping[str, str] | None = None) -> Path:
    """A component with two cases."""
    cases = {"tests/small.yml": sized(1), "tests/large.yml": sized(9)}
    return make_component_clone(tmp_path / "src", "one", {**cases, **(files or {})}, code=OBJECT)


def accepted(commodore: CommandLine, component: Path) -> Path:
    """The component with the output that is expected of it."""
    assert cases_of(commodore, component, "--update").code == 0
    return component


def cases_of(commodore: CommandLine, component: Path, *options: str) -> Ran:
    return commodore("component", "test", str(component), *options)


def test_cases_without_expected_output_fail_with_a_hint(
    commodore: CommandLine, tmp_path: Path
) -> None:
    component = one(tmp_path)

    ran = cases_of(commodore, component)

    assert ran.code == 1
    assert "failed  small" in ran.out
    assert "has no expected output yet" in ran.out
    assert "--update" in ran.out
    assert "created Deployment there/one" in ran.out
    assert "2 cases: 2 failed" in ran.out


def test_what_is_accepted_passes(commodore: CommandLine, tmp_path: Path) -> None:
    component = one(tmp_path)

    written = cases_of(commodore, component, "--update")

    assert written.code == 0, written.out + written.err
    assert "2 cases: 2 updated" in written.out
    assert set(files_below(component / "tests/golden")) == {f"large/{IT}", f"small/{IT}"}
    ran = cases_of(commodore, component)
    assert ran.code == 0, ran.out
    assert "2 cases: 2 passed" in ran.out
    assert (ran.out + ran.err).count("small") == 1


def test_it_is_what_compile_writes(commodore: CommandLine, tmp_path: Path) -> None:
    component = accepted(commodore, one(tmp_path))

    commodore("component", "compile", str(component), "-f", str(component / "tests/small.yml"))

    assert files_below(component / "tests/golden/small") == files_below(tmp_path / "compiled")


def test_a_difference_is_reported_object_by_object(commodore: CommandLine, tmp_path: Path) -> None:
    component = accepted(commodore, one(tmp_path))
    (component / "tests/small.yml").write_text(sized(3))

    ran = cases_of(commodore, component)

    assert ran.code == 1
    assert "passed  large" in ran.out
    assert "failed  small" in ran.out
    assert "spec.replicas: 1 -> 3" in ran.out


def test_a_difference_that_objects_do_not_show_is_reported_in_lines(
    commodore: CommandLine, tmp_path: Path
) -> None:
    component = accepted(commodore, one(tmp_path))
    golden = component / "tests/golden/small" / IT
    golden.write_text(golden.read_text() + "# by hand\n")

    ran = cases_of(commodore, component)

    assert ran.code == 1
    assert "-# by hand" in ran.out


def test_a_mode_counts_as_git_counts_it(commodore: CommandLine, tmp_path: Path) -> None:
    component = accepted(commodore, one(tmp_path))
    (component / "tests/golden/small" / IT).chmod(0o755)

    assert cases_of(commodore, component).code == 1


def test_only_what_differs_is_written(commodore: CommandLine, tmp_path: Path) -> None:
    component = accepted(commodore, one(tmp_path))
    times = {
        case: (component / "tests/golden" / case / IT).stat().st_mtime_ns
        for case in ("small", "large")
    }
    (component / "tests/small.yml").write_text(sized(2))
    (component / "tests/golden/small/gone.yaml").write_text("a: 1\n")

    ran = cases_of(commodore, component, "--update")

    assert ran.code == 0
    assert "2 cases: 1 passed, 1 updated" in ran.out
    assert (component / "tests/golden/large" / IT).stat().st_mtime_ns == times["large"]
    assert (component / "tests/golden/small" / IT).stat().st_mtime_ns != times["small"]
    assert not (component / "tests/golden/small/gone.yaml").exists()


def test_expected_output_of_no_case(commodore: CommandLine, tmp_path: Path) -> None:
    component = accepted(commodore, one(tmp_path))
    orphan = component / "tests/golden/former"
    orphan.mkdir()
    (orphan / "a.yaml").write_text("a: 1\n")

    lenient = cases_of(commodore, component)
    strict = cases_of(commodore, component, "--strict")
    data = cases_of(commodore, component, "--strict", "-o", "json")
    some = cases_of(commodore, component, "--case", "small", "--update")

    assert lenient.code == 0
    assert "expected output former belongs to no test case" in lenient.err
    assert strict.code == 1
    assert "error: expected output former belongs to no test case" in strict.err
    found = json.loads(data.out)
    refused = "expected output former belongs to no test case; --update removes it"
    assert (data.code, found["passed"]) == (1, False)
    assert found["refused"] == [{"message": refused, "where": str(orphan)}]
    assert [case["status"] for case in found["cases"]] == ["passed", "passed"]
    assert some.code == 0
    assert orphan.is_dir()
    assert cases_of(commodore, component, "--update").code == 0
    assert not orphan.exists()
    assert (component / "tests/golden/small" / IT).is_file()


def test_some_cases_by_their_names(commodore: CommandLine, tmp_path: Path) -> None:
    component = accepted(commodore, one(tmp_path, {"tests/smaller.yml": sized(0)}))

    ran = cases_of(commodore, component, "--case", "small*")

    assert ran.code == 0
    assert "large" not in ran.out
    assert "2 cases: 2 passed" in ran.out


def test_unknown_case_is_a_usage_error(commodore: CommandLine, tmp_path: Path) -> None:
    assert cases_of(commodore, one(tmp_path), "--case", "none").code == 2


def test_no_case_at_all(commodore: CommandLine, tmp_path: Path) -> None:
    ran = cases_of(commodore, make_component_clone(tmp_path / "src", "one"))

    assert ran.code == 2
    assert "there are no test cases" in ran.err


def test_a_case_that_does_not_compile_shows_the_reason_and_stops_no_other(
    commodore: CommandLine, tmp_path: Path
) -> None:
    component = accepted(commodore, one(tmp_path))
    (component / "tests/broken.yml").write_text("parameters: {}\n")
    (component / "tests/yaml.yml").write_text("parameters: [\n")

    ran = cases_of(commodore, component)

    assert ran.code == 1
    assert "a size is needed" in ran.out
    assert "tests/yaml.yml:2" in ran.out
    assert "4 cases: 2 passed, 2 failed" in ran.out


def test_name_and_alias_are_options(commodore: CommandLine, tmp_path: Path) -> None:
    metadata = "parameters:\n  one:\n    =_metadata:\n      multi_instance: true\n"
    files = {"class/defaults.yml": metadata, "tests/small.yml": sized(4, "my_small")}
    component = one(tmp_path, {**files})

    ran = cases_of(
        commodore, component, "--case", "small", "-n", "one", "-a", "my-{case}", "--update"
    )

    assert ran.code == 0, ran.out
    assert set(files_below(component / "tests/golden")) == {"small/my-small/out/it.yaml"}


@pytest.mark.parametrize(
    ("expected", "output"),
    [
        ("fails: nothing like this\n", "compiled, but was expected to fail"),
        ("feils: x\n", "unknown expectation feils"),
        ("fails: '['\n", "not a valid regular expression"),
        ("golden: [1]\n", "`golden` is true or false"),
        ("- a\n", "expectations must be a mapping"),
    ],
)
def test_expectations_that_fail(
    commodore: CommandLine, tmp_path: Path, expected: str, output: str
) -> None:
    component = accepted(commodore, one(tmp_path))
    (component / "tests/small.expect.yml").write_text(expected)

    ran = cases_of(commodore, component)

    assert ran.code == 1
    assert output in ran.out
    assert f"{component}/tests/small.expect.yml" in ran.out


def test_a_failure_that_is_expected(commodore: CommandLine, tmp_path: Path) -> None:
    files = {"tests/none.yml": "{}\n", "tests/none.expect.yml": "fails: size is needed\n"}
    component = accepted(commodore, one(tmp_path, files))

    assert cases_of(commodore, component).code == 0
    assert not (component / "tests/golden/none").exists()
    (component / "tests/none.expect.yml").write_text("fails: something else\n")
    ran = cases_of(commodore, component)
    assert ran.code == 1
    assert "did not fail as expected" in ran.out
    assert "a size is needed" in ran.out


def test_a_case_may_do_without_expected_output(commodore: CommandLine, tmp_path: Path) -> None:
    expected = "golden: false\n"
    component = accepted(commodore, one(tmp_path, {"tests/small.expect.yml": expected}))

    assert not (component / "tests/golden/small").exists()
    assert cases_of(commodore, component).code == 0


def test_reports_for_programs(commodore: CommandLine, tmp_path: Path) -> None:
    component = accepted(commodore, one(tmp_path))
    (component / "tests/small.yml").write_text(sized(3))

    ran = cases_of(commodore, component, "-o", "json")

    assert ran.code == 1
    found = json.loads(ran.out)
    assert found["schema"] == "component-test/v1"
    by_name = {case["name"]: case for case in found["cases"]}
    assert by_name["large"]["status"] == "passed"
    assert by_name["small"]["difference"]["objects"][0]["fields"][0]["path"] == "spec.replicas"


def test_a_component_beside_it(commodore: CommandLine, tmp_path: Path) -> None:
    other = make_component_clone(
        tmp_path / "src",
        "two",
        {
            "class/defaults.yml": "parameters:\n  two:\n    y: default\n",
            "lib/two.libsonnet": "{ x: 1 }",
        },
    )
    code = (
        "local inv = (import 'lib/kapitan.libjsonnet').inventory();"
        " { seen: (import 'lib/two.libsonnet') + { y: inv.parameters.two.y } }"
    )
    component = make_component_clone(
        tmp_path / "src", "one", {"tests/defaults.yml": "{}\n"}, code=code
    )

    alone = cases_of(commodore, component)
    both = cases_of(commodore, component, "--with-component", str(other), "--update")

    assert alone.code == 1
    assert both.code == 0, both.out
    golden = files_below(component / "tests/golden/defaults")
    assert golden == {"one/out/seen.yaml": b"x: 1\ny: default\n"}
    assert (
        commodore(*("component", "compile", str(component), "--with-component", str(other))).code
        == 0
    )
    assert files_below(tmp_path / "compiled") == golden


def test_two_components_of_one_name(commodore: CommandLine, tmp_path: Path) -> None:
    component = one(tmp_path)
    other = make_component_clone(tmp_path / "elsewhere", "one")

    ran = cases_of(commodore, component, "--with-component", str(other))

    assert ran.code == 1
    assert "two components are called one" in ran.out


LIBRARIES = """\
{ version: 1, legacyImports: true, dependencies: [
  { source: { 'local': { directory: std.extVar('where') } }, version: '' },
] }
"""


def test_cases_that_want_other_libraries_do_not_mix(commodore: CommandLine, tmp_path: Path) -> None:
    files = {
        "jsonnetfile.jsonnet": LIBRARIES,
        "libs/a/v/it.libsonnet": "{ v: 'a' }",
        "libs/b/v/it.libsonnet": "{ v: 'b' }",
        **{
            f"tests/{case}.yml": "parameters:\n  one:\n    jsonnetfile_parameters:\n"
            f"      where: libs/{case[0]}/v\n"
            for case in ("a1", "b1", "a2", "b2")
        },
    }
    component = make_component_clone(
        tmp_path / "src", "one", files, code="{ seen: import 'v/it.libsonnet' }"
    )

    ran = cases_of(commodore, component, "--update")

    assert ran.code == 0, ran.out
    golden = files_below(component / "tests/golden")
    assert {name: content[3:4] for name, content in golden.items()} == {
        f"{case}/one/out/seen.yaml": case[:1].encode() for case in ("a1", "b1", "a2", "b2")
    }


def test_what_is_downloaded_is_fetched_once_for_all_that_want_it(
    commodore: CommandLine, tmp_path: Path
) -> None:
    with serve() as web:
        urls = {name: web.put(f"/{name}", f"{{ v: '{name}' }}") for name in ("a", "b", "c")}
        wish = "{{type: https, source: {url}, output_path: '${{_base_directory}}/vendor/{place}'}}"
        # Two want other files in one place; all want the third.
        files = {
            f"tests/{case}.yml": "parameters:\n  kapitan:\n    dependencies:\n"
            f"      - {wish.format(url=urls[case[0]], place='it.libsonnet')}\n"
            f"      - {wish.format(url=urls['c'], place='all.libsonnet')}\n"
            for case in ("a1", "b1", "a2")
        }
        code = "{ seen: [(import 'it.libsonnet').v, (import 'all.libsonnet').v] }"
        component = make_component_clone(tmp_path / "src", "one", files, code=code)

        ran = cases_of(commodore, component, "--update")

        requested = [path for path, _ in web.answers()]
    assert ran.code == 0, ran.out
    golden = files_below(component / "tests/golden")
    assert {name[:2]: content for name, content in golden.items()} == {
        case: f"{case[0]}\n--- c\n...\n".encode() for case in ("a1", "a2", "b1")
    }
    assert sorted(requested) == ["/a", "/b", "/c", "/c"]


def test_hidden_folders_are_not_expected_output(commodore: CommandLine, tmp_path: Path) -> None:
    component = accepted(commodore, one(tmp_path))
    (component / "tests/golden/.kept").mkdir()

    assert cases_of(commodore, component, "--update", "--strict").code == 0
    assert (component / "tests/golden/.kept").is_dir()


def test_expected_output_that_cannot_be_read(commodore: CommandLine, tmp_path: Path) -> None:
    component = accepted(commodore, one(tmp_path))
    (component / "tests/golden/small/gone.yaml").symlink_to("nowhere")

    ran = cases_of(commodore, component)

    assert ran.code == 1
    assert f"{component}/tests/golden/small/gone.yaml" in ran.out
    assert "2 cases: 1 passed, 1 failed" in ran.out


def test_the_repository_stays_as_it_was(commodore: CommandLine, tmp_path: Path) -> None:
    component = one(tmp_path)
    git(component, "status", "--porcelain")

    cases_of(commodore, component)

    assert git(component, "status", "--porcelain") == ""


def as_installed(component: Path, *options: str) -> subprocess.CompletedProcess[str]:
    # In a process of its own, in which Go was never loaded: that is what workers need.
    return subprocess.run(
        [sys.executable, "-m", "commodore_py", "component", "test", str(component), *options],
        check=False,
        capture_output=True,
        text=True,
        cwd=component.parent,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )


def test_workers_give_the_same(commodore: CommandLine, tmp_path: Path) -> None:
    files = {f"tests/c{number}.yml": sized(number) for number in range(5)}
    component = accepted(commodore, one(tmp_path, files))
    (component / "tests/bad.yml").write_text("{}\n")

    ran = as_installed(component, "--processes", "3")

    assert ran.returncode == 1
    assert "8 cases: 7 passed, 1 failed" in ran.stdout
    assert "a size is needed" in ran.stdout


def test_a_new_component_is_green(commodore: CommandLine, tmp_path: Path) -> None:
    words = ("my-app", "--owner", "acme", "-t", "large", "--lib")
    assert commodore("component", "new", *words).code == 0
    component = tmp_path / "dependencies/my-app"

    ran = cases_of(commodore, component, "--offline", "--strict")

    assert ran.code == 0, ran.out + ran.err
    assert "2 cases: 2 passed" in ran.out
    assert git(component, "status", "--porcelain") == ""


def test_what_is_there_can_do(commodore: CommandLine, tmp_path: Path) -> None:
    wish = '{"version": 1, "dependencies": [{"source": {"local": {"directory": "none"}}}]}'
    files = {"jsonnetfile.json": wish, "vendor/v/it.libsonnet": "{ v: 1 }", "tests/a.yml": "{}\n"}
    code = "{ seen: import 'v/it.libsonnet' }"
    component = make_component_clone(tmp_path / "src", "one", files, code=code)

    for words in (("test", "--update"), ("compile",)):
        assert commodore("component", words[0], str(component), *words[1:]).code == 1
        ran = commodore("component", words[0], str(component), "-F", *words[1:])
        assert ran.code == 0, ran.out + ran.err


def test_a_schema_of_parameters_applies_to_every_case(
    commodore: CommandLine, tmp_path: Path
) -> None:
    component = accepted(commodore, one(tmp_path))
    schema = component / "class/defaults.schema.json"
    schema.write_text(json.dumps({"properties": {"size": {"enum": [1, 2]}}}))

    ran = cases_of(commodore, component)
    schema.write_text("{")
    broken = cases_of(commodore, component)

    assert ran.code == 1
    assert "passed  small" in ran.out
    assert "one.size: 9 is not one of 1, 2 [parameters/schema]" in ran.out
    assert f"{component}/tests/large.yml:3" in ran.out
    assert broken.code == 1
    assert "not valid JSON" in broken.out
