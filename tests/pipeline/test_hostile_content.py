"""What content brings runs nothing, swallows nothing, and removes nothing of the user."""

from __future__ import annotations

import os
import shutil
import threading
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from commodore_py.adapters.git import safe
from commodore_py.adapters.git.program import git_bytes
from commodore_py.errors import CommodoreError
from commodore_py.pipeline import compile_catalog
from tests.support.builders import errors_in, git, make_repository, url_of
from tests.support.fleet import CLUSTER, Fleet, configmap_component, make_fleet

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from commodore_py.model.published import Published

pytestmark = pytest.mark.sample(6)

MANIFEST = "apiVersion: v1\nkind: X\nmetadata:\n  name: x\n"


def push(fleet: Fleet, **changes: Any) -> Published:  # noqa: ANN401 - Config checks them by name
    return compile_catalog(fleet.config(push=True, **changes), CLUSTER, approve=lambda _: True)


def refused(fleet: Fleet, **changes: Any) -> CommodoreError:  # noqa: ANN401 - as above
    with pytest.raises(CommodoreError) as caught:
        push(fleet, **changes)
    return caught.value


def kapitan(*entries: dict[str, Any], dependencies: tuple[dict[str, Any], ...] = ()) -> str:
    """The class of a component with these entries."""
    content = {"compile": list(entries), "dependencies": list(dependencies)}
    return yaml.safe_dump({"parameters": {"kapitan": content}})


def jsonnet(name: str = "main") -> dict[str, Any]:
    path = f"${{_base_directory}}/component/{name}.jsonnet"
    return {"input_paths": [path], "input_type": "jsonnet", "output_path": "${_instance}"}


def copies(*paths: str, to: str = "${_instance}") -> dict[str, Any]:
    return {"input_paths": list(paths), "input_type": "copy", "output_path": to}


@pytest.fixture
def program(tmp_path: Path) -> Iterator[Path]:
    """A program that must not run."""
    file, ran = tmp_path / "evil-program", tmp_path / "ran"
    file.write_text(f"#!/bin/sh\necho $0 $* >> {ran}\nexit 0\n")
    file.chmod(0o755)
    yield file
    assert not ran.exists(), ran.read_text()


def with_settings(folder: Path, program: Path) -> None:
    """A Git folder whose settings name a program wherever Git knows one."""
    git(folder, "init", "--quiet", ".")
    for key in (
        *("core.fsmonitor", "core.pager", "core.editor", "core.sshCommand", "diff.external"),
        *("filter.evil.clean", "filter.evil.smudge", "filter.evil.process", "diff.evil.textconv"),
        *("diff.evil.command", "merge.evil.driver", "gpg.program", "core.alternateRefsCommand"),
        *("uploadpack.packObjectsHook", "credential.helper", "sequence.editor"),
    ):
        git(folder, "config", key, str(program))
    hooks = folder / ".git/hooks"
    hooks.mkdir(exist_ok=True)
    for name in ("post-checkout", "pre-commit", "post-index-change", "reference-transaction"):
        shutil.copy(program, hooks / name)
    (folder / ".gitattributes").write_text("* filter=evil diff=evil merge=evil\n")
    (folder / "x.yaml").write_text("a: 1\n")


