"""Runs a gateway: the platform's only public address.

    python -m gateway

Settings are read from ARGOSY_* variables. What keeps it from starting is one line on stderr and exit code 2.
"""

import os

from gateway.edge import Edge, durability_of, open_edge
from gateway.reflection import reflect
from gateway.settings import GatewaySettings
from services.kit import settings as kit_settings
from services.kit import startup
from services.kit.host import PUBLIC, Register, Service, Task, run, serve
from services.kit.limits import raise_file_limit
from services.kit.log.log import EventLog, open_log
from services.kit.logs import configure, log_settings

PUBLIC_SERVICES = ("argosy.v1.SessionService", "argosy.v1.GameService", "argosy.v1.MatchService")


async def main() -> None:
    """Puts the gateway together and serves until told to stop."""
    settings = kit_settings.load(GatewaySettings, os.environ)
    configure(settings.log, "gateway")
    log_settings(settings)
    raise_file_limit(settings.files)
    async with open_edge(settings) as edge, open_log(settings.redis) as log:
        await serve(settings.listen, _service(edge, log))


def _service(edge: Edge, log: EventLog) -> Service:
    settings = edge.settings
    register: list[Register] = edge.registrations(durability_of(log.store, settings.redis.redis_replicas))
    tasks: list[Task] = [edge.directory.keep_fresh]
    # MatchService is registered here, with its tasks.
    if settings.reflection:
        register.append(reflect(PUBLIC_SERVICES, edge.directory))
    return Service(register=register, tasks=tasks, interceptors=[edge.gate], limits=PUBLIC, grace_s=settings.drain_s)


if __name__ == "__main__":
    startup.run(lambda: run(main))
