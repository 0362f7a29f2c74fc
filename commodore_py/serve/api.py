"""The routes below `/v1`: clusters, values, edits, jobs, and what runs in a cluster.

What child processes and errors bring along is without secrets.
"""

from __future__ import annotations

import json
from contextlib import ExitStack
from typing import TYPE_CHECKING, Annotated, Any, Literal

from fastapi import APIRouter, Body, Depends, Header, HTTPException, Query, Request, Response
from fastapi.responses import JSONResponse, StreamingResponse
from pydantic import Field

from commodore_py.workflows.editing.requests import Level, Rules, Verb
from commodore_py.workflows.editing.requests import Request as Edit

from .daemon import Daemon

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from .state import Job

_LONGEST_PATH = 1000
_MOST_LEVELS = 128
_MOST_STREAMS = 16


async def daemon_of(request: Request) -> Daemon:
    """The daemon that a request is for; a coroutine, since others run in threads."""
    daemon: Daemon = request.app.state.daemon
    return daemon


TheDaemon = Annotated[Daemon, Depends(daemon_of)]
Path = Annotated[str, Field(max_length=_LONGEST_PATH)]
IfMatch = Annotated[str | None, Header(alias="If-Match", description="The version that was read.")]
Value = Annotated[Any, Body(embed=True, description="A value of JSON.")]

router = APIRouter(prefix="/v1")


class Json(JSONResponse):
    """JSON in ASCII: a terminal that shows it acts on nothing in it."""

    def render(self, content: object) -> bytes:
        """The body."""
        return json.dumps(content, separators=(",", ":")).encode()


class Change:
    """A change of a cluster's configuration, by the parameters that all edits have."""

    def __init__(
        self,
        request: Request,
        daemon: TheDaemon,
        cluster_id: Path,
        *,
        level: Level = "cluster",
        target: Annotated[Path, Query(description="The instance whose layers count.")] = "",
        if_match: IfMatch = None,
        dry_run: Annotated[bool, Query(description="Answer as usual, and write nothing.")] = False,
    ) -> None:
        self._daemon = daemon
        self._cluster_id = cluster_id
        self._level: Level = level
        self._target = target
        self._rules = rules_for(request, _tag(if_match), dry_run=dry_run)

    async def make(self, verb: Verb, path: str, value: Any = None, item: str = "") -> Response:
        """Carry it out; one that is refused has all reasons."""
        edit = Edit(verb, path, _bounded(value), self._level, target=self._target, item=item)
        content = await self._daemon.edit(self._cluster_id, edit, self._rules)
        return _versioned(content, content["configuration"], 422 if content["refused"] else 200)


AChange = Annotated[Change, Depends()]


@router.get("/clusters")
async def get_clusters(daemon: TheDaemon) -> Any:
    """All clusters."""
    return {"schema": "clusters/v1", "clusters": await daemon.clusters()}


@router.get("/clusters/{cluster_id}")
async def get_cluster(daemon: TheDaemon, cluster_id: Path) -> Response:
    """Facts, instances, state and problems."""
    content = await daemon.cluster(cluster_id)
    return _versioned({"schema": "cluster/v1", **content}, content.get("configuration"))


@router.get("/clusters/{cluster_id}/values/{path:path}")
async def get_value(daemon: TheDaemon, cluster_id: Path, path: Path, target: Path = "") -> Response:
    """A value and its layers."""
    content = await daemon.read(cluster_id, "value", path, target)
    return _versioned(content, content["configuration"])


@router.get("/clusters/{cluster_id}/options/{path:path}")
async def get_options(daemon: TheDaemon, cluster_id: Path, path: Path) -> Any:
    """Legal values of a parameter."""
    return {"schema": "options/v1", **await daemon.read(cluster_id, "options", path)}


@router.put("/clusters/{cluster_id}/values/{path:path}")
async def put_value(change: AChange, path: Path, value: Value) -> Response:
    """Set a value."""
    return await change.make("set", path, value)


@router.delete("/clusters/{cluster_id}/values/{path:path}")
async def delete_value(change: AChange, path: Path) -> Response:
    """Remove it from its layer."""
    return await change.make("unset", path)


@router.post("/clusters/{cluster_id}/lists/{path:path}")
async def post_item(change: AChange, path: Path, value: Value) -> Response:
    """Add an item to a list."""
    return await change.make("add", path, value)


@router.put("/clusters/{cluster_id}/lists/{path:path}/{name}")
async def put_item(change: AChange, path: Path, name: Path, value: Value) -> Response:
    """Replace an item."""
    return await change.make("set", path, value, item=name)


@router.delete("/clusters/{cluster_id}/lists/{path:path}/{name}")
async def delete_item(change: AChange, path: Path, name: Path) -> Response:
    """Remove an item."""
    return await change.make("remove", path, item=name)


