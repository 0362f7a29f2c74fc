"""Files compressed with Zstandard: by Python 3.14, or by the program zstd."""

from __future__ import annotations

import importlib
import importlib.util
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from commodore_py.adapters.process import ProgramFailed, run
from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from collections.abc import Iterator

_MODULE = "compression.zstd"
_MAGIC = b"\x28\xb5\x2f\xfd"


def require(where: str) -> None:
    """Refuse what cannot be compressed here."""
    if _module() is None and shutil.which("zstd") is None:
        raise CommodoreError(
            "Zstandard is not available",
            where=where,
            hint="install the program zstd, use Python 3.14, or name another kind of file",
        )


def compress(file: Path, target: Path) -> None:
    """Write a compressed copy of a file, for its owner alone."""
    target.touch(mode=0o600, exist_ok=False)
    module = _module()
    if module is None:
        run(["zstd", "-q", "-T1", "-f", str(file), "-o", str(target)])
        target.chmod(0o600)
        return
    with file.open("rb") as opened, module.open(target, "wb") as written:
        shutil.copyfileobj(opened, written)


@contextmanager
def opened(file: Path) -> Iterator[IO[bytes]]:
    """A file without its compression, if that is Zstandard; any other as it is."""
    with file.open("rb") as raw:
        if raw.read(len(_MAGIC)) != _MAGIC:
            raw.seek(0)
            yield raw
            return
    require(str(file))
    with tempfile.TemporaryDirectory(prefix="commodore-zstd-") as scratch:
        plain = Path(scratch) / "plain"
        _expand(file, plain)
        with plain.open("rb") as unpacked:
            yield unpacked


def _expand(file: Path, target: Path) -> None:
    module = _module()
    if module is None:
        try:
            run(["zstd", "-q", "-d", str(file), "-o", str(target)])
        except ProgramFailed as error:
            raise OSError(error.stderr.strip()) from error
        return
    try:
        with module.open(file, "rb") as opened, target.open("wb") as written:
            shutil.copyfileobj(opened, written)
    except module.ZstdError as error:
        raise OSError(str(error)) from error


def _module() -> Any:  # noqa: ANN401 - of newer Pythons
    try:
        return importlib.import_module(_MODULE) if importlib.util.find_spec(_MODULE) else None
    except ModuleNotFoundError:  # there is no package for it either
        return None
