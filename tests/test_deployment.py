"""The container files name what exists: settings, commands, each other. Nothing here builds an image."""

import re
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from deploy import settings_table
from services.rules.loading import list_games

ROOT = Path(__file__).parent.parent
COMPOSE = ROOT / "deploy/compose.yaml"
MANIFESTS = sorted((ROOT / "deploy/kubernetes").glob("*.yaml"))
FILES = [ROOT / "deploy/Dockerfile", COMPOSE, *MANIFESTS]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_settings_are_known(path: Path) -> None:
    named = set(re.findall(r"\bARGOSY_[A-Z0-9_]*[A-Z0-9]\b", path.read_text()))
    assert named <= settings_table.known_variables()


@pytest.mark.parametrize("path", [COMPOSE, *MANIFESTS], ids=lambda path: path.name)
def test_commands_exist(path: Path) -> None:
    for module in re.findall(r"\[(?:CMD, )?python, -m, ([\w.]+)", path.read_text()):
        found = find_spec(module)
        assert found, module
        assert not found.submodule_search_locations or find_spec(f"{module}.__main__"), f"{module} cannot be run"


def test_every_process_is_deployed() -> None:
    for text in (COMPOSE.read_text(), "".join(path.read_text() for path in MANIFESTS)):
        run = set(re.findall(r"command: \[python, -m, ([\w.]+)", text))
        assert run == set(settings_table.processes())


def test_every_game_is_deployed() -> None:
    for path in (COMPOSE, ROOT / "deploy/kubernetes/platform.yaml"):
        (entries,) = re.findall(r"sirenen=[\w:/.,=-]+", path.read_text())
        assert {entry.partition("=")[0] for entry in entries.split(",")} == set(list_games())
    for text in (COMPOSE.read_text(), (ROOT / "deploy/kubernetes/rules.yaml").read_text()):
        assert set(re.findall(r"ARGOSY_RULES_GAMES(?:, value)?: (\w+)", text)) == set(list_games())


def test_the_image_copies_what_is_there() -> None:
    copied = re.findall(r"^COPY (?!--from)(.+) \S+$", (ROOT / "deploy/Dockerfile").read_text(), re.MULTILINE)
    names = [name for line in copied for name in line.split()]
    assert "deploy/requirements.lock" in names
    assert not [name for name in names if not (ROOT / name).exists()]


def test_the_manifests_are_whole() -> None:
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
    documents = {path.name: list(yaml.safe_load_all(path.read_text())) for path in MANIFESTS}
    (kustomization,) = documents.pop("kustomization.yaml")
    assert {*kustomization["resources"], "secrets.example.yaml"} == set(documents)
    found = [document for file in documents.values() for document in file]
    assert all({"apiVersion", "kind", "metadata"} <= set(document) for document in found)
    gateway = next(d for d in found if d["kind"] == "StatefulSet" and d["metadata"]["name"] == "gateway")
    assert gateway["spec"]["replicas"] == 2
    assert [d["metadata"]["name"] for d in found if d["kind"] == "PodDisruptionBudget"] == ["gateway"]
    held = {(d["kind"], d["metadata"]["name"]): d for d in found}
    for document in found:
        for kind, name, key in _references(document):
            assert key is None or key in (held[kind, name].get("data") or held[kind, name]["stringData"])
    for workload in (d for d in found if d["kind"] in ("Deployment", "StatefulSet")):
        _check_workload(workload)


def test_compose_is_whole() -> None:
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
    compose = yaml.safe_load(COMPOSE.read_text())
    services = compose["services"]
    assert {"valkey", "gateway", "matchmaking", "replay", "bots"} <= set(services)
    for service in services.values():
        assert set(service.get("depends_on", ())) <= set(services)
        assert set(service.get("secrets", ())) <= set(compose["secrets"])
        assert {mount.partition(":")[0] for mount in service.get("volumes", ())} <= set(compose["volumes"])


def _check_workload(workload: Any) -> None:
    template = workload["spec"]["template"]
    wanted = workload["spec"]["selector"]["matchLabels"].items()
    assert wanted <= template["metadata"]["labels"].items()
    assert template["spec"]["enableServiceLinks"] is False
    (container,) = template["spec"]["containers"]
    if "ports" in container and container["image"] == "argosy":
        (port,) = container["ports"]
        assert container["readinessProbe"]["grpc"]["port"] == port["containerPort"]
        listens = [e["value"] for e in container["env"] if e["name"].endswith("LISTEN")]
        assert listens == [f"0.0.0.0:{port['containerPort']}"]


def _references(value: Any) -> Iterator[tuple[str, str, str | None]]:
    """Kind, name and key of every ConfigMap and Secret that is named in it."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key in ("configMapRef", "configMapKeyRef", "configMap"):
                yield "ConfigMap", inner["name"], inner.get("key")
            elif key == "secretKeyRef":
                yield "Secret", inner["name"], inner["key"]
            elif key == "secret":
                yield from (("Secret", inner["secretName"], item["key"]) for item in inner["items"])
            else:
                yield from _references(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _references(inner)