@router.put("/clusters/{cluster_id}/instances/{name}/enabled")
async def put_enabled(change: AChange, name: Path, enabled: Annotated[bool, Body()]) -> Response:
    """Enable or disable."""
    return await change.make("add" if enabled else "remove", "applications", name)


@router.post("/clusters/{cluster_id}/compile", status_code=202)
async def post_compile(request: Request, daemon: TheDaemon, cluster_id: Path) -> Response:
    """Compile, push nothing."""
    return _accepted(await daemon.submit("compile", cluster_id, caller_of(request)))


@router.post("/clusters/{cluster_id}/push", status_code=202)
async def post_push(
    request: Request, daemon: TheDaemon, cluster_id: Path, if_match: IfMatch = None
) -> Response:
    """Compile and push; with a version, only the changes of it."""
    by, seen = caller_of(request), _tag(if_match)
    return _accepted(await daemon.submit("push", cluster_id, by, seen))


@router.get("/clusters/{cluster_id}/changes")
async def get_changes(daemon: TheDaemon, cluster_id: Path) -> Response:
    """The changes of a push."""
    content = await daemon.read(cluster_id, "changes")
    return _versioned(content, content["version"])


@router.get("/clusters/{cluster_id}/plan")
async def get_plan(daemon: TheDaemon, cluster_id: Path) -> Any:
    """The order of deployment."""
    return await daemon.read(cluster_id, "plan")


@router.get("/clusters/{cluster_id}/live/{what}")
async def get_live(
    daemon: TheDaemon, cluster_id: Path, what: Literal["tree", "status"], root: Path = ""
) -> Any:
    """The running cluster."""
    return await daemon.read(cluster_id, f"live_{what}", root)


@router.get("/jobs")
async def get_jobs(daemon: TheDaemon) -> Any:
    """Jobs that run, wait and have ended."""
    return {"schema": "jobs/v1", "jobs": [job.as_data() for job in daemon.jobs.all.values()]}


@router.get("/jobs/{job_id}")
async def get_job(daemon: TheDaemon, job_id: Path) -> Any:
    """A job."""
    return job_of(daemon, job_id).as_data()


@router.delete("/jobs/{job_id}", status_code=202)
async def delete_job(daemon: TheDaemon, job_id: Path) -> Any:
    """Cancel a job."""
    job = job_of(daemon, job_id)
    daemon.jobs.cancel(job)
    return job.as_data()


@router.get("/jobs/{job_id}/events")
async def get_events(
    request: Request,
    daemon: TheDaemon,
    job_id: Path,
    last_event_id: Annotated[int, Header(alias="Last-Event-ID", ge=0)] = 0,
) -> StreamingResponse:
    """Events of a job as they happen."""
    job, what = job_of(daemon, job_id), f"streams of events for {caller_of(request)}"
    bound = ExitStack()
    bound.enter_context(daemon.jobs.bounded(what, _MOST_STREAMS))

    async def stream() -> AsyncIterator[str]:
        with bound:
            async for event in daemon.jobs.events(job, last_event_id):
                yield (
                    f"id: {event['number']}\ndata: {json.dumps(event)}\n\n"
                    if event
                    else ": alive\n\n"
                )

    return StreamingResponse(stream(), media_type="text/event-stream")


@router.post("/hooks/git", status_code=202)
async def post_hook(request: Request) -> Any:
    """A push, as GitHub and GitLab report it."""
    clusters = await request.app.state.reconciler.hook(request.headers, await request.body())
    return {"schema": "hook/v1", "clusters": clusters}


def caller_of(request: Request) -> str:
    """The name of whoever sent a request."""
    return str(request.state.caller)


def rules_for(request: Request, base: str, *, dry_run: bool = False) -> Rules:
    """How to carry out an edit of the caller, who has read this version of the configuration."""
    return Rules(dry_run=dry_run, commit=True, push=True, author=caller_of(request), base=base)


def job_of(daemon: Daemon, job_id: str) -> Job:
    """A job; 404 if there is none."""
    if job_id not in daemon.jobs.all:
        raise HTTPException(404, "there is no such job")
    return daemon.jobs.all[job_id]


def _versioned(content: dict[str, Any], version: str | None, status: int = 200) -> Response:
    return Json(content, status, {"etag": f'"{version}"'} if version else None)


def _accepted(job: Job) -> Response:
    return Json(job.as_data(), 202, {"location": f"/v1/jobs/{job.id}"})


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
        raise HTTPException(422, f"a value has at most {_MOST_LEVELS} levels")
    return value


def _tag(header: str | None) -> str:
    """The version in an `If-Match` header; empty if any will do."""
    if header is None or header.strip() == "*":
        return ""
    tag = header.strip().removeprefix("W/").strip('"')
    if not tag:
        raise HTTPException(400, "If-Match has no version")
    return tag
