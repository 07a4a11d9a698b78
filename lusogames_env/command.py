"""The command ``lusogames``. It needs the packages of the extra ``train``, and says so where they are missing."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line; see `training.cli`."""
    try:
        from lusogames_env.training.cli import main as run

        run()
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package == "lusogames_env":
            raise
        print(f"error: {package} is not installed: pip install 'lusogames-env[train]'", file=sys.stderr)
        sys.exit(2)