def test_git_folder_in_download_is_not_copied(tmp_path: Path, program: Path) -> None:
    source = make_repository(tmp_path / "repos/lib.git", {"manifest.yaml": MANIFEST})
    download = {
        "type": "git",
        "source": url_of(source),
        "ref": "master",
        "output_path": "dependencies/web/lib-checkout",
    }
    entry = copies("dependencies/web/lib-checkout")
    fleet = make_fleet(tmp_path, web={"class/web.yml": kapitan(entry, dependencies=(download,))})

    first = push(fleet)
    files = fleet.catalog_files()
    clone = fleet.work / "dependencies/web/lib-checkout"
    with_settings(clone, program)
    (clone / "deeper").mkdir()
    with_settings(clone / "deeper", program)
    (clone / "GIT~1").mkdir()
    (clone / "GIT~1/config").write_text("CANARY")
    second = push(fleet, local=True, force=True)
    error = refused(fleet, local=True, strict=True)

    assert files["manifests/web/manifest.yaml"] == MANIFEST.rstrip()
    assert [one.message.split(" is ")[0] for one in first.notices] == ["'web/.git'"]
    assert first.notices[0].where == "instance web: dependencies/web/lib-checkout"
    notices = (one for one in second.notices if one.code == "files/git-folder")
    left_out = {one.message.split(" is ")[0] for one in notices}
    assert left_out == {"'web/.git'", "'web/GIT~1'", "'web/deeper/.git'"}
    assert "Git's own files are not copied" in "\n".join(map(str, errors_in(error)))
    compiled = fleet.work / "compiled/web/web"
    now = {str(path.relative_to(compiled)) for path in compiled.rglob("*")}
    assert now == {
        "manifest.yaml",
        ".gitattributes",
        "x.yaml",
        "deeper",
        "deeper/.gitattributes",
        "deeper/x.yaml",
    }


def test_copied_repository_without_git_folder_is_accepted(tmp_path: Path) -> None:
    source = make_repository(tmp_path / "repos/lib.git", {"manifest.yaml": MANIFEST})
    download = {
        "type": "git",
        "source": url_of(source),
        "output_path": "dependencies/web/lib-checkout",
    }
    entries = [copies("dependencies/web/lib-checkout")]
    for path in (".git", ".git/hooks", ".git/*"):
        inputs = [f"compiled/web/web/{path}"]
        entries.append({"input_type": "remove", "input_paths": inputs, "output_path": "."})
    fleet = make_fleet(tmp_path, web={"class/web.yml": kapitan(*entries, dependencies=(download,))})

    published = push(fleet, strict=True)

    assert published.notices == ()
    assert fleet.catalog_files()["manifests/web/manifest.yaml"] == MANIFEST.rstrip()


@pytest.mark.parametrize("source", ["clone", "checkout"])
def test_helm_reads_clone_without_git_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str
) -> None:
    files = {"Chart.yaml": "apiVersion: v2\nname: own\nversion: 0.1.0\n", "more.txt": "more"}
    lib = make_repository(tmp_path / "repos/lib.git", files)
    download = {"type": "git", "source": url_of(lib), "output_path": "dependencies/web/chart"}
    helm = tmp_path / "bin/helm3"
    helm.parent.mkdir()
    helm.write_text(
        "#!/bin/sh\nfor one; do test -f $one/Chart.yaml && cd $one; done\n"
        "files=$(find . -type f | sort | tr '\\n' ' ')\n"
        "printf -- '---\\n# Source: own/x.yaml\\napiVersion: v1\\nkind: X\\n'\n"
        "printf -- 'metadata: {name: x}\\nfiles: %s\\n' \"$files\"\n"
    )
    helm.chmod(0o755)
    monkeypatch.setenv("PATH", f"{helm.parent}:{os.environ['PATH']}")
    entry = {
        "input_type": "helm",
        "input_paths": ["dependencies/web/chart" if source == "clone" else "dependencies/web"],
        "output_path": "${_instance}",
        "helm_path": "helm3",
        "helm_params": {"name": "web", "output_file": "x.yaml"},
    }
    dependencies = (download,) if source == "clone" else ()
    more = {} if source == "clone" else files
    fleet = make_fleet(
        tmp_path, web={"class/web.yml": kapitan(entry, dependencies=dependencies), **more}
    )

    push(fleet, strict=True)
    if source == "checkout":  # as somebody may have it who works at the component
        place = fleet.work / "dependencies/web"
        (place / ".git").unlink()
        git(place, "init", "--quiet")
        git(place, "add", "--all")
        compile_catalog(fleet.config(local=True, strict=True), CLUSTER, approve=lambda _: False)

    content = (fleet.work / "compiled/web/web/x.yaml").read_text()
    assert "./more.txt" in content
    assert "./.git/" not in content


