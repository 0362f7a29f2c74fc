"""The routes below `/v1`: clusters, values, edits, jobs, and what runs in a cluster.

What child processes and errors bring along is without secrets.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

from fastapi import APIRouter, Body, Depends, Header, Query, Request, Response
from fastapi.responses import JSONResponse, StreamingResponse
from pydantic import BaseModel, ConfigDict, Field

from commodore_py.model.difference import Grade  # noqa: TC001 - FastAPI reads it
from commodore_py.workflows.editing.requests import Level  # noqa: TC001 - as above

from .daemon import Edit, Verb, rules_for
from .failures import Refusal

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from .daemon import Daemon
    from .jobs import Job

_LONGEST_PATH = 1000
_MOST_LEVELS = 128

Path = Annotated[str, Field(max_length=_LONGEST_PATH)]
IfMatch = Annotated[
    str | None, Header(alias="If-Match", description="The version of the configuration.")
]
DryRun = Annotated[bool, Query(description="Answer as usual, and write nothing.")]


class How:
    """Where a change belongs, and on which terms it is made."""

    def __init__(
        self,
        request: Request,
        *,
        level: Level = "cluster",
        target: Annotated[Path, Query(description="The instance whose layers count.")] = "",
        if_match: IfMatch = None,
        dry_run: DryRun = False,
    ) -> None:
        self.level, self.target = level, target
        self.rules = rules_for(_caller(request), _tag(if_match), dry_run=dry_run)


HowTo = Annotated[How, Depends()]
Value = Annotated[Any, Body(embed=True, description="A value of JSON.")]


class Push(BaseModel):
    """Which changes may be pushed."""

    model_config = ConfigDict(extra="forbid")

    max_grade: Grade | None = None


def routes(daemon: Daemon) -> APIRouter:  # noqa: C901 - a list of routes
    """All routes of the API."""
    api = APIRouter(prefix="/v1")
    clusters, jobs, config = daemon.clusters, daemon.jobs, daemon.settings.config

    @api.get("/clusters", summary="All clusters")
    async def get_clusters() -> Any:
        return {"schema": "clusters/v1", "clusters": await clusters.all()}

    @api.get("/clusters/{cluster_id}", summary="Facts, instances, state and problems")
    async def get_cluster(cluster_id: Path) -> Response:
        content = await clusters.get(cluster_id)
        return _versioned({"schema": "cluster/v1", **content}, content.get("configuration"))

    @api.get("/clusters/{cluster_id}/values/{path:path}", summary="A value and its layers")
    async def get_value(cluster_id: Path, path: Path, target: Path = "") -> Response:
        await clusters.summary(cluster_id)
        content = await jobs.read("work.value", config, cluster_id, path, target)
        return _versioned(content, content["configuration"])

    @api.get("/clusters/{cluster_id}/options/{path:path}", summary="Legal values of a parameter")
    async def get_options(cluster_id: Path, path: Path) -> Any:
        await clusters.summary(cluster_id)
        content = await jobs.read("work.options", config, cluster_id, path)
        return {"schema": "options/v1", **content}

    async def edit(cluster_id: str, edit: Edit, how: How) -> Response:
        placed = replace(edit, value=_bounded(edit.value), level=how.level, target=how.target)
        content = await daemon.edit(cluster_id, placed, how.rules)
        status = 422 if content["refused"] else 200
        return _versioned(content, content["configuration"], status)

    @api.put("/clusters/{cluster_id}/values/{path:path}", summary="Set a value")
    async def put_value(cluster_id: Path, path: Path, value: Value, how: HowTo) -> Response:
        return await edit(cluster_id, Edit("set", path, value), how)

    @api.delete("/clusters/{cluster_id}/values/{path:path}", summary="Remove it from its layer")
    async def delete_value(cluster_id: Path, path: Path, how: HowTo) -> Response:
        return await edit(cluster_id, Edit("unset", path), how)

    @api.post("/clusters/{cluster_id}/lists/{path:path}", summary="Add an item to a list")
    async def post_item(cluster_id: Path, path: Path, value: Value, how: HowTo) -> Response:
        return await edit(cluster_id, Edit("add", path, value), how)

    @api.put("/clusters/{cluster_id}/lists/{path:path}/{name}", summary="Replace an item")
    async def put_item(
        cluster_id: Path, path: Path, name: Path, value: Value, how: HowTo
    ) -> Response:
        return await edit(cluster_id, Edit("set item", path, value, name), how)

    @api.delete("/clusters/{cluster_id}/lists/{path:path}/{name}", summary="Remove an item")
    async def delete_item(cluster_id: Path, path: Path, name: Path, how: HowTo) -> Response:
        return await edit(cluster_id, Edit("remove item", path, item=name), how)

    @api.put("/clusters/{cluster_id}/instances/{name}/enabled", summary="Enable or disable")
    async def put_enabled(
        cluster_id: Path, name: Path, enabled: Annotated[bool, Body()], how: HowTo
    ) -> Response:
        verb: Verb = "enable" if enabled else "disable"
        return await edit(cluster_id, Edit(verb, "applications", item=name), how)

    @api.post("/clusters/{cluster_id}/compile", status_code=202, summary="Compile, push nothing")
    async def post_compile(request: Request, cluster_id: Path) -> Response:
        return _accepted(await daemon.compile(cluster_id, _caller(request)))

    @api.post("/clusters/{cluster_id}/push", status_code=202, summary="Compile and push")
    async def post_push(
        request: Request,
        cluster_id: Path,
        push: Push | None = None,
        if_match: Annotated[
            str | None, Header(alias="If-Match", description="That of changes.")
        ] = None,
    ) -> Response:
        seen, grade = _tag(if_match), push.max_grade if push else None
        job = await daemon.push(cluster_id, _caller(request), max_grade=grade, seen=seen)
        return _accepted(job)

    @api.get("/clusters/{cluster_id}/changes", summary="What a push changes")
    async def get_changes(cluster_id: Path) -> Response:
        await clusters.summary(cluster_id)
        content = await jobs.read("work.changes", config, cluster_id)
        return _versioned(content, content["version"])

    @api.get("/clusters/{cluster_id}/plan", summary="The order of deployment")
    async def get_plan(cluster_id: Path) -> Any:
        await clusters.summary(cluster_id)
        return await jobs.read("work.plan", config, cluster_id)

    @api.get("/clusters/{cluster_id}/live/{what}", summary="The running cluster")
    async def get_live(cluster_id: Path, what: Literal["tree", "status"], root: Path = "") -> Any:
        await clusters.summary(cluster_id)
        root_of_tree = (root,) if what == "tree" else ()
        return await jobs.read(f"work.live_{what}", config, cluster_id, *root_of_tree, seconds=300)

    @api.get("/jobs", summary="What runs, waits and has ended")
    async def get_jobs() -> Any:
        return {"schema": "jobs/v1", "jobs": [one.as_data() for one in jobs.all.values()]}

    @api.get("/jobs/{job_id}", summary="A job")
    async def get_job(job_id: Path) -> Any:
        return _job(job_id).as_data()

    @api.delete("/jobs/{job_id}", status_code=202, summary="Cancel a job")
    async def delete_job(job_id: Path) -> Any:
        jobs.cancel(_job(job_id))
        return _job(job_id).as_data()

    @api.get("/jobs/{job_id}/events", summary="Events of a job as they happen")
    async def get_events(
        job_id: Path,
        last_event_id: Annotated[int, Header(alias="Last-Event-ID", ge=0)] = 0,
    ) -> StreamingResponse:
        job = _job(job_id)

        async def stream() -> AsyncIterator[str]:
            async for number, event in jobs.events(job, last_event_id):
                text = json.dumps(event)
                yield f"id: {number}\ndata: {text}\n\n" if number else ": alive\n\n"

        return StreamingResponse(stream(), media_type="text/event-stream")

    @api.post("/hooks/git", status_code=202, summary="A push, as GitHub and GitLab report it")
    async def post_hook(request: Request) -> Any:
        found = await daemon.reconciler.hook(request.headers, await request.body())
        return {"schema": "hook/v1", "clusters": found}

    def _job(job_id: str) -> Job:
        job = jobs.all.get(job_id)
        if job is None:
            raise Refusal(404, "there is no such job")
        return job

    return api


def _versioned(content: dict[str, Any], version: str | None, status: int = 200) -> Response:
    headers = {"etag": f'"{version}"'} if version else None
    return JSONResponse(content, status, headers)


def _accepted(job: Job) -> Response:
    return JSONResponse(job.as_data(), 202, {"location": f"/v1/jobs/{job.id}"})


def _caller(request: Request) -> str:
    return str(request.state.caller)


def _bounded(value: Any) -> Any:
    """The value, unless it is nested more deeply than class files may be."""
    level = [value]
    for _ in range(_MOST_LEVELS):
        level = [
            part
            for whole in level
            if isinstance(whole, dict | list)
            for part in (whole.values() if isinstance(whole, dict) else whole)
        ]
    if level:
        raise Refusal(422, f"a value has at most {_MOST_LEVELS} levels")
    return value


def _tag(header: str | None) -> str:
    """The version in an `If-Match` header; empty if any will do."""
    if header is None or header.strip() == "*":
        return ""
    tag = header.strip().removeprefix("W/").strip('"')
    if not tag:
        raise Refusal(400, "If-Match has no version")
    return tag
