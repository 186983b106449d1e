"""No tracked file names the machine it was written on, or where packages came from."""

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
# Split, so that this file does not name them either.
PATTERNS = {
    "package registries": r"(pypi|files\.pythonhosted|registry\.npmjs|proxy\.golang|" + r"conda\.anaconda)\.(org|io)",
    "their settings": r"(index-url|trusted-host|registry)[ =]+" + "https?:",
    "folders of packages": r"(find-links|extra-index)[ =]+" + "[/h]",
    "homes": "(/root" + "/|/home" + "/[a-z]|/Users" + "/[a-z])",
    "work folders": r"(^|[^[:alnum:]_.])/work" + "/",
    "temporary folders": r"(^|[^[:alnum:]_.$}])/tmp" + "/[a-z]",
}


@pytest.mark.parametrize("pattern", PATTERNS.values(), ids=PATTERNS)
def test_no_tracked_file_has(pattern: str) -> None:
    found = subprocess.run(
        ["git", "grep", "-nIE", pattern, "--", ".", ":!tests/test_clean_tree.py"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if found.returncode == 128:
        pytest.skip("no git repository here")
    assert found.returncode == 1, found.stdout[:2000]


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("package registries", "see https://pypi" + ".org/simple"),
        ("folders of packages", "--find-links /wheels"),
        ("homes", "open('/root" + "/x')"),
        ("work folders", "cd /work" + "/main"),
        ("temporary folders", "cat /tmp" + "/out"),
    ],
)
def test_the_patterns_find_what_they_are_for(name: str, line: str) -> None:
    found = subprocess.run(["grep", "-cE", PATTERNS[name]], input=line, capture_output=True, text=True, check=False)
    assert found.stdout == "1\n"
