"""The check: it imports what evaluates policies only where there are any."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from commodore_py.checks.base import Ended
from commodore_py.errors import CommodoreError
from commodore_py.model.problem import Place, Problem

from .folder import has_policies

if TYPE_CHECKING:
    from commodore_py.checks.base import Context, PolicySettings
    from commodore_py.checks.documents import Documents, Memory

    from .engine import Engine

NAME = "policy"


def run(documents: Documents, memory: Memory, context: Context) -> Ended | None:
    """What the policies find; None without any."""
    settings = context.policy
    if settings is None or not has_policies(settings.folder):
        return None
    from .evaluation import Evaluation, failure

    engine = _engine(settings)
    try:
        missing = engine.unavailable()
        if missing:
            text = "there are policies, and nothing to evaluate them"
            place = Place(settings.shown)
            problem = Problem.at(place, "policy/not-installed", text, remedy=missing, subject=NAME)
            return Ended((problem,), "skipped", missing)
        version = str(context.version or "")
        return Ended(tuple(Evaluation(engine, settings, memory, version).found(documents())))
    except CommodoreError as error:
        return Ended((failure(settings, f"the policies cannot be evaluated: {error}"),))
    finally:
        engine.close()


def _engine(settings: PolicySettings) -> Engine:
    from .engine import InProcess

    library = InProcess(settings.seconds)
    if settings.engine == "opa" or (library.unavailable() and shutil.which("opa")):
        from .program import Program

        return Program(settings.seconds)
    return library
