"""What can be set about a gateway."""

from dataclasses import dataclass
from pathlib import Path

from services.kit.log.servers import RedisSettings
from services.kit.logs import LogSettings
from services.kit.settings import group, setting
from services.match.rules import DirectorySettings


@dataclass(frozen=True, slots=True)
class LimitSettings:
    """What players, keys and addresses may ask, and how much may go on at once."""

    player_rate: float = setting(50.0, "Requests of one player, actions on streams among them.", unit="1/s")
    player_burst: int = setting(200, "Requests of one player at once.")
    key_rate: float = setting(1000.0, "Requests with one API key.", unit="1/s")
    key_burst: int = setting(4000, "Requests with one API key at once.")
    sign_in_rate: float = setting(2.0, "Guests made and tokens renewed for one address.", unit="1/s")
    sign_in_burst: int = setting(100, "Guests made and tokens renewed for one address at once.")
    trusted_proxies: tuple[str, ...] = setting(
        (), "Addresses and CIDR blocks of proxies whose x-forwarded-for is believed; limits are the client's then."
    )
    guess_rate: float = setting(0.1, "Wrong invitation codes of one player, and from one address.", unit="1/s")
    guess_burst: int = setting(20, "Wrong invitation codes of one player, and from one address, at once.")
    calls_at_once: int = setting(2000, "Calls in progress, streams not counted.")
    streams_at_once: int = setting(20_000, "Streams open at once; a tenth more for callers without credentials.")


@dataclass(frozen=True, slots=True)
class GatewaySettings:
    """Read from ARGOSY_* variables."""

    listen: str = setting("127.0.0.1:7600", "Address of the public port; port 0 takes a free one.")
    listen_shared: bool = setting(
        default=False, says="Whether several gateways of this machine listen at the same public port (Linux)."
    )
    listen_inside: str | None = setting(
        None, "A second address for this machine's own processes, as unix:PATH; empty for none."
    )
    tls_cert: Path | None = setting(
        None, "The certificate of the public address, in PEM form with those between; empty for no TLS."
    )
    tls_key: Path | None = setting(None, "The private key of that certificate, in PEM form.")
    data: Path = setting(Path("data"), "The data directory: accounts and keys, unless they are elsewhere.")
    accounts_url: str | None = setting(
        None, "The accounts database, as postgresql://USER@HOST/NAME; empty for a SQLite file in the data directory."
    )
    keys_file: Path | None = setting(None, "The platform's signing keys; empty for a file in the data directory.")
    bots_key_file: Path | None = setting(
        None, "The secret of the processes that play hosted bots; empty where there are none."
    )
    matchmaking: str | None = setting(None, "Address of the matchmaking service; empty where there is none.")
    replay: str | None = setting(None, "Address of the replay service; empty where there is none.")
    metrics: str | None = setting(None, "HOST:PORT to serve figures for Prometheus at; empty for none.")
    reflection: bool = setting(default=True, says="Whether clients may ask for the protos of services and games.")
    tables: int = setting(100_000, "Matches kept in memory; the least used beyond them are read again when needed.")
    number: int = setting(0, "The number of this gateway in the provenance of entries.")
    files: int = setting(1024, "Files and connections that the process must be able to open.")
    drain_s: float = setting(10.0, "How long calls in progress may go on at the end.", unit="s")
    build: str = setting("", "What is built into this process, as told to clients; empty for its version.")
    limits: LimitSettings = group(LimitSettings)
    games: DirectorySettings = group(DirectorySettings)
    redis: RedisSettings = group(RedisSettings)
    log: LogSettings = group(LogSettings)
