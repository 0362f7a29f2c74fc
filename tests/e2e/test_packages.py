"""The wheel installs and compiles the playground; the sdist builds the same wheel."""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.commodore import clean_environment, run_to_end
from tests.support.installed import INSTALLED, install, installing

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.e2e

ROOT = Path(__file__).resolve().parents[2]
REQUIREMENTS = ROOT / "requirements" / "runtime.txt"


@pytest.fixture(scope="module")
def distributions(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run([sys.executable, "-m", "hatchling", "build", "-d", folder], cwd=ROOT, check=True)
    return {"wheel": next(folder.glob("*.whl")), "sdist": next(folder.glob("*.tar.gz"))}


@pytest.fixture
def command(distributions: dict[str, Path]) -> Iterator[str]:
    """The command, in an environment with the locked requirements and nothing else of ours."""
    digest = hashlib.sha256(REQUIREMENTS.read_bytes()).hexdigest()[:12]
    environment = INSTALLED / f"runtime-{digest}-{sys.version_info.minor}"
    python = str(environment / "bin/python")
    pip = [python, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    with installing(environment):
        if not (environment / "complete").is_file():
            subprocess.run([sys.executable, "-m", "venv", "--clear", environment], check=True)
            if not install(Path(python), "--require-hashes", "-r", str(REQUIREMENTS)):
                pytest.skip("the locked requirements cannot be installed")
            (environment / "complete").touch()
        package = distributions["wheel"]
        subprocess.run([*pip, "install", "--no-deps", "--force-reinstall", package], check=True)
        subprocess.run([*pip, "check"], check=True)
        yield str(environment / "bin/commodore")


def test_installed_package_compiles_playground(command: str, tmp_path: Path) -> None:
    environment = clean_environment(tmp_path / "home")

    run_to_end([command, "demo"], tmp_path, environment)
    compile_cluster = [command, "catalog", "compile", "c-demo-1"]
    compiled = run_to_end(compile_cluster, tmp_path / "commodore-demo", environment)

    assert "Added file manifests/web-shop/" in compiled
    assert "Catalog of cluster c-demo-1 compiled\n" in compiled


def test_sdist_builds_same_wheel(distributions: dict[str, Path], tmp_path: Path) -> None:
    subprocess.run(["tar", "-xf", distributions["sdist"]], cwd=tmp_path, check=True)
    (folder,) = tmp_path.iterdir()
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", "dist"]
    subprocess.run(command, cwd=folder, check=True)

    (wheel,) = (folder / "dist").iterdir()
    assert _content(wheel) == _content(distributions["wheel"])


def test_description_has_absolute_links_only(distributions: dict[str, Path]) -> None:
    with zipfile.ZipFile(distributions["wheel"]) as wheel:
        name = next(name for name in wheel.namelist() if name.endswith("/METADATA"))
        description = wheel.read(name).decode()

    links = re.findall(r"\]\(([^)]*)\)", description)
    assert len(links) > 10
    assert [link for link in links if not link.startswith("https://")] == []


def _content(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}
