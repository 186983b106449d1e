"""Chooses the engine that moves gRPC's bytes: each `__main__` imports this before all else.

gRPC's newer engine hands every message through a pool of threads before the one that waits for it hears of it. On the
older one that thread polls the sockets itself: a bare relay cost a quarter less CPU here (172 µs to 132 a move). The
library reads the choice when it is imported, which is why this is done at import. Who sets GRPC_EXPERIMENTS has chosen.
"""

import os

os.environ.setdefault("GRPC_EXPERIMENTS", "-event_engine_client,-event_engine_listener")
