import enum
from dataclasses import dataclass
from pathlib import Path

import pytest

from services.kit import settings
from services.kit.settings import group, setting
from services.kit.startup import CannotStart


class Mode(enum.StrEnum):
    FAST = "fast"
    SLOW = "slow"


@dataclass(frozen=True, slots=True)
class Shared:
    redis_url: str = setting("redis://localhost", "Where the store is.")


@dataclass(frozen=True, slots=True)
class Edge:
    listen: str = setting("127.0.0.1:7600", "Address.")
    drain_s: float = setting(10.0, "Grace.", unit="s")
    watches: int = setting(64, "Per connection.")
    reflection: bool = setting(True, "Whether descriptors are served.")
    mode: Mode = setting(Mode.FAST, "How.")
    data: Path | None = setting(None, "Folder.")
    games: tuple[str, ...] = setting((), "Names.")
    key: str = setting("", "Signs.", secret=True)
    shared: Shared = group(Shared)


@dataclass(frozen=True, slots=True)
class Clash:
    metrics_port: int = setting(9000, "Named like a service link.")


def test_defaults_without_variables() -> None:
    assert settings.load(Edge, {"PATH": "/bin"}) == Edge()


def test_each_kind_of_value() -> None:
    assert settings.load(
        Edge,
        {
            "ARGOSY_DRAIN_S": "2.5",
            "ARGOSY_WATCHES": "3",
            "ARGOSY_REFLECTION": "off",
            "ARGOSY_MODE": "slow",
            "ARGOSY_DATA": "/data",
            "ARGOSY_GAMES": "ruhe, piraten",
            "ARGOSY_KEY": "k",
            "ARGOSY_REDIS_URL": "unix:///s",
        },
    ) == Edge(
        drain_s=2.5,
        watches=3,
        reflection=False,
        mode=Mode.SLOW,
        data=Path("/data"),
        games=("ruhe", "piraten"),
        key="k",
        shared=Shared(redis_url="unix:///s"),
    )


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ARGOSY_GATEWAY_SERVICE_HOST", "10.0.0.1"),
        ("ARGOSY_GATEWAY_SERVICE_PORT", "7600"),
        ("ARGOSY_GATEWAY_SERVICE_PORT_GRPC", "7600"),
        ("ARGOSY_GATEWAY_PORT", "tcp://10.0.0.1:7600"),
        ("ARGOSY_GATEWAY_PORT_7600_TCP", "tcp://10.0.0.1:7600"),
        ("ARGOSY_GATEWAY_PORT_7600_TCP_ADDR", "10.0.0.1"),
        ("ARGOSY_GATEWAY_PORT_7600_TCP_PORT", "7600"),
        ("ARGOSY_GATEWAY_PORT_7600_TCP_PROTO", "tcp"),
    ],
)
def test_service_links_are_skipped(name: str, value: str) -> None:
    assert settings.load(Edge, {name: value}) == Edge()


def test_a_port_that_no_cluster_would_write_so_is_refused() -> None:
    with pytest.raises(CannotStart, match="unknown setting ARGOSY_GATEWAY_PORT"):
        settings.load(Edge, {"ARGOSY_GATEWAY_PORT": "7600"})


def test_a_setting_named_like_a_service_link_is_a_bug() -> None:
    with pytest.raises(TypeError, match="ARGOSY_METRICS_PORT"):
        settings.load(Clash, {})


def test_an_unknown_variable_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(CannotStart, match=r"unknown setting ARGOSY_REDIS_ULR; did you mean ARGOSY_REDIS_URL\?"):
        settings.load(Edge, {"ARGOSY_REDIS_ULR": "x"})


@pytest.mark.parametrize(
    ("name", "value", "wanted"),
    [
        ("ARGOSY_WATCHES", "many", "a whole number, not 'many'"),
        ("ARGOSY_REFLECTION", "perhaps", "true or false"),
        ("ARGOSY_MODE", "quick", "one of fast, slow"),
    ],
)
def test_a_wrong_value_is_refused_by_name(name: str, value: str, wanted: str) -> None:
    with pytest.raises(CannotStart, match=f"{name} must be {wanted}"):
        settings.load(Edge, {name: value})


def test_secrets_are_not_shown() -> None:
    told = settings.shown(Edge(key="hush", shared=Shared(redis_url="redis://user:hush@host:1/0")))
    assert "hush" not in str(told)
    assert told["ARGOSY_KEY"] == "***"
    assert told["ARGOSY_REDIS_URL"] == "redis://***@host:1/0"


def test_variables_make_the_same_settings() -> None:
    edge = Edge(drain_s=2.5, reflection=False, mode=Mode.SLOW, games=("a", "b"), key="k", data=Path("/d"))
    assert settings.load(Edge, settings.variables(edge)) == edge


def test_described_names_defaults_and_units() -> None:
    assert ("ARGOSY_DRAIN_S", "10.0", "s", "Grace.") in settings.described(Edge)
