"""Commodore, loaded once: each line that is read is a run, in a fork of this process.

For Commodore's own Python, which has none of our packages.
"""

import json
import os
import sys
from importlib.metadata import entry_points

(script,) = entry_points(group="console_scripts", name="commodore")
main = script.load()
for line in sys.stdin:
    run = json.loads(line)
    child = os.fork()
    if child == 0:
        for number, name in enumerate((os.devnull, run["stdout"], run["stderr"])):
            os.dup2(os.open(name, os.O_RDWR | os.O_CREAT | os.O_APPEND), number)
        os.environ.clear()
        os.environ.update(run["environment"])
        os.chdir(run["folder"])
        sys.argv = run["command"]
        sys.exit(main())
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)  # noqa: T201 - the answer
