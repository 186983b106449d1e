"""Whose work a sample is."""

from tests.bench import spying

_LOOP = "thread (7): MainThread;_run_code (<frozen runpy>:88);run (services/kit/host.py:118)"


def test_a_sample_counts_once_by_its_innermost_frame_of_ours() -> None:
    append = "Recorder.append (services/match/recording.py:89)"
    seal = "seal (services/kit/parts.py:40);__init__ (<string>:3)"

    assert spying.area_of(f"{_LOOP};{append};{seal}") == spying.SEALING
    assert spying.area_of(f"{_LOOP};{append};Redis.execute (redis/asyncio/client.py:7)") == spying.RECORDING
    assert spying.area_of(f"{_LOOP};write_all (services/kit/interceptor.py:60)") == spying.WRITES
    assert spying.area_of(f"{_LOOP};Runner.run (asyncio/runners.py:118)") == spying.LOOP


def test_only_the_loops_own_thread_is_counted() -> None:
    idle = "thread (8): Thread-5 (_connection_worker_thread);_connection_worker_thread (aiosqlite/core.py:59) 65"

    assert spying.count([f"{_LOOP} 3", f"{_LOOP};decide (services/match/deciding.py:30) 2", idle], 7) == {
        spying.LOOP: 3,
        spying.RULES: 2,
    }
