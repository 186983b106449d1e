import asyncio

import pytest
from argosy.rules.v1 import rules_service_pb2 as rules_v1
from google.protobuf import descriptor_pool

from services.kit.errors import Refused
from services.kit.startup import CannotStart
from services.match.rules import RulesDirectory, parse_addresses
from services.match.tests.card_rules import card_game, card_rules, serving


def test_addresses_are_read_by_game() -> None:
    assert parse_addresses(["sirenen=h:1", "toy=unix:/run/toy"]) == {"sirenen": "h:1", "toy": "unix:/run/toy"}
    replicas = ["toy=unix:/run/a", "/run/b", "sirenen=ipv4:10.0.0.1:1", "10.0.0.2:1"]
    assert parse_addresses(replicas) == {"toy": "unix:/run/a,/run/b", "sirenen": "ipv4:10.0.0.1:1,10.0.0.2:1"}


@pytest.mark.parametrize("item", ["sirenen", "=h:1", "sirenen=h", "Sirenen=h:1", "sirenen=", "x=h:p"])
def test_what_is_no_address_keeps_the_process_from_starting(item: str) -> None:
    with pytest.raises(CannotStart, match="ARGOSY_RULES"):
        parse_addresses([item])


def test_a_game_named_twice_keeps_the_process_from_starting() -> None:
    with pytest.raises(CannotStart, match="twice"):
        parse_addresses(["toy=h:1", "toy=h:2"])


async def test_a_described_game_has_its_own_message_classes() -> None:
    async with serving(card_rules(card_game())) as address:
        directory = RulesDirectory({"cards": address})
        await directory.refresh()
        entry = directory.game("cards")
        assert entry.id == "cards"
        assert entry.rules_version == "1.0.0"
        assert str(entry.settings_class.FromString(entry.description.default_settings)) == "card: 5\n"
        assert entry.position_class.DESCRIPTOR.full_name == "cards.v1.Position"
        assert entry.pool is not descriptor_pool.Default()
        assert directory.entry("cards", "1.0.0") is entry
        asset = await entry.stub.ReadAsset(rules_v1.ReadAssetRequest(game="cards", name="cards.json"), timeout=60)
        assert asset.content == b"{}"
        await directory.close()


async def test_what_is_not_configured_is_not_found_and_what_is_not_described_unavailable() -> None:
    async with serving(card_rules(card_game())) as address:
        directory = RulesDirectory({"cards": address, "other": address})
        with pytest.raises(Refused) as refused:
            directory.game("cards")
        assert refused.value.name == "RULES_UNAVAILABLE"
        await directory.refresh()
        assert [entry.id for entry in directory.playable()] == ["cards"]
        for game, version, reason in [
            ("nothing", "", "NOT_FOUND"),
            ("nothing", "1.0.0", "NOT_FOUND"),
            ("other", "", "RULES_UNAVAILABLE"),
            ("cards", "9.0.0", "RULES_UNAVAILABLE"),
        ]:
            with pytest.raises(Refused) as refused:
                directory.entry(game, version) if version else directory.game(game)
            assert refused.value.name == reason
        await directory.close()


async def test_a_game_goes_away_with_its_service_and_comes_back() -> None:
    rules = card_rules(card_game())
    async with serving(rules) as address:
        directory = RulesDirectory({"cards": address})
        await directory.refresh()
    await directory.refresh()
    assert directory.playable() == []
    assert directory.entry("cards", "1.0.0").id == "cards"
    draining = asyncio.Event()
    async with asyncio.TaskGroup() as group, serving(rules, address):
        group.create_task(directory.keep_fresh(draining))
        async with asyncio.timeout(60):
            while not directory.playable():  # noqa: ASYNC110 - a directory tells nobody
                await asyncio.sleep(0.05)
        draining.set()
    await directory.close()


async def test_new_matches_begin_under_the_newest_rules_and_old_ones_keep_theirs() -> None:
    rules = card_rules(card_game(rules_version="1.9.0"), card_game(rules_version="1.10.0"))
    async with serving(rules) as address:
        directory = RulesDirectory({"cards": address})
        await directory.refresh()
        assert directory.game("cards").rules_version == "1.10.0"
        del rules.games[1]
        await directory.refresh()
        assert directory.game("cards").rules_version == "1.10.0", "another replica may still know it"
        for _ in range(3):
            await directory.refresh()
        assert directory.game("cards").rules_version == "1.9.0"
        assert directory.entry("cards", "1.10.0").rules_version == "1.10.0"
        assert [entry.rules_version for entry in directory.known()] == ["1.10.0", "1.9.0"]
        await directory.close()


async def test_two_versions_may_say_one_name_differently() -> None:
    old, new = card_game(rules_version="1.0.0"), card_game(rules_version="2.0.0")
    new.descriptors.file[-1].message_type[1].field[0].name = "stone"
    async with serving(card_rules(old, new)) as address:
        directory = RulesDirectory({"cards": address})
        await directory.refresh()
        assert directory.entry("cards", "1.0.0").action_class(card=1).SerializeToString() == b"\x08\x01"
        assert directory.entry("cards", "2.0.0").action_class(stone=1).SerializeToString() == b"\x08\x01"
        await directory.close()


async def test_a_description_that_does_not_fit_is_none() -> None:
    broken = card_game()
    broken.action_type = "cards.v1.Nothing"
    async with serving(card_rules(broken)) as address:
        directory = RulesDirectory({"cards": address})
        await directory.refresh()
        with pytest.raises(Refused):
            directory.game("cards")
        assert list(directory.known()) == []
        await directory.close()
