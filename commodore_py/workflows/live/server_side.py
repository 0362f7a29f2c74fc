"""What applying an object would make of it, by a dry run of the server."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from commodore_py.adapters.http import HttpError
from commodore_py.live import marks
from commodore_py.live.access.writer import MANAGER, Writer
from commodore_py.live.plan import references_in
from commodore_py.manifests.desired.managed import applied_by, without_mutations
from commodore_py.manifests.desired.masks import is_secret
from commodore_py.manifests.desired.predict import predicted_by_server

from .diff import Answer

if TYPE_CHECKING:
    from commodore_py.manifests.objects import KubeObject

    from .cluster import LiveCluster
    from .diff import Ask

_INVALID = 422
_IMMUTABLE = re.compile(r"immutable|for fields other than|may not (?:be )?change|cannot be changed")


def asking(cluster: LiveCluster) -> Ask:
    """Ask a cluster by dry runs; Secrets and secret references are predicted without."""
    writer = Writer(cluster.client.access)
    places = {one.id: one for one in cluster.targets}

    def ask(target: KubeObject, current: KubeObject) -> Answer:
        if is_secret(target.id.group, target.id.kind) or any(references_in(target.content)):
            return Answer()
        place = places[target.id]
        content = marks.marked(
            target.content, place.id, place.application or "", cluster.settings.tracking
        )
        try:
            outcome = writer.apply(place.path, content, manager=MANAGER, force=True, dry_run=True)
        except HttpError as error:
            if not error.status:
                raise
            if error.status == _INVALID and _IMMUTABLE.search(str(error)):
                return Answer(immutable=str(error))
            return Answer(refused=str(error))
        fields = applied_by(outcome, MANAGER)
        if fields is not None:
            outcome = without_mutations(fields, current.content, outcome)
        return Answer(predicted_by_server(target.content, current.content, outcome))

    return ask
