"""Asks a process of the platform whether it serves: for the health checks of containers.

    python -m deploy.probe HOST:PORT

Exit code 0 when it says by gRPC health that it does, else 1.
"""

import asyncio
import sys

from deploy.local.processes import is_serving


def main() -> int:
    """The exit code."""
    if len(sys.argv) != 2:
        sys.stderr.write(__doc__ or "")
        return 2
    return 0 if asyncio.run(is_serving(sys.argv[1])) else 1


if __name__ == "__main__":
    sys.exit(main())
