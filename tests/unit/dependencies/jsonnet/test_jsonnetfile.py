"""Lists of Jsonnet libraries, as people and programs write them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from commodore_py.dependencies.jsonnet.jsonnetfile import (
    GitSource,
    JsonnetFile,
    LocalSource,
    format_jsonnetfile,
    parse_jsonnetfile,
)
from commodore_py.dependencies.jsonnet.remote import parse_remote
from commodore_py.errors import CommodoreError
from tests.support.builders import errors_in
from tests.support.tables import each

HTTPS, SSH = "https://git.example.com/", "ssh://git@git.example.com/"


def parsed(content: object) -> JsonnetFile:
    text = content if isinstance(content, str) else json.dumps(content)
    return parse_jsonnetfile(text.encode(), "some/jsonnetfile.json")


def refused(content: object) -> tuple[CommodoreError, ...]:
    with pytest.raises(CommodoreError) as caught:
        parsed(content)
    return errors_in(caught.value)


def git_entry(remote: object = f"{HTTPS}org/x", **more: Any) -> dict[str, Any]:  # noqa: ANN401 - as JSON has it
    return {"source": {"git": {"remote": remote, "subdir": ""}}, "version": "v1", **more}


@each(
    ("text", "url", "name"),
    [
        (f"{HTTPS}org/x", f"{HTTPS}org/x.git", "org/x"),
        (f"{HTTPS}org/x.git", f"{HTTPS}org/x.git", "org/x"),
        ("http://git.example.com/org/x.git", f"{HTTPS}org/x.git", "org/x"),
        ("git.example.com/org/x", f"{HTTPS}org/x.git", "org/x"),
        ("https://me:pw@git.example.com/org/x.git", f"{HTTPS}org/x.git", "org/x"),
        ("ssh://me@git.example.com/org/x.git", f"{HTTPS}org/x.git", "org/x"),
        (f"{SSH}org/x", f"{HTTPS}org/x.git", "org/x"),
        (f"{SSH}org/x.git", f"{SSH}org/x.git", "org/x"),
        (f"{SSH}a/b/c.git", f"{SSH}a/b/c.git", "a/b/c"),
        ("git@git.example.com:org/x.git", f"{SSH}org/x.git", "org/x"),
        ("git@git.example.com:a/b/c.git", f"{SSH}a/b/c.git", "a/b/c"),
        ("git@git.example.com:2222/x.git", f"{SSH}2222/x.git", "2222/x"),
        (f"{HTTPS}a/b/c.git", f"{HTTPS}a/b/c.git", "a/b/c"),
        (f"{HTTPS}a/b/c", f"{HTTPS}a/b.git", "a/b"),
        (f"{HTTPS}org/x/tree/master", f"{HTTPS}org/x.git", "org/x"),
        (f"{HTTPS}org/x@v2", f"{HTTPS}org/x.git", "org/x"),
        (f"{HTTPS}org/x.git?y=1", f"{HTTPS}org/x.git", "org/x"),
        (f"{HTTPS}org/x.github", f"{HTTPS}org/x.git", "org/x"),
        (f"{HTTPS}org/x.y", f"{HTTPS}org/x.y.git", "org/x.y"),
        (f"{HTTPS}org/x.git.git", f"{HTTPS}org/x.git.git", "org/x"),
        (f"{HTTPS}~o-r_g.z/x", f"{HTTPS}~o-r_g.z/x.git", "~o-r_g.z/x"),
        ("/srv/git.example.com/org/x.git", f"{HTTPS}org/x.git", "org/x"),
    ],
)
def test_spellings_of_a_remote(text: str, url: str, name: str) -> None:
    remote = parse_remote(text)

    assert (remote.url, remote.name) == (url, f"git.example.com/{name}")


@each(
    ("text", "name"),
    [
        ("ssh://git@host/org/x.git", "host/org/x"),
        ("git@host:org/x.git", "host/org/x"),
        ("ssh://git@git.example.com:2222/org/x.git", "git.example.com:2222/org/x"),
        ("https://gitlab.a.example.com/org/x", "gitlab.a.example.com/org/x"),
        ("https://Git.Example.COM/org/x", "Git.Example.COM/org/x"),
    ],
)
def test_hosts_of_remotes(text: str, name: str) -> None:
    assert parse_remote(text).name == name


@each(
    "text",
    [
        "foo:bar",
        "file:///srv/git/repo.git",
        "https://git.example.com:8443/org/x.git",
        "https://host/org/x.git",
        "https://1.2.3.4/org/x.git",
        "https://x.com/org/x",
        "https://git.example.c0m/org/x",
        "git@git.example.com:org/x",
        "foo git@git.example.com:org/x.git",
        f"{HTTPS}/org/x",
        f"{HTTPS}o+g/x.git",
        f"{HTTPS}orgé/x.git",
    ],
)
def test_invalid_remotes(text: str) -> None:
    with pytest.raises(CommodoreError, match="not a Git remote"):
        parse_remote(text)


def test_a_refused_remote_is_reported_without_its_password() -> None:
    with pytest.raises(CommodoreError) as caught:
        parse_remote("https://me:secret@host/x")

    assert "secret" not in str(caught.value)


def test_all_of_version_1() -> None:
    entry = git_entry(single=True, name="short")
    entry["source"]["git"]["subdir"] = "lib/x"

    file = parsed({"version": 1, "dependencies": [entry], "legacyImports": False})

    (requirement,) = file.requirements
    assert isinstance(requirement.source, GitSource)
    assert requirement.source.name == "git.example.com/org/x/lib/x"
    assert (requirement.version, requirement.single, requirement.alias) == ("v1", True, "short")
    assert not file.legacy_imports


def test_version_0_names_everything_and_is_untidy() -> None:
    entry = git_entry(name="x")
    other = git_entry(name="other")
    entry["source"]["git"]["subdir"] = "/lib//x/"

    file = parsed({"dependencies": [entry, other]})

    first, second = file.requirements
    assert isinstance(first.source, GitSource)
    assert (first.source.subdir, first.alias, second.alias) == ("lib/x", "", "other")
    assert file.legacy_imports


@each("content", ["", "{}", {"version": 1}, {"version": 1, "dependencies": None}, {"version": 0}])
def test_nothing_is_wanted(content: object) -> None:
    assert parsed(content) == JsonnetFile()


def test_local_sources() -> None:
    (requirement,) = parsed(
        {"dependencies": [{"source": {"local": {"directory": "../other"}}}]}
    ).requirements

    assert requirement.source == LocalSource("../other")


@each(
    ("content", "message", "line"),
    [
        ("{", "Expecting property name", 1),
        (" ", "Expecting value", 1),
        ('{\n"version": 1,\n]', "Expecting property name", 3),
        ("[]", "it is not an object", 0),
        ({"version": 2}, "version 2", 0),
        ({"version": "1"}, "version 1", 0),
        ({"version": True}, "version True", 0),
        ({"dependencies": {}}, "dependencies is not a list", 0),
        ({"dependencies": [1]}, "a dependency is not an object", 1),
        ({"dependencies": [{}]}, "neither a Git remote nor a local directory", 1),
        ({"dependencies": [{"source": {"git": {}}}]}, "neither", 1),
        ({"dependencies": [git_entry(1)]}, "neither", 1),
        (
            {"dependencies": [git_entry(version=1)]},
            "the version of a dependency is not a string: 1",
            1,
        ),
        ("[" * 100_000, "nested too deeply", 1),
        ('{"a":\n' + "9" * 5_000 + "}", "an integer of more than 4,300 digits", 2),
    ],
)
def test_what_is_not_a_jsonnetfile(content: object, message: str, line: int) -> None:
    (error,) = refused(content)

    assert message in str(error)
    assert error.where == "some/jsonnetfile.json" + (f":{line}" if line else "")
    assert error.hint


def test_all_mistakes_are_reported_with_their_lines() -> None:
    entries = [git_entry("foo"), git_entry(), git_entry("https://host/x")]
    content = {"legacyImports": False, "dependencies": entries, "x": [{"dependencies": [1]}]}

    first, second = refused(json.dumps(content, indent=2))

    assert (first.where, second.where) == ("some/jsonnetfile.json:4", "some/jsonnetfile.json:22")


def test_lines_are_found_in_any_layout() -> None:
    entry = json.dumps(git_entry())
    text = '\n{"a": "\\"}",\n\t"dependencies" :\r\n[\n' + f"{entry} ,\n\n{entry}\n]\n,\n" + '"z":1}'

    file = parsed(text)

    assert [requirement.line for requirement in file.requirements] == [5, 7]


def test_bytes_that_are_not_text() -> None:
    with pytest.raises(CommodoreError, match="not a jsonnet-bundler file"):
        parse_jsonnetfile(b"\xff{}", "x")


def test_locks_are_written_as_go_does() -> None:
    content = format_jsonnetfile([{"source": "<&>é\u2028"}], legacy_imports=False)

    assert content.decode() == (
        '{\n  "version": 1,\n  "dependencies": [\n    {\n'
        '      "source": "\\u003c\\u0026\\u003eé\\u2028"\n    }\n  ],\n'
        '  "legacyImports": false\n}\n'
    )
