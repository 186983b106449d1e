"""Dependencies point one way."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PLATFORM = ("services", "gateway", "deploy")
# Which platform packages a package may import, besides itself and the generated protos.
MAY_IMPORT = {
    "services.kit": (),
    "services.match": ("services.kit",),
    "services.rules": ("services.kit",),
    "services.matchmaking": ("services.kit", "services.match"),
    "services.replay": ("services.kit", "services.match"),
    "gateway": ("services.kit", "services.match"),
    "gateway.client": (),
    "gateway.cli": ("services.kit", "services.match", "gateway", "deploy"),
    "deploy": ("services.kit",),
}
UNSEEN = ("grpc", "google", "redis", "random", "time", "datetime", "os", "socket", "asyncio", "secrets", "argosy")
MODULES_THAT_LOOK_OUT = ("tests", "notation.py", "tournament.py", "enumeration.py")


def _modules() -> list[Path]:
    return [
        p for top in PLATFORM for p in (ROOT / top).rglob("*.py") if "test" not in p.name and "tests" not in p.parts
    ]


def _imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


def _package(dotted: str) -> str:
    return max((p for p in MAY_IMPORT if dotted == p or dotted.startswith(p + ".")), key=len, default="")


@pytest.mark.parametrize("path", _modules(), ids=lambda p: p.relative_to(ROOT).as_posix())
def test_a_package_imports_only_what_it_may(path: Path) -> None:
    own = _package(path.relative_to(ROOT).with_suffix("").as_posix().replace("/", "."))
    allowed = (own, *MAY_IMPORT.get(own, ()))
    foreign = [
        name
        for name in _imports(path)
        if name.split(".")[0] in PLATFORM and own and not any(name == a or name.startswith(a + ".") for a in allowed)
    ]
    assert not foreign, f"{path} imports {foreign}; it may import {allowed}"


def test_only_the_rules_side_names_a_game() -> None:
    games = {p.name for p in (ROOT / "services/rules/games").iterdir() if p.is_dir() and not p.name.startswith("_")}
    offenders = [
        path
        for path in _modules()
        if "games" not in path.parts and any(n.split(".")[-1] in games or ".games." in n for n in _imports(path))
    ]
    assert not offenders


def test_a_game_sees_nothing_of_the_world() -> None:
    rules = [
        p
        for p in (ROOT / "services/rules/games").rglob("*.py")
        if p.parent.name != "games" and p.name not in MODULES_THAT_LOOK_OUT and "tests" not in p.parts
    ]
    offenders = {p.name: n for p in rules for n in _imports(p) if n.split(".")[0] in UNSEEN}
    assert not offenders
