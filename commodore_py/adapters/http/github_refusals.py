"""GitHub's refusals: which of them are limits, how long those last, and what the others mean."""

from __future__ import annotations

import time
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import TYPE_CHECKING

from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from . import HttpError

_LIMITS = (HTTPStatus.FORBIDDEN, HTTPStatus.TOO_MANY_REQUESTS)


class GitHubError(CommodoreError):
    """GitHub refused something, or gave no answer that we understand."""

    status: int = 0


class NothingMoreToAsk(GitHubError):
    """The token is refused, or a limit lasts too long: further requests fail, too."""


def limit_of(error: HttpError, *, otherwise: float) -> float | None:
    """Seconds to wait because of GitHub's rate limit; None without a limit (pure)."""
    # https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api
    if error.status not in _LIMITS:
        return None
    headers = error.headers
    if headers.get("Retry-After", "").isdigit():
        return float(headers["Retry-After"])
    if (
        headers.get("X-RateLimit-Remaining") == "0"
        and headers.get("X-RateLimit-Reset", "").isdigit()
    ):
        # By its own clock: ours may be wrong.
        return max(0.0, float(headers["X-RateLimit-Reset"]) - _now(headers) + 1)
    reason = message_of(error).lower()
    if error.status == HTTPStatus.TOO_MANY_REQUESTS or "rate limit" in reason or "abuse" in reason:
        return otherwise
    return None


def _now(headers: Mapping[str, str]) -> float:
    try:
        return parsedate_to_datetime(headers.get("Date", "")).timestamp()
    except ValueError:
        return time.time()


def github_error(error: HttpError, method: str) -> GitHubError:
    """The error for a response of GitHub, with a hint."""
    reason = message_of(error)
    kind, hint = GitHubError, error.hint
    message = f"GitHub cannot be asked: {reason or error}"
    if error.status == HTTPStatus.UNAUTHORIZED:
        kind, message = NothingMoreToAsk, f"GitHub refuses the token: {reason or error}"
        hint = "check --github-token or COMMODORE_GITHUB_TOKEN: it may have expired"
    elif error.status == HTTPStatus.FORBIDDEN:
        message = f"GitHub forbids it: {reason or error}"
        hint = "check what the token may do, and whether it is approved for single sign-on"
    elif error.status == HTTPStatus.UNPROCESSABLE_ENTITY:
        message, hint = f"GitHub does not accept it: {reason}", "see what it names"
    elif method != "GET" and not error.status:
        hint = "whether it was done is not known; start again: what is done stays done"
    refusal = kind(message, where=error.where, hint=hint)
    refusal.status = error.status
    return refusal


def message_of(error: HttpError) -> str:
    """The message in GitHub's response."""
    answer = error.answer if isinstance(error.answer, dict) else {}
    listed = answer.get("errors")
    problems: Iterable[object] = listed if isinstance(listed, list) else ()
    more = [
        str(one.get("message") or f"{one.get('field')} is {one.get('code')}")
        if isinstance(one, dict)
        else str(one)
        for one in problems
    ]
    return "; ".join(part for part in (str(answer.get("message") or ""), *more) if part)
