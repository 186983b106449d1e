import resource
import subprocess
import sys

import pytest

from services.kit import limits
from services.kit.startup import CannotStart


def test_the_soft_limit_becomes_the_hard_one() -> None:
    code = "import resource, services.kit.limits as l; print(l.raise_file_limit(10), *resource.getrlimit(7))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    raised, soft, hard = run.stdout.split()
    assert raised == soft == hard


def test_too_low_a_hard_limit_is_told() -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard == resource.RLIM_INFINITY:
        pytest.skip("no hard limit on this machine")
    with pytest.raises(CannotStart, match="ulimit -Hn"):
        limits.raise_file_limit(hard + 1)
