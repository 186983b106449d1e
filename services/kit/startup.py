"""What keeps a process from starting: one clear line on stderr and exit code 2."""

import sys
from collections.abc import Callable

EXIT_CODE = 2


class CannotStart(Exception):
    """The process cannot start, or cannot go on, for a reason that its operator can remedy.

    The text is one line that says what is wrong and what to do; it holds no secrets.
    """


def run(main: Callable[[], None]) -> None:
    """Runs `main`; a CannotStart, also one from a task group, becomes its line on stderr and exit code 2."""
    try:
        main()
    except CannotStart as reason:
        _leave(reason)
    except BaseExceptionGroup as group:
        reason_in_group = first_reason(group)
        if reason_in_group is None:
            raise
        _leave(reason_in_group)


def first_reason(group: BaseExceptionGroup[BaseException]) -> CannotStart | None:
    """The first CannotStart in a group, at any depth; None when anything else failed too."""
    mine, others = group.split(CannotStart)
    if mine is None or others is not None:
        return None
    found: BaseException = mine
    while isinstance(found, BaseExceptionGroup):
        found = found.exceptions[0]
    return found if isinstance(found, CannotStart) else None


def _leave(reason: CannotStart) -> None:
    sys.stderr.write(f"{reason}\n")
    raise SystemExit(EXIT_CODE)
