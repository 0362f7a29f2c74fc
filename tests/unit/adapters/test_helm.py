"""Which Helm renders a chart, and the error if none does."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from commodore_py.adapters.helm import Helm, HelmFailed, find_helm

Program = Callable[[str, str], Path]


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Program:
    """Makes programs in folders; PATH has `bin` and `/bin` only."""
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:/bin")
    monkeypatch.delenv("KAPITAN_HELM_PATH", raising=False)

    def make(name: str, script: str) -> Path:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
        return path

    return make


def test_helm_is_found_in_entry_then_environment_then_path(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_path, named, wanted = (program(name, "") for name in ("bin/helm", "named/h", "wanted/h"))

    assert find_helm(None) == Helm(str(in_path))
    monkeypatch.setenv("KAPITAN_HELM_PATH", str(named))
    assert find_helm(None) == Helm(str(named))
    assert find_helm(str(wanted)) == Helm(str(wanted), of_content=True)


def test_missing_helm_program_is_an_error(program: Program) -> None:
    program("bin/helm", "")

    with pytest.raises(HelmFailed, match="/nowhere/helm is not a helm program"):
        find_helm("/nowhere/helm")


def test_helm_version_is_read_once(program: Program, tmp_path: Path) -> None:
    helm = Helm(str(program("bin/helm", f"echo x >> {tmp_path}/asked; echo v3.1.4")))

    assert [helm.version(), Helm(helm.path).version()] == ["v3.1.4", "v3.1.4"]
    assert (tmp_path / "asked").read_text() == "x\n"


def test_helm_error_output_is_error_message(program: Program) -> None:
    helm = Helm(str(program("bin/helm", "echo printed; echo no chart >&2; exit 3")))

    with pytest.raises(HelmFailed, match=r"^no chart$") as caught:
        helm.template(["template", "x"])

    assert caught.value.where.endswith("template x")


def test_helm_timeout_is_enforced(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    helm = Helm(str(program("bin/helm", "exec sleep 20")))
    monkeypatch.setenv("KAPITAN_HELM_TIMEOUT", "0.2")

    with pytest.raises(HelmFailed, match=r"more than 0\.2 seconds") as caught:
        helm.template(["template"])

    assert "KAPITAN_HELM_TIMEOUT" in caught.value.hint
    monkeypatch.setenv("KAPITAN_HELM_TIMEOUT", "soon")
    with pytest.raises(HelmFailed, match="not a number of seconds: soon"):
        helm.template(["template"])
