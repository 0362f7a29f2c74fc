"""A signal may come at any moment, also while Python imports something."""

from __future__ import annotations

import signal
import subprocess
import sys

PROGRAM = """
import os, signal, sys, threading
from commodore_py.adapters import ending

class Finder:
    @staticmethod
    def find_spec(name, *_):
        if threading.current_thread() is threading.main_thread():
            print("imports", name, flush=True)

ending.listen()
sys.meta_path.insert(0, Finder)
try:
    os.kill(os.getpid(), signal.SIGTERM)
    signal.pause()
except KeyboardInterrupt:
    sys.meta_path.remove(Finder)
    ending.leave(0)
"""


def test_signal_handler_imports_nothing() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False
    )

    assert done.stdout == ""
    assert done.returncode == -signal.SIGTERM
