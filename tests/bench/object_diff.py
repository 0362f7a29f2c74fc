"""CPU of a diff of objects: `python -m tests.bench.object_diff [OBJECTS]`.

A catalog of so many deployments, a file each, of which some have another image and variable, or
another form only. Files that are the same on both sides are never read.
"""

from __future__ import annotations

import sys
import time

from commodore_py.catalog.diff.objects import object_diff
from commodore_py.manifests.ignore_rules import rules_from
from commodore_py.model.catalog import Change, FileChange

_PLAIN = 0o100644
_DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  labels:
    app: web
    helm.sh/chart: web-1
  name: web-{number}
  namespace: shop
spec:
  replicas: 2
  selector:
    matchLabels:
      app: web
  template:
    metadata:
      labels:
        app: web
    spec:
      containers:
        - env:
            - name: A
              value: '{version}'
          image: registry.example.com/web:{version}
          name: web
          ports:
            - containerPort: 80
              name: http
"""


def a_change(objects: int, *, share: float, form_only: bool = False) -> Change:
    """A catalog's change in which this share of the objects has a part."""
    files = []
    for number in range(round(objects * share)):
        path = f"manifests/{number}.yaml"
        old = _DEPLOYMENT.format(number=number, version=1)
        new = _DEPLOYMENT.format(number=number, version=2)
        if form_only:
            new = old.replace("replicas: 2", "replicas:   2")
        files.append(FileChange("modified", path, path, old.encode(), new.encode(), _PLAIN, _PLAIN))
    return Change(tuple(files))


def main(objects: int) -> None:
    """Measure, and print a line for each case."""
    for share, form_only in ((0.1, False), (0.5, False), (1.0, False), (1.0, True)):
        change = a_change(objects, share=share, form_only=form_only)
        start = time.process_time()
        found = object_diff(change, rules_from(None)[0])
        took = time.process_time() - start
        what = "another form" if form_only else "another content"
        print(f"{objects} objects, {share:.0%} in {what}: {took:.2f} s, {len(found.objects)} found")


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 10_000)
