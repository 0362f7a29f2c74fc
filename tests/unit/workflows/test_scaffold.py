"""Variables, merges and renderings of templates."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from commodore_py.errors import CommodoreError, UsageError
from commodore_py.model.tree import Entry, Tree
from commodore_py.workflows.authoring.templates import builtin, cookiecutter, source
from commodore_py.workflows.authoring.templates.merge import Merged, merge
from commodore_py.workflows.authoring.templates.variables import (
    DependencyPatterns,
    TemplateOptions,
    apply_options,
    assignments,
)
from tests.support.templates import change_template, make_template

if TYPE_CHECKING:
    from collections.abc import Mapping

WHO = {"name": "my-one", "slug": "my-one"}
BLOCKED = "automerge_patch_regexp_blocklist"

# A released version never changes: what was made from it is rendered again by every update.
# A change of a template is a new version, with a line of its own here.
RELEASED = {
    ("component", "1"): "4cb1a3e90a452f24b6292042b7d3596646bfc16f",
    ("package", "1"): "9f0ec495572650559c7f3e9c0131d2b3a74078de",
}


@pytest.mark.parametrize(("kind", "version"), RELEASED)
def test_a_released_version_never_changes(kind: str, version: str) -> None:
    found = builtin.find(f"builtin://{kind}", version)

    assert found.commit == RELEASED[kind, version]
    assert builtin.find(f"builtin://{kind}", found.commit) == found


def test_every_version_is_released_or_the_tests_do_not_know_it() -> None:
    known = [(k, v.version) for k in ("component", "package") for v in builtin.versions(k)]

    assert known == [*RELEASED]


@pytest.mark.parametrize("url", ["builtin://nothing", "builtin://../demo", "builtin://"])
def test_there_is_no_other_built_in_template(url: str) -> None:
    with pytest.raises(CommodoreError, match="no built-in template"):
        builtin.find(url, None)


def test_a_version_that_this_program_does_not_have() -> None:
    with pytest.raises(CommodoreError, match="no version 999") as caught:
        builtin.find("builtin://component", "999")

    assert "newer commodore" in caught.value.hint


def rendered(kind: str, **variables: str) -> Tree:
    template = builtin.find(f"builtin://{kind}", None)
    who = {"slug": "my-one", "github_owner": "acme", "copyright_holder": "Me"}
    return template.render(template.filled({**who, **variables}))


def text_of(tree: Tree, path: str) -> str:
    return tree[PurePosixPath(path)].content.decode()


EVERYTHING = {
    **dict.fromkeys(("add_lib", "add_pp", "add_go_unit", "automerge_patch_v0"), "y"),
    "test_cases": "defaults two",
    BLOCKED: "^a$;b\\.c",
    "automerge_minor_regexp_allowlist": '"quoted"',
    "name": "It's: a name",
}
NOTHING = dict.fromkeys(("add_golden", "add_matrix", "automerge_patch", "auto_release"), "n")


@pytest.mark.parametrize("kind", ["component", "package"])
@pytest.mark.parametrize("variables", [{}, EVERYTHING, NOTHING, {**NOTHING, "license": "none"}])
def test_what_is_rendered_can_be_read(kind: str, variables: Mapping[str, str]) -> None:
    tree = rendered(kind, **variables)

    for path, entry in tree.items():
        text = entry.content.decode()
        assert not re.search(r"<<|>>|<%|%>|[ \t]$", text, re.MULTILINE), path
        assert not text or text.endswith("\n"), path
        assert not text.startswith("\n"), path
        if path.suffix in (".yml", ".yaml"):
            list(yaml.safe_load_all(text))
        if path.suffix == ".json":
            json.loads(text)
    assert (PurePosixPath("LICENSE") in tree) == (variables.get("license") != "none")


def test_the_files_of_a_component() -> None:
    tree = rendered("component")

    assert len(tree) == 32  # with its record: 33, as ever
    assert yaml.safe_load(text_of(tree, "class/defaults.yml")) == {
        "parameters": {"my_one": {"=_metadata": {"multi_tenant": True}, "namespace": "syn-my-one"}}
    }
    assert "lint_kubent_all" in text_of(tree, "Makefile")
    assert "projectsyn/commodore-" not in "".join(e.content.decode() for e in tree.values())
    assert "vshn.ch" not in "".join(entry.content.decode() for entry in tree.values())


@pytest.mark.parametrize(
    ("variables", "rules"),
    [
        ({"automerge_patch": "n"}, []),
        ({}, [("!/^v?0\\./", None)]),
        ({BLOCKED: "^a$;b"}, [("!/^v?0\\./", ["!/^a$/", "!/b/"])]),
        (
            {"automerge_patch_v0_regexp_allowlist": "x", "automerge_minor_regexp_allowlist": "y"},
            [("!/^v?0\\./", None), ("/^v?0\\./", ["/x/"]), (None, ["/y/"])],
        ),
        ({"automerge_patch_v0": "y", "automerge_patch_v0_regexp_allowlist": "x"}, [(None, None)]),
    ],
)
def test_rules_of_renovate(
    variables: dict[str, str], rules: list[tuple[str | None, list[str] | None]]
) -> None:
    for kind in ("component", "package"):
        found = json.loads(text_of(rendered(kind, **variables), "renovate.json"))["packageRules"]

        found_rules = [
            (rule.get("matchCurrentVersion"), rule.get("matchPackageNames")) for rule in found
        ]
        assert found_rules == rules


def test_a_choice_is_one_of_the_choices() -> None:
    with pytest.raises(CommodoreError, match="invalid value for license: 'GPL'") as caught:
        rendered("component", license="GPL")

    assert "Apache-2.0" in caught.value.hint


def test_lists_are_sorted_and_removals_come_last() -> None:
    options = TemplateOptions(
        add={BLOCKED: DependencyPatterns(("dep", "gone"), ("^x.*",))},
        remove={BLOCKED: DependencyPatterns(("gone", "never there"), ())},
    )

    after = apply_options({BLOCKED: "zz;^x.*"}, options).variables

    assert after[BLOCKED] == "^dep$;^x.*;zz"


def test_a_separator_cannot_be_in_a_pattern() -> None:
    with pytest.raises(UsageError, match="`;` separates"):
        apply_options({}, TemplateOptions(add={BLOCKED: DependencyPatterns((), ("a;b",))}))


@pytest.mark.parametrize(
    ("before", "add", "remove", "after"),
    [
        ("defaults", ("a", "a", "defaults"), (), "defaults a"),
        ("defaults a", (), ("defaults",), "a"),
        ("defaults", ("a",), ("a",), "defaults"),
    ],
)
def test_cases(before: str, add: tuple[str, ...], remove: tuple[str, ...], after: str) -> None:
    options = TemplateOptions(add_cases=add, remove_cases=remove)

    assert apply_options({"test_cases": before}, options).variables["test_cases"] == after


@pytest.mark.parametrize("case", ["../x", "a b", "", "-x", "$(rm)"])
def test_a_case_is_the_name_of_a_file(case: str) -> None:
    with pytest.raises(CommodoreError, match="test case"):
        apply_options({}, TemplateOptions(add_cases=(case,)))


@pytest.mark.parametrize("word", ["key", "=value", "_template=x"])
def test_assignments_have_a_shape(word: str) -> None:
    with pytest.raises(UsageError, match="KEY=VALUE"):
        assignments([word])


def test_values_may_hold_anything() -> None:
    assert assignments(["a=b=c", "d="]) == {"a": "b=c", "d": ""}


def merged(before: str | None, after: str | None, own: str | None) -> Merged:
    trees = [
        Tree() if text is None else Tree({PurePosixPath("f"): Entry(text.encode())})
        for text in (before, after, own)
    ]
    return merge(*trees)


LINES = "1\n2\n3\n4\n5\n6\n7\n8\n"


@pytest.mark.parametrize(
    ("before", "after", "own", "changed"),
    [
        (None, "new", None, "new"),
        ("a", "b", "a", "b"),
        (LINES, LINES.replace("1", "x"), LINES.replace("8", "y"), "x\n2\n3\n4\n5\n6\n7\ny\n"),
    ],
)
def test_what_the_template_changed_comes(
    before: str | None, after: str, own: str | None, changed: str
) -> None:
    found = merged(before, after, own)

    assert not found.conflicts
    entry = found.changed[PurePosixPath("f")]
    assert entry is not None
    assert entry.content.decode() == changed


@pytest.mark.parametrize(
    ("before", "after", "own"),
    [
        ("a", "a", "mine"),
        ("a", "b", "b"),
        ("a", "b", None),  # the author does not want it
        (None, "", "mine"),  # a placeholder
        (None, "same", "same"),
        ("a", None, None),
    ],
)
def test_what_is_there_or_not_wanted_stays(
    before: str | None, after: str | None, own: str | None
) -> None:
    assert merged(before, after, own) == Merged({})


def test_files_that_the_template_gave_up() -> None:
    assert merged("a", None, "a") == Merged({PurePosixPath("f"): None})
    assert merged("a", None, "mine") == Merged({}, kept=(PurePosixPath("f"),))


@pytest.mark.parametrize(
    ("before", "after", "own"), [("a", "b", "c"), (None, "b", "c"), ("\0a", "\0b", "\0c")]
)
def test_both_changed_the_same(before: str | None, after: str, own: str) -> None:
    found = merged(before, after, own)

    assert found.changed == {}
    assert [conflict.path for conflict in found.conflicts] == [PurePosixPath("f")]


@given(st.text("ab\n", max_size=12), st.text("ab\n", max_size=12))
def test_an_author_who_changed_nothing_gets_the_template(before: str, after: str) -> None:
    found = merged(before, after, before)

    entry = found.changed.get(PurePosixPath("f"), Entry(before.encode()))
    assert entry == Entry(after.encode())


def test_a_file_becomes_executable() -> None:
    path = PurePosixPath("f")
    before, after = Entry(b"x"), Entry(b"x", executable=True)

    found = merge(Tree({path: before}), Tree({path: after}), Tree({path: Entry(b"mine")}))

    assert found.changed == {path: Entry(b"mine", executable=True)}


def test_cookiecutters_variables(tmp_path: Path) -> None:
    declared = {
        "first": "A",
        "second": "{{ cookiecutter.first }}b",
        "choice": ["x", "y"],
        "flag": True,
        "number": 3,
        "later": {"k": "{{ cookiecutter.number }}"},
        "_private": "{{ raw }}",
        "__derived": "{{ cookiecutter.second | lower }}",
    }
    (tmp_path / "cookiecutter.json").write_text(json.dumps(declared))

    known = cookiecutter.filled(
        tmp_path, {"first": "C", "choice": "y", "flag": "no", "unknown": "x"}
    )

    assert known == {
        "first": "C",
        "second": "Cb",
        "choice": "y",
        "flag": False,
        "number": "3",
        "later": {"k": "3"},
        "_private": "{{ raw }}",
        "__derived": "cb",
    }
    assert [*known] == [*declared]
    with pytest.raises(CommodoreError, match="invalid value for choice: 'z'"):
        cookiecutter.filled(tmp_path, {"choice": "z"})


def test_cookiecutters_files(tmp_path: Path) -> None:
    template = make_template(tmp_path / "template", hook="")
    change_template(template, {"crlf": "a\r\n{{ cookiecutter.slug }}\r\n"})
    binary = template / "{{ cookiecutter.slug }}" / "binary"
    binary.write_bytes(b"\0{{ x }}\xff")
    (template / "{{ cookiecutter.slug }}" / "{% if false %}x{% endif %}").write_text("gone")

    tree = cookiecutter.render(template, cookiecutter.filled(template, WHO) | {"_new_lines": ""})

    assert tree[PurePosixPath("crlf")].content == b"a\r\nmy-one\r\n"
    assert tree[PurePosixPath("binary")].content == b"\0{{ x }}\xff"
    assert text_of(tree, "raw/kept") == "{{ not rendered }}\n"
    assert text_of(tree, "README.md").endswith("my-one-hidden Nobody\n")
    assert PurePosixPath("lib/my-one.libsonnet") in tree
    assert len(tree) == 8


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("{{ '../' }}x", "outside"),
        ("{{ '.git/hooks/' }}x", "outside"),
        ("{{ cookiecutter.missing }}", "cannot render"),
    ],
)
def test_names_that_lead_elsewhere_are_refused(tmp_path: Path, name: str, message: str) -> None:
    template = make_template(tmp_path / "template", hook="")
    change_template(template, {name: "x"})

    with pytest.raises(CommodoreError, match=message):
        cookiecutter.render(template, cookiecutter.filled(template, WHO))


def test_links_that_lead_out_of_a_template_are_refused(tmp_path: Path) -> None:
    template = make_template(tmp_path / "template", hook="")
    (tmp_path / "secret").write_text("x")
    (template / "{{ cookiecutter.slug }}" / "link").symlink_to(tmp_path / "secret")

    with pytest.raises(CommodoreError, match="link to a file outside of it"):
        cookiecutter.render(template, cookiecutter.filled(template, WHO))


SECRET = '{"slug": "x", "a": "CANARY"}'


@pytest.mark.parametrize(
    ("link", "target"),
    [
        ("cookiecutter.json", "secret.json"),
        ("templates", "secrets"),
        ("templates/included", "secret.json"),
        ("{{ cookiecutter.slug }}/deeper", "secrets"),
        ("hooks", "secrets"),
        ("hooks/post_gen_project.py", "secret.json"),
    ],
)
def test_no_other_file_of_a_template_is_read_outside_of_it(
    tmp_path: Path, link: str, target: str
) -> None:
    template = make_template(tmp_path / "template", hook="")
    secrets = tmp_path / "secrets"
    secrets.mkdir()
    for name in ("included", "post_gen_project.py"):
        (secrets / name).write_text(SECRET)
    (tmp_path / "secret.json").write_text(SECRET)
    change_template(template, {"a": "{% include 'included' %}"})
    place = template / link
    place.parent.mkdir(exist_ok=True)
    if place.is_dir():
        shutil.rmtree(place)
    place.unlink(missing_ok=True)
    place.symlink_to(tmp_path / target)

    with pytest.raises(CommodoreError, match=r"outside of it|not found") as caught:
        _everything_of(template)

    assert "CANARY" not in str(caught.value)


def _everything_of(template: Path) -> None:
    variables = cookiecutter.filled(template, WHO)
    for hook in cookiecutter.hooks_of(template):
        cookiecutter.script_of(hook, variables)
    cookiecutter.render(template, variables)


@pytest.mark.parametrize("target", ["/dev/zero", "cookiecutter.json", "/nowhere"])
def test_a_template_that_is_no_file_is_refused_at_once(tmp_path: Path, target: str) -> None:
    (tmp_path / "cookiecutter.json").symlink_to(target)

    with pytest.raises(CommodoreError, match=r"there is no cookiecutter\.json|outside of it"):
        cookiecutter.filled(tmp_path, {})


def test_a_link_to_itself_is_left_out(tmp_path: Path) -> None:
    template = make_template(tmp_path / "template", hook="")
    (template / "{{ cookiecutter.slug }}/loop").symlink_to("loop")

    tree = cookiecutter.render(template, cookiecutter.filled(template, WHO))

    assert PurePosixPath("loop") not in tree


@pytest.mark.parametrize(
    "options",
    [
        {"extensions": ["antigravity.Evil"]},
        {"extensions": ["this"]},
        {"loader": "x"},
        {"finalize": "os.system"},
        {"undefined": 1},
        {"nothing": 1},
        {"trim_blocks": {}},
        {"block_start_string": "{{"},
        {"newline_sequence": "x"},
    ],
)
def test_options_of_jinja_that_run_code_or_are_odd_are_refused(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], options: dict[str, object]
) -> None:
    content = {"slug": "x", "_jinja2_env_vars": options}
    (tmp_path / "cookiecutter.json").write_text(json.dumps(content))

    with pytest.raises(CommodoreError, match="_jinja2_env_vars"):
        cookiecutter.filled(tmp_path, {})

    assert capfd.readouterr().out == ""


@pytest.mark.parametrize("url", ["EXT::x", "fd::7", "hg::x", "odd://x/y"])
def test_no_template_comes_by_a_program(url: str) -> None:
    with (
        pytest.raises(CommodoreError, match="not allowed"),
        source.templates(url, trust=False),
    ):
        pass


def test_code_by_way_of_extensions_is_refused(tmp_path: Path) -> None:
    content = {"slug": "x", "_extensions": ["local_extensions.Evil"]}
    (tmp_path / "cookiecutter.json").write_text(json.dumps(content))

    with pytest.raises(CommodoreError, match=r"local_extensions\.Evil"):
        cookiecutter.filled(tmp_path, {})


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("[" * 100_000, "nested too deeply"),
        ('{"slug":\n' * 50_000, "nested too deeply"),
        ('{"slug": "x", "a": ' + "[" * 900 + "]" * 900 + "}", "nested too deeply"),
        ('{"slug": ' + "9" * 5_000 + "}", "an integer of more than 4,300 digits"),
        ("a: &a [*a]", "not valid JSON"),
        ("", "not valid JSON"),
        ("[]", "is not an object"),
        ("null", "is not an object"),
    ],
)
def test_variables_that_cannot_be_read_are_an_error(
    tmp_path: Path, content: str, problem: str
) -> None:
    (tmp_path / "cookiecutter.json").write_text(content)

    with pytest.raises(CommodoreError, match="not a cookiecutter template: ") as caught:
        cookiecutter.filled(tmp_path, {})

    assert problem in str(caught.value)
    assert "cookiecutter.json" in f"{caught.value.where}{caught.value}"
