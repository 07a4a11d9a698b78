"""The decorator under which all rules are compiled, and an on-disk cache that cannot serve stale code.

Numba keys its cache by the text of a function's own file, so that a helper changed in *another* file goes unnoticed.
Here the cache folder is named by a hash over all files a kernel can be made of: a change in any of them starts afresh.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numba
from numba.core import caching
from numba.core.compiler_lock import global_compiler_lock

F = TypeVar("F", bound=Callable[..., Any])

OPT_LEVEL = 1  # of LLVM: rules code gains about 5 % from level 3, which takes 2.5 times as long to compile
NO_KERNELS = ("view.py", "balance.py", "calibration.py")  # files of a game that only draw or measure
KEPT_VERSIONS = 4  # cache folders of older sources that are kept beside the current one
HERE = Path(__file__).resolve().parent


def cache_root() -> Path:
    """Folder of all compiled kernels: ``$LUSOGAMES_CACHE_DIR``, else the user's cache folder, else a temporary one."""
    chosen = os.environ.get("LUSOGAMES_CACHE_DIR")
    users = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    base = Path(chosen) if chosen else users / "lusogames_env"
    try:
        base.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=base).close()
        return base
    except OSError:
        return Path(tempfile.gettempdir()) / f"lusogames_env-{os.getuid() if hasattr(os, 'getuid') else 'cache'}"


def kernel_sources(folder: Path) -> list[Path]:
    """Return the files whose text can change what a kernel in `folder` does."""
    own = [path for path in folder.glob("*.py") if path.name not in NO_KERNELS]
    layout = HERE.parent / "layout.py"
    return sorted({*own, *HERE.glob("*.py"), layout})


@cache
def cache_folder(folder: Path) -> Path:
    """Cache folder of the kernels that live in `folder`, named by a hash over their sources and versions."""
    digest = hashlib.sha256(f"{numba.__version__} {sys.version_info[:2]}".encode())
    for path in kernel_sources(folder):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    target = cache_root() / f"{folder.name}-{digest.hexdigest()[:16]}"
    if not target.exists():
        _drop_old_versions(target)
    return target


def _drop_old_versions(target: Path) -> None:
    prefix = target.name.rsplit("-", 1)[0] + "-"
    try:
        old = sorted(
            (path for path in target.parent.iterdir() if path.name.startswith(prefix)),
            key=lambda path: path.stat().st_mtime,
        )
    except OSError:
        return
    for path in old[:-KEPT_VERSIONS]:
        shutil.rmtree(path, ignore_errors=True)


def _package_folder(function: Callable[..., Any]) -> Path:
    """Folder of the package a function belongs to; a driver counts to the game it was made for, not to its file."""
    package = sys.modules.get(function.__module__.rpartition(".")[0])
    paths = list(getattr(package, "__path__", ()))
    return Path(paths[0]) if paths else Path(function.__code__.co_filename).resolve().parent


class _KernelLocator(caching._CacheLocator):
    """Tells Numba where a kernel's compiled code lies."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._line = function.__code__.co_firstlineno
        self._folder = cache_folder(_package_folder(function))

    def get_cache_path(self) -> str:
        return str(self._folder)

    def get_source_stamp(self) -> str:
        return self._folder.name

    def get_disambiguator(self) -> str:
        return str(self._line)

    @classmethod
    def from_function(cls, py_func: Callable[..., Any], py_file: str) -> _KernelLocator | None:
        locator = cls(py_func)
        try:
            locator.ensure_cache_path()
        except OSError:
            return None
        return locator


class _KernelCacheImpl(caching.CompileResultCacheImpl):
    _locator_classes = [_KernelLocator, caching.UserWideCacheLocator]


class _KernelCache(caching.FunctionCache):
    _impl_class = _KernelCacheImpl


def kernel(function: F) -> F:
    """Compile `function` on first use, without the GIL and cached on disk; left as it is under ``NUMBA_DISABLE_JIT=1``.

    Kernels allocate nothing, raise nothing and use only fixed-size arrays, so that they also compile for CUDA.
    """
    if numba.config.DISABLE_JIT:
        return function
    dispatcher = numba.njit(nogil=True, error_model="numpy", no_cfunc_wrapper=True)(function)
    dispatcher._cache = _KernelCache(function)
    dispatcher.compile = _quickly(dispatcher.compile)
    return dispatcher


def _quickly(compile_: Callable[..., Any]) -> Callable[..., Any]:
    """Return `compile_` with LLVM's optimisation at `OPT_LEVEL`, and Numba's own setting as before afterwards."""

    def compile_quickly(signature: Any) -> Any:
        with global_compiler_lock:
            before = numba.config.OPT
            numba.config.OPT = type(before)(OPT_LEVEL)
            try:
                return compile_(signature)
            finally:
                numba.config.OPT = before

    return compile_quickly