def test_distant_local_repository_fails_when_strict(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, caplog: pytest.LogCaptureFixture
) -> None:
    source = make_repository(tmp_path_factory.mktemp("distant") / "lib.git", {"a": "1"})
    entry = {
        "type": "git",
        "source": url_of(source),
        "output_path": "dependencies/web/vendored",
    }
    fleet = make_fleet(tmp_path, web={"class/web.yml": kapitan(jsonnet(), dependencies=(entry,))})

    push(fleet)
    error = refused(fleet, strict=True)

    assert "a local repository that is not beside one of a dependency is downloaded" in caplog.text
    assert "a local repository that is not beside one of a dependency is downloaded" in str(error)


@pytest.mark.parametrize("allowed", ["ext:fd:file", "ext", "fd:file:http"])
def test_unsafe_transports_stay_forbidden(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, allowed: str
) -> None:
    monkeypatch.setenv("GIT_ALLOW_PROTOCOL", allowed)

    with pytest.raises(CommodoreError, match="not allowed"):
        git_bytes(tmp_path, "ls-remote", "ext::sh -c touch% ran")

    assert not (tmp_path / "ran").exists()


SETTINGS = [
    {"filter.evil.smudge": "PROGRAM", "filter.evil.clean": "PROGRAM"},
    {"filter.evil.process": "PROGRAM", "filter.evil.required": "true"},
    {"filter.lfs.smudge": "PROGRAM", "filter.lfs.process": "PROGRAM", "filter.lfs.required": "1"},
    {"diff.evil.textconv": "PROGRAM", "diff.evil.command": "PROGRAM"},
    {"diff.external": "PROGRAM"},
    {"core.fsmonitor": "PROGRAM"},
    {"core.hooksPath": "HOOKS"},
    {"init.templateDir": "TEMPLATE"},
]


@pytest.mark.parametrize("settings", SETTINGS, ids=lambda one: next(iter(one)))
@pytest.mark.parametrize("included", [False, True])
def test_git_runs_no_program_of_settings_on_content(
    tmp_path: Path,
    program: Path,
    monkeypatch: pytest.MonkeyPatch,
    settings: dict[str, str],
    *,
    included: bool,
) -> None:
    attributes = "* filter=evil filter=lfs diff=evil\n"
    files = {".gitattributes": attributes, "a.txt": "content\n"}
    source = make_repository(tmp_path / "r.git", files)
    hooks = tmp_path / "template/hooks"
    hooks.mkdir(parents=True)
    for name in ("post-checkout", "pre-commit", "post-index-change", "reference-transaction"):
        shutil.copy(program, hooks / name)
    file = tmp_path / "settings"
    words = {"PROGRAM": program, "HOOKS": hooks, "TEMPLATE": hooks.parent}
    for key, value in settings.items():
        git(tmp_path, "config", "--file", str(file), key, str(words.get(value, value)))
    if included:
        outer = tmp_path / "outer"
        git(tmp_path, "config", "--file", str(outer), "include.path", str(file))
        file = outer
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(file))
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", str(program))

    clone = tmp_path / "clone"
    git_bytes(tmp_path, "clone", "--quiet", str(source), str(clone))
    before = (clone / "a.txt").read_text()
    (clone / "a.txt").write_text("changed\n")
    for words_ in (
        ("status",),
        ("diff",),
        ("diff", "--cached", "HEAD"),
        ("log", "-p", "-1"),
        ("show", "HEAD"),
        ("add", "--all"),
        ("-c", "user.name=x", "-c", "user.email=x", "commit", "-q", "-m", "x"),
        ("checkout", "--quiet", "HEAD~1"),
        ("reset", "--quiet", "--hard"),
    ):
        git_bytes(clone, *words_)

    assert before == "content\n"


