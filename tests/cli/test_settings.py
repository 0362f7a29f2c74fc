"""Flags, variables, files and defaults: which one counts, and what is reported."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.servers.api import serve_api
from tests.support.tables import each

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.command_line import CommandLine


class Settings:
    """`commodore config show`, and the files it looks into."""

    def __init__(self, commodore: CommandLine, home: Path, folder: Path) -> None:
        self._commodore = commodore
        self.file = home / ".config" / "commodore" / "config.toml"
        self.dotenv = folder / ".env"

    def write(self, text: str) -> None:
        self.file.parent.mkdir(parents=True, exist_ok=True)
        self.file.write_text(text, "utf-8")

    def all(self, *words: str, **variables: str) -> dict[str, Any]:
        ran = self._commodore(*words, "config", "show", "-o", "json", **variables)
        assert ran.code == 0, ran.err
        content: dict[str, Any] = json.loads(ran.out)
        assert content["schema"] == "config/v1"
        return content

    def __call__(
        self, option: str, *words: str, command: str = "", **variables: str
    ) -> tuple[Any, str, str | None]:
        """Value, origin and place of one setting."""
        found = {
            one["command"]: (one["value"], one["origin"], one["place"])
            for one in self.all(*words, **variables)["settings"]
            if one["name"] == option
        }
        if found:  # what several commands share belongs to none
            return found.get(command) or found[""]
        return None, "default", None


@pytest.fixture
def settings(commodore: CommandLine, empty_home: Path, tmp_path: Path) -> Settings:
    return Settings(commodore, empty_home, tmp_path)


def test_flag_variable_dotenv_file_default(settings: Settings) -> None:
    name, variable = "request-timeout", "COMMODORE_REQUEST_TIMEOUT"
    assert settings(name) == (None, "default", None)

    settings.write("# mine\nrequest-timeout = 6\n")
    assert settings(name) == (6, "file", str(settings.file))

    settings.dotenv.write_text(f"{variable}=7\n")
    assert settings(name) == (7, "dotenv", f"{variable} in {settings.dotenv}")

    assert settings(name, **{variable: "8"}) == (8, "env", variable)

    assert settings(name, "--request-timeout", "9", **{variable: "8"}) == (9, "flag", None)


@each(
    ("command", "option", "variable", "given", "value"),
    [
        ("", "verbose", "COMMODORE_VERBOSE", "2", 2),
        ("", "working-dir", "COMMODORE_WORKING_DIR", "/srv", "/srv"),
        ("", "no-color", "NO_COLOR", "anything", True),
        ("", "no-color", "COMMODORE_NO_COLOR", "on", True),
        ("", "quiet", "COMMODORE_QUIET", "0", False),
        ("catalog", "verbose", "COMMODORE_CATALOG_VERBOSE", "1", 1),
        ("catalog list", "out", "COMMODORE_CATALOG_LIST_OUT", "id", "id"),
        ("catalog list", "api-url", "COMMODORE_API_URL", "./f", "./f"),
        ("catalog list", "api-url", "COMMODORE_CATALOG_LIST_API_URL", "./f", "./f"),
        ("catalog compile", "push", "COMMODORE_CATALOG_COMPILE_PUSH", "yes", True),
        ("catalog compile", "push", "COMMODORE_CATALOG_COMPILE_PUSH", "F", False),
        (
            *("catalog compile", "fetch-dependencies"),
            *("COMMODORE_CATALOG_COMPILE_FETCH_DEPENDENCIES", "off", False),
        ),
        (
            *("catalog compile", "dynamic-fact"),
            *("COMMODORE_CATALOG_COMPILE_DYNAMIC_FACT", "a=1  b=2", ["a=1", "b=2"]),
        ),
        (
            *("catalog compile", "migration"),
            *("COMMODORE_CATALOG_COMPILE_MIGRATION", "KAPITAN-0.29-to-0.30"),
            "kapitan-0.29-to-0.30",
        ),
        ("catalog compile", "git-author-name", "GIT_AUTHOR_NAME", "Ann", "Ann"),
        (
            *("catalog compile", "global-repo-revision-override"),
            *("GLOBAL_REPO_REVISION_OVERRIDE", "b", "b"),
        ),
        (
            *("component new", "copyright"),
            *("COMMODORE_COMPONENT_NEW_COPYRIGHT_HOLDER", "Ann", "Ann"),
        ),
        (
            *("component compile", "search-paths"),
            *("COMMODORE_COMPONENT_COMPILE_SEARCH_PATHS", f"/{os.pathsep}/etc", ["/", "/etc"]),
        ),
        ("inventory lint", "linter", "COMMODORE_INVENTORY_LINT_LINTER", "Packages", ["packages"]),
        (
            *("inventory show", "allow-missing-classes"),
            *("COMMODORE_INVENTORY_SHOW_ALLOW_MISSING_CLASSES", "n", False),
        ),
    ],
)
def test_every_kind_of_option_has_its_variable(  # noqa: PLR0917 - columns of the table
    settings: Settings, command: str, option: str, variable: str, given: str, value: object
) -> None:
    assert settings(option, command=command, **{variable: given}) == (value, "env", variable)


def test_a_name_of_its_own_goes_before_the_automatic_one(settings: Settings) -> None:
    both = {"COMMODORE_API_URL": "./own", "COMMODORE_CATALOG_LIST_API_URL": "./automatic"}

    found = settings("api-url", command="catalog list", **both)

    assert found == ("./own", "env", "COMMODORE_API_URL")


def test_tokens_are_never_shown(settings: Settings, commodore: CommandLine) -> None:
    settings.write(
        '[catalog.list]\napi-token = "abc-secret"\napi-url = "https://me:secret@example.com"\n'
    )
    token = {"COMMODORE_API_TOKEN": "env-secret", "COMMODORE_GITHUB_TOKEN": "gh-secret"}

    as_json = json.dumps(settings.all(**token))
    as_text = commodore("config", "show", **token).out

    assert "secret" not in as_json + as_text
    assert as_text.count("********") >= 2


def test_invalid_variables_are_shown_as_such(settings: Settings) -> None:
    name = "COMMODORE_CATALOG_COMPILE_PUSH"

    value, origin, place = settings("push", command="catalog compile", **{name: "perhaps"})

    assert value.startswith("not valid: 'perhaps' is not a valid boolean")
    assert (origin, place) == ("env", name)


def test_settings_for_people(commodore: CommandLine, settings: Settings) -> None:
    settings.write('working-dir = "w"\n[catalog.compile]\ndynamic-fact = ["a=1", "b=2"]\n')

    ran = commodore("config", "show", "catalog")

    assert (ran.code, ran.err) == (0, "")
    assert ran.out == (
        f"settings file: {settings.file}\n"
        ".env file: none\n"
        "\nevery command\n"
        f"  working-dir  w  {settings.file}\n"
        "\ncatalog compile\n"
        f"  dynamic-fact  a=1 b=2  {settings.file} [catalog.compile]\n"
    )


@pytest.mark.parametrize("words", ["catalog compile", "catalog.compile"])
def test_values_are_printed_as_they_are_written(
    commodore: CommandLine, settings: Settings, words: str
) -> None:
    settings.write(
        'cache-size = "1.5GiB"\n[time-limits]\ngit = 600\n'
        '[catalog.compile]\ndynamic-fact = ["a=b c"]\n'
        '[component.sync]\nfilter = "^a.*"\n'
    )

    ran = commodore("config", "show")
    some = commodore("config", "show", *words.split())

    assert f"  cache-size   1.5GiB   {settings.file}\n" in ran.out
    assert f"  time-limits  git=600  {settings.file}\n" in ran.out
    assert f"  dynamic-fact  'a=b c'  {settings.file} [catalog.compile]\n" in ran.out
    assert f"  filter  ^a.*  {settings.file} [component.sync]\n" in ran.out
    assert some.code == 0
    assert "catalog compile" in some.out
    assert "component sync" not in some.out


def test_defaults_are_not_listed(commodore: CommandLine) -> None:
    ran = commodore("config", "show")

    assert ran.code == 0
    assert ran.out.endswith("\nAll settings have their defaults.\n")


def test_what_commands_share_may_stand_at_the_top(
    commodore: CommandLine, settings: Settings, facts: str
) -> None:
    settings.write(f'api-url = "{facts}"\nstrict = true\n[catalog.compile]\nstrict = false\n')

    listed = commodore("catalog", "list", "--out", "id")

    assert (listed.code, listed.out) == (0, "c-demo-1\nc-demo-2\n")
    place = str(settings.file)
    for command in ("catalog list", "catalog compile", "inventory show", "login"):
        assert settings("api-url", command=command) == (facts, "file", place)
    assert settings("strict", command="catalog list")[0] is True
    assert settings("strict", command="catalog compile")[0] is False
    assert commodore("catalog", "list", "--out", "xml").code == 1
    assert commodore("catalog", "list", "--out", "id", COMMODORE_API_URL="./none").code == 1


def test_a_shared_setting_has_a_valid_value(commodore: CommandLine, settings: Settings) -> None:
    settings.write('api-url = 5\nstrict = "other"\n')

    ran = commodore("catalog", "compile", "c-one")

    assert ran.code == 1
    assert "error: api-url: expected a string, not 5" in ran.err
    assert "error: strict: expected true or false, not 'other'" in ran.err


def test_an_option_of_one_command_names_its_section(
    commodore: CommandLine, settings: Settings
) -> None:
    settings.write("interactive = true\n[catalog]\nsort-by = 'id'\n")

    ran = commodore("catalog", "clean")

    assert "it is an option of a command: put it into section [catalog.compile]" in ran.err
    assert "it is an option of a command: put it into section [catalog.list]" in ran.err


def test_settings_of_a_command_that_is_none(commodore: CommandLine) -> None:
    ran = commodore("config", "show", "catalog", "kompile")

    assert ran.code == 2
    assert "no command catalog kompile with settings" in ran.err


def test_the_settings_file_counts(commodore: CommandLine, settings: Settings, facts: str) -> None:
    settings.write(f'[catalog.list]\napi-url = "{facts}"\nout = "id"\n')

    ran = commodore("catalog", "list")

    assert (ran.code, ran.out, ran.err) == (0, "c-demo-1\nc-demo-2\n", "")


def test_every_mistake_in_the_settings_file_is_reported(
    commodore: CommandLine, settings: Settings
) -> None:
    settings.write(
        "working-dirr = 'x'\n"
        "request-timeout = 'long'\n"
        "[catalog.compile]\n"
        "push = 'yes'\n"
        "dynamic-fact = 'a=1'\n"
        "migration = 'none'\n"
        "no-force = true\n"
        "api-url = true\n"
        "[catalgo]\n"
        "[version]\n"
        "processes = 1\n"
    )

    ran = commodore("catalog", "clean")

    assert ran.code == 1
    for message in (
        "unknown setting working-dirr in the top level",
        "request-timeout: expected an integer, not 'long'",
        "catalog.compile.push: expected true or false, not 'yes'",
        "catalog.compile.dynamic-fact: expected a list of strings, not 'a=1'",
        "catalog.compile.migration: 'none' is not one of 'kapitan-0.29-to-0.30'",
        "unknown setting no-force in [catalog.compile]",
        "catalog.compile.api-url: expected a string, not true",
        "unknown section catalgo in the top level",
        "unknown setting processes in [version]",
    ):
        assert f"error: {message}" in ran.err
    assert "hint: did you mean working-dir?" in ran.err
    assert "hint: did you mean catalog?" in ran.err
    assert ran.err.endswith(f"error: settings in {settings.file}: 9 problems\n")


@each(
    ("text", "message"),
    [
        (b"a = \n", "error: not valid TOML: "),
        (b"a = '\xff'\n", "error: the settings file is not valid UTF-8"),
        (b"a = " + b"[" * 100_000, "error: nested too deeply"),
        (b"\n\na = " + b"9" * 5_000, "error: not valid TOML: "),
        (b"[[catalog]]\na = 1\n", "error: unknown setting catalog in the top level"),
        (b"catalog = {compile = {push = 1}}\n", "push: expected true or false, not 1"),
        (b"[catalog.compile]\nprocesses = 99999999999999999999\n", "at most 64 bits"),
        (b"[catalog.compile]\nprocesses = 1025\n", "1025 is not in the range"),
        (b"request-timeout = 0x" + b"f" * 5_000 + b"\n", "at most 64 bits"),
        (b"request-timeout = 999999999999\n", "is more than a day"),
        (b'working-dir = "a\\u0000b"\n', "it contains a null character"),
        (b'cache-size = "' + b"9" * 400 + b'"\n', "is larger than any file system"),
        (b"quiet = [[[0x" + b"f" * 5_000 + b"]]]\n", "not a value that is too large"),
    ],
)
def test_a_settings_file_that_cannot_be_read(
    commodore: CommandLine, settings: Settings, text: bytes, message: str
) -> None:
    settings.write("")
    settings.file.write_bytes(text)

    ran = commodore("catalog", "clean")

    assert ran.code == 1
    assert message in ran.err
    assert f"\n  {settings.file}" in ran.err


def test_help_comes_in_spite_of_broken_settings(commodore: CommandLine, settings: Settings) -> None:
    settings.write("nonsense")

    assert commodore("catalog", "list", "--help").code == 0
    assert commodore("--version").code == 0


def test_every_command_may_have_a_section(commodore: CommandLine, settings: Settings) -> None:
    commands = {one["command"] for one in settings.all()["settings"]} - {"", "version"}
    lines = [f"[{command.replace(' ', '.')}]" for command in sorted(commands)]
    settings.write("\n".join([*lines, "[version]", 'output = "json"']))

    assert settings("output", command="version")[:2] == ("json", "file")
    assert commodore("--version").code == 0
    assert commodore("catalog", "clean").code == 0


def test_the_settings_file_may_lie_elsewhere(commodore: CommandLine, tmp_path: Path) -> None:
    file = tmp_path / "xdg" / "commodore" / "config.toml"
    file.parent.mkdir(parents=True)
    file.write_text("verbose = 1")

    ran = commodore("config", "show", "-o", "json", XDG_CONFIG_HOME=str(tmp_path / "xdg"))

    assert json.loads(ran.out)["file"] == str(file)


def test_the_nearest_dotenv_upwards_is_taken(
    commodore: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, facts: str
) -> None:
    (tmp_path / ".env").write_text(f"FACTS={facts}\nCOMMODORE_API_URL=${{FACTS}}\n")
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    monkeypatch.chdir(below)

    ran = commodore("catalog", "list", COMMODORE_CATALOG_LIST_OUT="id")

    assert (ran.code, ran.out, ran.err) == (0, "c-demo-1\nc-demo-2\n", "")


@pytest.mark.parametrize(
    ("name", "value", "found"),
    [
        ("COMMODORE_API_URL", "./facts", "{top}/facts"),
        ("COMMODORE_API_URL", "../facts", "{above}/facts"),
        ("COMMODORE_API_URL", ".", "{top}"),
        ("COMMODORE_API_URL", "/facts", "/facts"),
        ("COMMODORE_API_URL", "https://example.com/", "https://example.com/"),
        ("COMMODORE_API_URL", "example.com", "example.com"),
        ("COMMODORE_WORKING_DIR", "work", "{top}/work"),
        ("COMMODORE_WORKING_DIR", "./work", "{top}/work"),
    ],
)
@pytest.mark.parametrize("below", [False, True])
def test_paths_in_a_dotenv_start_at_its_folder(  # noqa: PLR0917 - columns of the table
    settings: Settings,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    value: str,
    found: str,
    *,
    below: bool,
) -> None:
    settings.dotenv.write_text(f"{name}={value}\n")
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path / "below" if below else tmp_path)
    option, command = {
        "COMMODORE_API_URL": ("api-url", "catalog list"),
        "COMMODORE_WORKING_DIR": ("working-dir", ""),
    }[name]

    shown = settings(option, command=command)[0]

    wanted = found.format(top=tmp_path, above=tmp_path.parent) if below else value
    assert shown == wanted.removeprefix("./") if option.endswith("-dir") else shown == wanted


def test_other_variables_of_a_dotenv_are_as_they_are(
    commodore: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, facts: str
) -> None:
    (tmp_path / ".env").write_text(f"GIT_SSH_COMMAND=./ssh\nCOMMODORE_API_URL={facts}\n")
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path / "below")

    assert commodore("catalog", "list").code == 0


@pytest.mark.parametrize("words", ["catalog list", "catalog compile c-none"])
def test_an_error_about_the_api_names_where_its_url_is_set(
    commodore: CommandLine, tmp_path: Path, settings: Settings, words: str
) -> None:
    by_flag = commodore(*words.split(), "--api-url", "./none")
    by_variable = commodore(*words.split(), COMMODORE_API_URL="./none")
    settings.write('api-url = "./none"\n')
    by_file = commodore(*words.split())
    settings.dotenv.write_text("COMMODORE_API_URL=./none\n")
    by_dotenv = commodore(*words.split())

    for ran in (by_flag, by_variable, by_file, by_dotenv):
        assert ran.code == 1
        assert "error: no such folder\n  none\n" in ran.err
    said, folder = "  the API URL is that of ", f": {tmp_path}/none\n"
    assert said not in by_flag.err
    assert f"{said}COMMODORE_API_URL{folder}" in by_variable.err
    assert f"{said}{settings.file}{folder}" in by_file.err
    assert f"{said}COMMODORE_API_URL in {tmp_path}/.env{folder}" in by_dotenv.err


def test_the_dotenv_of_the_working_directory_does_not_count(
    settings: Settings, tmp_path: Path
) -> None:
    (tmp_path / "w").mkdir()
    (tmp_path / "w" / ".env").write_text("COMMODORE_QUIET=1\n")

    content = settings.all("-d", "w")

    assert content["dotenv"] is None


def test_unreadable_lines_are_skipped(commodore: CommandLine, tmp_path: Path, facts: str) -> None:
    (tmp_path / ".env").write_text(f"COMMODORE_API_URL={facts}\n= nonsense =\n")

    ran = commodore("catalog", "list")

    assert ran.code == 0
    assert ran.err == ("warning: ignoring this line: expected NAME=VALUE\n  .env:2\n")


def test_a_dotenv_that_is_not_text_is_skipped(commodore: CommandLine, tmp_path: Path) -> None:
    (tmp_path / ".env").write_bytes(b"A=\xff\n")

    ran = commodore("catalog", "clean")

    assert ran.code == 0
    assert "warning: ignoring the .env file, which cannot be read: not valid UTF-8" in ran.err


def test_dotenv_can_be_switched_off(settings: Settings) -> None:
    settings.dotenv.write_text("COMMODORE_QUIET=1\n")

    found = settings("quiet", PYTHON_DOTENV_DISABLED="1")

    assert found == (None, "default", None)


def test_dotenv_may_be_a_pipe(settings: Settings) -> None:
    import threading  # only here

    os.mkfifo(settings.dotenv)
    writer = threading.Thread(target=settings.dotenv.write_text, args=("COMMODORE_QUIET=1\n",))
    writer.start()

    found = settings("quiet")

    writer.join()
    assert found[:2] == (True, "dotenv")


def test_managed_tools_come_first_wherever_dotenv_points(
    commodore: CommandLine, tmp_path: Path, empty_home: Path
) -> None:
    (tmp_path / ".env").write_text("XDG_CACHE_HOME=/elsewhere\n")
    tools = empty_home / ".cache" / "commodore" / "tools"
    tools.mkdir(parents=True)
    for name in ("helm", "jb", "kustomize"):
        (tools / name).write_text(f"#!/bin/sh\necho managed {name}\n")
        (tools / name).chmod(0o755)

    ran = commodore("version")

    assert ran.code == 0
    assert f"helm: {tools}/helm, version: managed helm\n" in ran.out


def test_a_folder_that_was_removed(
    commodore: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    removed = tmp_path / "gone"
    removed.mkdir()
    monkeypatch.chdir(removed)
    removed.rmdir()

    ran = commodore("catalog", "clean")

    assert ran.code == 1
    assert "error: the current directory does not exist any more" in ran.err


@pytest.mark.parametrize(
    ("content", "name"),
    [("A=a\0b\nCOMMODORE_VERBOSE=1\n", "'A'"), ("'A=B'=1\n", "'A=B'")],
)
def test_a_variable_of_the_dotenv_file_that_the_system_refuses_is_ignored(
    settings: Settings, commodore: CommandLine, content: str, name: str
) -> None:
    settings.dotenv.write_text(content)

    ran = commodore("config", "show")

    assert ran.code == 0
    assert f"ignoring {name}: the system does not take such a name or value" in ran.err
    assert settings.dotenv.name in ran.err


def test_a_dotenv_file_whose_references_multiply_is_ignored(
    settings: Settings, commodore: CommandLine
) -> None:
    lines = [f"X{n + 1}={f'${{X{n}}}' * 100}" for n in range(10)]
    settings.dotenv.write_text("X0=x\nCOMMODORE_QUIET=true\n" + "\n".join(lines))

    ran = commodore("config", "show")

    assert ran.code == 0
    assert "references in it add up to more than 1,048,576 characters" in ran.err


PROGRAMS = [
    *("GIT_SSH_COMMAND", "GIT_SSH", "GIT_ASKPASS", "SSH_ASKPASS", "GIT_CONFIG_GLOBAL", "GIT_DIR"),
    *("GIT_EXTERNAL_DIFF", "GIT_PROXY_COMMAND", "GIT_TRACE", "LD_PRELOAD", "PYTHONSTARTUP"),
    *("DYLD_INSERT_LIBRARIES", "BASH_ENV", "XDG_CONFIG_HOME", "KAPITAN_HELM_PATH", "BROWSER"),
    *("PAGER", "GIT_PAGER", "EDITOR", "DOCKER_CONFIG", "HELM_PLUGINS", "COMMODORE_PASS_ENV"),
    *("REQUESTS_CA_BUNDLE", "SSL_CERT_FILE", "CURL_CA_BUNDLE", "SSLKEYLOGFILE", "OPENSSL_CONF"),
    *(
        "XDG_CACHE_HOME",
        "XDG_DATA_HOME",
        "NETRC",
        "COMMODORE_TOOL_MIRROR",
        "COMMODORE_GITHUB_URL",
        "KUSTOMIZE_PLUGIN_HOME",
        "VAULT_ADDR",
        "VAULT_CACERT",
    ),
]


@each("name", PROGRAMS)
def test_a_dotenv_names_no_programs(
    commodore: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.delenv(name, raising=False)
    (tmp_path / ".env").write_text(f"{name}={tmp_path}/evil\nCOMMODORE_QUIET=0\n")

    ran = commodore("catalog", "clean")

    assert ran.code == 0
    assert f"warning: ignoring {name}: a .env file must not decide which programs run" in ran.err
    assert "\n  .env\n" in ran.err
    assert os.environ.get(name) != f"{tmp_path}/evil"


@pytest.mark.parametrize(("token", "is_set"), [("", True), ("of-the-user", False)])
def test_dotenv_names_the_vault_of_its_own_token(
    commodore: CommandLine,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    token: str,
    *,
    is_set: bool,
) -> None:
    monkeypatch.delenv("VAULT_ADDR", raising=False)
    monkeypatch.setenv("VAULT_TOKEN", token) if token else monkeypatch.delenv("VAULT_TOKEN", False)
    (tmp_path / ".env").write_text("VAULT_ADDR=https://vault.example.com\nVAULT_TOKEN=mine\n")

    ran = commodore("catalog", "clean")

    assert ("ignoring VAULT_ADDR" in ran.err) is not is_set


@pytest.mark.parametrize("name", ["GIT_AUTHOR_NAME", "GIT_COMMITTER_EMAIL", "HTTPS_PROXY", "MINE"])
def test_a_dotenv_sets_other_variables(
    commodore: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.delenv(name, raising=False)
    (tmp_path / ".env").write_text(f"{name}=value\n")

    ran = commodore("catalog", "clean")

    assert (ran.code, ran.err.count("warning")) == (0, 0)


REDIRECTED = "the API that this file names gets a token that is not from this file"


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("words", ["catalog compile c-x", "catalog list"])
def test_a_token_for_the_api_of_a_dotenv(
    commodore: CommandLine, tmp_path: Path, words: str, *, strict: bool
) -> None:
    (tmp_path / ".env").write_text("COMMODORE_API_URL=http://127.0.0.1:9\n")

    ran = commodore(*words.split(), *["--strict"] * strict, COMMODORE_API_TOKEN="token")

    assert ran.code == 1
    assert f"{'error' if strict else 'warning'}: {REDIRECTED}\n  .env" in ran.err
    assert ("127.0.0.1:9" in ran.err) is not strict


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("COMMODORE_API_URL=http://127.0.0.1:9\nCOMMODORE_API_TOKEN=mine\n", ()),
        ("COMMODORE_API_URL=http://127.0.0.1:9\n", ("--api-url", "http://127.0.0.1:9")),
        ("COMMODORE_API_TOKEN=mine\n", ("--api-url", "http://127.0.0.1:9")),
    ],
)
def test_a_token_that_goes_where_it_belongs(
    commodore: CommandLine, tmp_path: Path, text: str, words: tuple[str, ...]
) -> None:
    (tmp_path / ".env").write_text(text)
    token = {} if "TOKEN" in text else {"COMMODORE_API_TOKEN": "token"}

    ran = commodore("catalog", "compile", "c-x", "--strict", *words, **token)

    assert REDIRECTED not in ran.err


def test_doctor_sends_no_token_to_the_api_of_a_dotenv(
    commodore: CommandLine, tmp_path: Path
) -> None:
    with serve_api() as api:
        (tmp_path / ".env").write_text(f"COMMODORE_API_URL={api.url}\n")

        ran = commodore("doctor", COMMODORE_API_TOKEN="the-token")

    assert f"warning: {REDIRECTED}" in ran.err
    assert [one for one in api.received if one.token is not None] == []


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[time-limits]\nnobody = 1\n", "'nobody' is not a time limit"),
        ("[time-limits]\ngit = 'long'\n", "git: expected a number of seconds, not 'long'"),
        ("[time-limits]\ngit = -1\n", "git: expected a number of seconds, not -1"),
        ("time-limits = 5\n", "expected a table of seconds"),
        ("oidc-listen = 5\n", "expected a string, not 5"),
    ],
)
def test_invalid_global_settings(
    commodore: CommandLine, settings: Settings, text: str, problem: str
) -> None:
    settings.write(text)

    ran = commodore("catalog", "clean")

    assert ran.code == 1
    assert problem in ran.err
    assert f"  {settings.file}\n" in ran.err
