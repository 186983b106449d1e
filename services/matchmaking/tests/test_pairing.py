from services.matchmaking.pairing import Group, Waiting, groups, next_due_ms, parse

GATHER = 5_000


def waiting(
    name: str,
    least: int = 2,
    most: int = 2,
    *,
    player: str = "",
    policy: str = "",
    at: int = 0,
    bots_at: int = 0,
    expires: int = 10**9,
) -> Waiting:
    return Waiting(name, player or name, least, most, policy, at, bots_at, expires)


def seated(*queue: Waiting, now: int = 0) -> list[str]:
    return [" ".join(w.ticket for w in group.people) + " +bot" * group.bots for group in groups(queue, now, GATHER)]


def test_a_member_is_read_as_the_server_writes_it() -> None:
    assert parse("t|p|1|4|sensible|100|200|300") == Waiting("t", "p", 1, 4, "sensible", 100, 200, 300)


def test_pairs_in_order_of_arrival() -> None:
    assert seated(*map(waiting, "abcde")) == ["a b", "c d"]


def test_one_alone_starts_at_once() -> None:
    assert seated(waiting("a", 1, 1)) == ["a"]


def test_nobody_meets_itself() -> None:
    assert seated(waiting("a", player="x"), waiting("b", player="x")) == []
    assert seated(waiting("a", player="x"), waiting("b", player="x"), waiting("c")) == ["a c"]


def test_who_cannot_be_seated_yet_holds_nobody_up() -> None:
    assert seated(waiting("a", 3, 3), waiting("b"), waiting("c")) == ["b c"]


def test_a_range_meets_a_number_within_it() -> None:
    assert seated(waiting("a", 2, 4), waiting("b")) == ["a b"]
    assert seated(waiting("a", 3, 4), waiting("b")) == []


def test_a_range_waits_for_more_and_then_no_longer() -> None:
    queue = [waiting("a", 2, 4, at=100), waiting("b", 2, 4, at=2_000)]
    assert seated(*queue, now=5_099) == []
    assert seated(*queue, now=5_100) == ["a b"]
    assert seated(*queue, *(waiting(n, 2, 4, at=2_000) for n in "cd"), now=2_000) == ["a b c d"]


def test_bots_come_when_their_time_has_come() -> None:
    alone = waiting("a", policy="random", bots_at=1_000)
    assert seated(alone, now=999) == []
    assert seated(alone, now=1_000) == ["a +bot"]


def test_people_go_before_bots() -> None:
    assert seated(waiting("a", policy="random"), waiting("b")) == ["a b"]


def test_bots_sit_only_with_those_who_asked_for_the_same() -> None:
    first = waiting("a", 3, 3, policy="random")
    assert seated(first, waiting("b", 3, 3)) == ["a +bot +bot"]
    assert seated(first, waiting("b", 3, 3, policy="sensible", bots_at=10**9 - 1)) == ["a +bot +bot"]
    assert seated(first, waiting("b", 3, 3, policy="random", bots_at=10**9 - 1)) == ["a b +bot"]


def test_no_more_bots_than_the_fewest_seats_need() -> None:
    assert seated(waiting("a", 3, 5, policy="random")) == ["a +bot +bot"]
    pair = [waiting("a", 2, 5, policy="random"), waiting("b", 2, 5, policy="random")]
    assert seated(*pair) == ["a b"]


def test_the_expired_are_not_seated() -> None:
    assert seated(waiting("a", expires=10), waiting("b"), now=10) == []


def test_when_to_look_again() -> None:
    queue = [waiting("a", at=0, bots_at=700, policy="random", expires=9_000)]
    assert [next_due_ms(queue, now, GATHER) for now in (0, 700, 5_000, 9_000)] == [700, 5_000, 9_000, None]


def test_nobody_is_in_two_groups() -> None:
    queue = [waiting(f"t{i}", 1 + i % 3, 2 + i % 4, player=f"p{i % 37}", at=i) for i in range(200)]
    found: list[Group] = list(groups(queue, 10_000, GATHER))
    tickets = [w.ticket for group in found for w in group.people]
    assert len(tickets) == len(set(tickets))
    for group in found:
        assert len({w.player for w in group.people}) == len(group.people)
        assert all(w.takes(len(group.people)) for w in group.people)
