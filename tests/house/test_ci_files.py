"""The ready files for CI: they can be read, and their shell steps run in the playground."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from tests.support.builders import commit_to, git

from .doc_commands import install_command

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

FILES = Path(__file__).resolve().parents[2] / "docs" / "examples"
GITHUB = yaml.safe_load((FILES / "github-actions.yml").read_text("utf-8"))
GITLAB = yaml.safe_load((FILES / "gitlab-ci.yml").read_text("utf-8"))

INSTALLS = re.compile(r"^(pipx|pip) install ")
"""What is not run: commodore is there already."""

GIVEN = {
    "matrix.cluster": "c-demo-1",
    "github.head_ref": "more-bread",
    "secrets.SSH_KEY": "a key",
    "vars.KNOWN_HOSTS": "a host",
    "secrets.COMMODORE_API_TOKEN": "",
}
Job = dict[str, Any]


@pytest.fixture
def variables(empty_home: Path) -> dict[str, str]:
    """Variables of a job, with a proposed change in the playground and a clone of its tenant."""
    path = install_command(empty_home)
    variables = {**os.environ, "PATH": path, "COMMODORE_API_URL": str(empty_home / "demo/facts")}
    subprocess.run(
        ["commodore", "demo", "demo"],
        cwd=empty_home,
        env=variables,
        check=True,
        capture_output=True,
    )
    tenant = empty_home / "demo/repos/t-demo.git"
    content = git(tenant, "show", "master:c-demo-1.yml")
    git(tenant, "branch", "more-bread")
    commit_to(
        tenant, {"c-demo-1.yml": content.replace("replicas: 2", "replicas: 3")}, branch="more-bread"
    )
    git(empty_home, "clone", "--quiet", str(tenant), "job")
    return variables


def run_step(script: str, home: Path, variables: Mapping[str, str]) -> None:
    if not INSTALLS.match(script):
        ran = subprocess.run(
            ["bash", "-e", "-o", "pipefail", "-c", script],
            cwd=home / "job",
            env=dict(variables),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert ran.returncode == 0, f"{script}\n{ran.stdout}{ran.stderr}"


def filled(values: Mapping[str, str]) -> dict[str, str]:
    """Variables of a workflow; an expression that is not known is an error."""
    return {
        name: re.sub(r"\$\{\{ (\S+) \}\}", lambda found: GIVEN[found[1]], value)
        for name, value in values.items()
        if name != "COMMODORE_API_URL"
    }


def github_steps(job: Job) -> Iterator[tuple[str, dict[str, str]]]:
    assert all(("uses" in step) != ("run" in step) for step in job["steps"])
    assert not any("${{" in step.get("run", "") for step in job["steps"])  # injection
    for step in job["steps"]:
        if "run" in step:
            yield (
                step["run"],
                filled({**GITHUB["env"], **job.get("env", {}), **step.get("env", {})}),
            )


def run_github(job: Job, home: Path, variables: Mapping[str, str]) -> str:
    """Run the steps of a job; what they add to its summary."""
    kept, summary = home / "github-env", home / "summary"
    kept.touch()
    summary.touch()
    for script, more in github_steps(job):
        exported = dict(line.split("=", 1) for line in kept.read_text("utf-8").splitlines())
        files = {"GITHUB_ENV": str(kept), "GITHUB_STEP_SUMMARY": str(summary)}
        run_step(script, home, {**variables, **more, **exported, **files})
    return summary.read_text("utf-8")


def run_gitlab(name: str, home: Path, variables: Mapping[str, str]) -> None:
    """Run the lines of a job in one shell, as a runner does."""
    key = home / "key"
    key.write_text("a key\n")
    job: Job = {**GITLAB[name]}
    for base in job.pop("extends", []):
        job = {**GITLAB[base], **job}
    given = {
        "CLUSTER": "c-demo-1",
        "SSH_KEY": str(key),
        "KNOWN_HOSTS": "a host",
        "CI_MERGE_REQUEST_SOURCE_BRANCH_NAME": "more-bread",
        "CI_PROJECT_DIR": str(home / "job"),
    }
    more = {k: v.replace("$CI_PROJECT_DIR", str(home)) for k, v in GITLAB["variables"].items()}
    lines = [*job.get("before_script", []), *job["script"]]
    script = "\n".join(line for line in lines if not INSTALLS.match(line))
    run_step(script, home, {**variables, **more, **given})
    run_step("\n".join(job.get("after_script", ["true"])), home, {**variables, **more, **given})


@pytest.mark.slow
def test_github_jobs_show_plan_and_push_catalog(
    empty_home: Path, variables: dict[str, str]
) -> None:
    jobs = GITHUB["jobs"]
    run_github(jobs["push"], empty_home, variables)
    run_github(jobs["lint"], empty_home, variables)

    shown = run_github(jobs["plan"], empty_home, variables)

    assert jobs.keys() == {"lint", "plan", "push"}
    assert shown.startswith("## c-demo-1\n")
    assert "`spec.replicas: 2 -> 3`" in shown
    assert pushes(empty_home) == 1
    assert (empty_home / ".ssh/catalogs").stat().st_mode & 0o777 == 0o600


@pytest.mark.long
def test_gitlab_jobs_show_plan_and_push_catalog(
    empty_home: Path, variables: dict[str, str]
) -> None:
    for job in ("push", "lint", "plan"):
        run_gitlab(job, empty_home, variables)

    jobs = {name for name, job in GITLAB.items() if "script" in job}
    assert jobs == {"lint", "plan", "push"}
    assert "`spec.replicas: 2 -> 3`" in (empty_home / "job/plan-c-demo-1.md").read_text("utf-8")
    assert pushes(empty_home) == 1


def pushes(home: Path) -> int:
    catalog = home / "demo/repos/catalog-c-demo-1.git"
    return git(catalog, "log", "--format=%s", "master").count("Automated catalog update")
