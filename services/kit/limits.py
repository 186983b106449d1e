"""The process's limit of open files: each connection, stream and file counts."""

import resource

from services.kit.startup import CannotStart


def raise_file_limit(needed: int) -> int:
    """Raises the limit of open files as far as the system lets this process, and returns it.

    Raises CannotStart when it stays below `needed`, saying what would be.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    if hard != resource.RLIM_INFINITY and hard < needed:
        raise CannotStart(
            f"this process may open {hard} files and needs {needed}: raise the hard limit (ulimit -Hn {needed}, "
            "LimitNOFILE in systemd, or --ulimit nofile of a container)"
        )
    return hard
