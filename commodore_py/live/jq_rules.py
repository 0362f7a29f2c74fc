"""Delete what jq expressions of `ignoreDifferences` name, in a worker process."""

from __future__ import annotations

import logging
from typing import Any

from commodore_py.adapters.rules.jq import JqFailed, JqInvalid, JqWorker

log = logging.getLogger(__name__)


class JqRules:
    """Runs expressions; the worker process starts with the first of them."""

    def __init__(self) -> None:
        self._worker = JqWorker()
        self._off: set[str] = set()

    def __call__(self, expression: str, value: Any) -> Any:  # noqa: ANN401 - JSON
        """What is left of a value; an expression that is not valid is not run again."""
        if expression in self._off:
            return value
        try:
            return self._worker(f"del({expression})", value)
        except JqFailed as error:
            log.debug("ignoreDifferences: %s does not fit: %s", expression, error)
        except JqInvalid as error:
            self._off.add(expression)
            log.warning("ignoreDifferences: %s is not used: %s", expression, error)
        return value

    def close(self) -> None:
        """End the worker process."""
        self._worker.close()
