"""Figures for Prometheus: what a process counts anyway, read when somebody asks. A move costs nothing more by it."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from prometheus_client import CollectorRegistry, ProcessCollector, start_http_server
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from services.kit.startup import CannotStart

Counts = Callable[[], Mapping[tuple[str, str], int]]
"""What happened so far: by name and by kind, such as ("appends", "Conflict")."""
Gauges = Callable[[], Mapping[str, float]]
"""How many there are now, by name."""


class _Figures(Collector):
    """Asks for the figures at each scrape."""

    def __init__(self, counts: Counts, gauges: Gauges) -> None:
        self._counts, self._gauges = counts, gauges

    def collect(self) -> Iterator[Metric]:
        """The figures as metrics named argosy_…; counts have the label `kind`."""
        families: dict[str, CounterMetricFamily] = {}
        for (name, kind), count in sorted(self._counts().items()):
            if name not in families:
                families[name] = CounterMetricFamily(f"argosy_{name}", f"{name} so far", labels=["kind"])
            families[name].add_metric([kind], count)
        yield from families.values()
        for name, value in self._gauges().items():
            yield GaugeMetricFamily(f"argosy_{name}", f"{name} now", value)


@contextmanager
def serving(address: str | None, counts: Counts, gauges: Gauges) -> Iterator[None]:
    """Serves the figures over HTTP at `HOST:PORT`, under /metrics; nothing without an address. Raises CannotStart."""
    if not address:
        yield
        return
    host, _, port = address.rpartition(":")
    if not host or not port.isdigit():
        raise CannotStart(f"ARGOSY_METRICS must be HOST:PORT, and {address!r} is not so")
    registry = CollectorRegistry()
    ProcessCollector(registry=registry)
    registry.register(_Figures(counts, gauges))
    try:
        server, thread = start_http_server(int(port), addr=host, registry=registry)
    except OSError as error:
        raise CannotStart(f"cannot serve metrics at {address}: {error.strerror}") from None
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
