"""``python -m equipoise``: the same as the command ``equipoise``, for where scripts are not on the path."""

import sys

from equipoise.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
