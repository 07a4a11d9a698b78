"""Files that are either complete or not there: written under a temporary name, flushed to the disk, then renamed."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from lusogames_env.training.errors import FolderError

MANIFEST = "manifest.json"


def sha256(data: bytes) -> str:
    """Return the SHA-256 digest in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def to_json(data: Any) -> bytes:
    """Return readable JSON."""
    return (json.dumps(data, indent=2, ensure_ascii=False) + "\n").encode()


def _write(path: Path, data: bytes) -> None:
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _sync_folder(folder: Path) -> None:
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def write_file(path: Path, data: bytes) -> None:
    """Replace the file `path` by one with this content, in one step."""
    temporary = path.with_name(f".{path.name}.part")
    _write(temporary, data)
    temporary.replace(path)
    _sync_folder(path.parent)


def first_difference(there: Any, here: Any, key: str = "") -> str | None:
    """Say which value of plain JSON types is not the same, None if all are; what only `there` has does not matter."""
    if isinstance(there, dict) and isinstance(here, dict):
        inner = (first_difference(there.get(name), value, f"{key}.{name}".strip(".")) for name, value in here.items())
        return next((difference for difference in inner if difference), None)
    return None if there == here else f"{key} is {there!r} there, now {here!r}"


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Keep other processes that ask the same out of `folder`; the system frees it when this process ends.

    Raises:
        FolderError: another process is in it, or it cannot be written to.
    """
    from filelock import FileLock, Timeout

    lock = FileLock(folder / ".lock")
    try:
        lock.acquire(timeout=0)
    except Timeout as error:
        raise FolderError(f"another process works in {folder}: wait for it, or choose another folder") from error
    except OSError as error:
        raise FolderError(f"cannot write in {folder}: {error.strerror}") from error
    try:
        yield
    finally:
        lock.release()


def write_folder(folder: Path, files: Mapping[str, bytes], manifest: bool = False) -> None:
    """Write `folder` with these files, complete or not at all; `manifest` adds their digests.

    An older one is moved aside, to `.<name>.old`, until the new one is there.
    """
    contents = dict(files)
    if manifest:
        contents[MANIFEST] = to_json({name: sha256(data) for name, data in files.items()})
    temporary = folder.with_name(f".{folder.name}.part")
    shutil.rmtree(temporary, ignore_errors=True)
    temporary.mkdir(parents=True)
    for name, data in contents.items():
        _write(temporary / name, data)
    _sync_folder(temporary)
    older = folder.with_name(f".{folder.name}.old")
    if folder.exists():
        shutil.rmtree(older, ignore_errors=True)
        folder.replace(older)
    temporary.replace(folder)
    _sync_folder(folder.parent)
    shutil.rmtree(older, ignore_errors=True)


def read_folder(folder: Path) -> dict[str, bytes] | None:
    """Return the files of a folder written with a manifest, or None if any is missing or damaged."""
    try:
        digests = json.loads((folder / MANIFEST).read_bytes())
        files = {name: (folder / Path(name).name).read_bytes() for name in digests}
        whole = all(sha256(data) == digests[name] for name, data in files.items())
    except (OSError, ValueError, TypeError, AttributeError):
        return None
    return files if files and whole else None