def test_user_settings_for_git_remotes_apply(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = make_repository(tmp_path / "real.git", {"a": "1"})
    file = tmp_path / "settings"
    git(
        tmp_path,
        "config",
        "--file",
        str(file),
        f"url.{repository}.insteadOf",
        "https://git.example",
    )
    git(tmp_path, "config", "--file", str(file), "credential.helper", "store")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(file))
    monkeypatch.setenv("GIT_CONFIG_COUNT", "2")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "http.proxy")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "http://proxy.example")
    monkeypatch.setenv("GIT_CONFIG_KEY_1", "core.sshCommand")
    monkeypatch.setenv("GIT_CONFIG_VALUE_1", "my-ssh")

    found = {key: git_bytes(tmp_path, "config", key).decode().strip() for key in KEPT}

    assert found == KEPT
    assert git_bytes(tmp_path, "ls-remote", "https://git.example", "HEAD")
    assert "GIT_SSH_COMMAND" not in safe.environment()


KEPT = {
    "http.proxy": "http://proxy.example",
    "core.sshCommand": "my-ssh",
    "credential.helper": "store",
}


def test_working_directory_removed_during_run_is_an_error(tmp_path: Path) -> None:
    fleet = make_fleet(tmp_path, web={})
    push(fleet)
    fleet.change_data()

    def approve(_: object) -> bool:
        shutil.rmtree(fleet.work)
        return True

    with pytest.raises(CommodoreError, match="the working directory was removed during the run"):
        compile_catalog(fleet.config(push=True), CLUSTER, approve)


def test_edits_during_run_are_not_pushed(tmp_path: Path) -> None:
    fleet = make_fleet(tmp_path, web={}, app={})
    push(fleet)
    fleet.change_data()
    stop = threading.Event()
    manifests = fleet.work / "catalog/manifests"

    def edit() -> None:
        while not stop.is_set():
            for file in list(manifests.rglob("*.yaml")):
                try:
                    file.write_text("edited: true\n")
                except OSError:
                    continue
            try:
                (manifests / "mine.yaml").write_text("mine: true\n")
            except OSError:
                continue

    def approve(_: object) -> bool:
        writer.start()
        return True

    writer = threading.Thread(target=edit)
    try:
        compile_catalog(fleet.config(push=True), CLUSTER, approve)
    finally:
        stop.set()
        writer.join()

    pushed = fleet.catalog_files()
    assert pushed.keys() == {"manifests/web/out.yaml"}
    assert "edited" not in pushed["manifests/web/out.yaml"]
    assert "new" in pushed["manifests/web/out.yaml"]


TEMPLATES = [
    "{{ ''.__class__.__mro__[1].__subclasses__() }}",
    "{{ cycler.__init__.__globals__.os.popen('touch ran').read() }}",
    "{{ lipsum.__globals__.os.system('touch ran') }}",
    "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
    "{{ 1 / 0 }}",
    "{{ ('x' * 40) | regex_search('(x+x+)+y') }}",
    "{{ 'a'|center(2000000000)|length }}",
]


@pytest.mark.parametrize("template", TEMPLATES)
@pytest.mark.parametrize("door", ["native", "input"])
def test_templates_of_components_are_confined(
    tmp_path: Path, template: str, door: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("commodore_py.adapters.jinja._MOST_SECONDS", 1)
    monkeypatch.chdir(tmp_path)

    error = refused(with_template(tmp_path, template, door))

    assert "x.j2" in f"{error} {error.where}"
    assert not list(tmp_path.rglob("ran"))


def with_template(tmp_path: Path, template: str, door: str) -> Fleet:
    main = (
        "local kap = import 'lib/kapitan.libjsonnet';"
        "{ out: { a: kap.jinja2_template('web/component/x.j2', {}) } }"
    )
    input_entry = {
        "input_type": "jinja2",
        "input_paths": ["${_base_directory}/component/x.j2"],
        "output_path": "${_instance}",
    }
    entry = jsonnet() if door == "native" else input_entry
    files = {
        **configmap_component("web"),
        "component/main.jsonnet": main,
        "component/x.j2": f"first\n{template}\n",
        "class/web.yml": kapitan(entry),
    }
    return make_fleet(tmp_path, web=files)
