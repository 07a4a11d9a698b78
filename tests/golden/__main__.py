"""Write the golden playthroughs anew."""

from __future__ import annotations

import sys

from tests.golden.files import path_of, written
from tests.tools import all_cases


def main() -> None:
    for case in all_cases(tuple(sys.argv[1:])):
        path = path_of(case)
        path.parent.mkdir(exist_ok=True)
        path.write_text(written(case), encoding="utf-8")
        print(path)


main()
