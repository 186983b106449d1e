import pytest

from services.kit.errors import Reason, Refused
from services.kit.log import ids
from services.kit.names import game_id, id_in, match_id

ID = bytes(range(16))
TEXT = ids.to_text(ID)


def test_names_give_their_ids() -> None:
    assert match_id(f"matches/{TEXT}") == ID
    assert id_in("tickets", f"tickets/{TEXT}") == ID
    assert game_id("games/nim") == "nim"


@pytest.mark.parametrize(
    "name", ["", TEXT, f"players/{TEXT}", "matches/", f"matches/{TEXT}/", f"matches/{TEXT.upper()}"]
)
def test_what_is_no_name_is_not_there(name: str) -> None:
    with pytest.raises(Refused) as refused:
        match_id(name)
    assert refused.value.reason == Reason.ERROR_REASON_NOT_FOUND


@pytest.mark.parametrize("name", ["", "nim", "games/", "matches/nim"])
def test_what_is_no_game_is_not_there(name: str) -> None:
    with pytest.raises(Refused) as refused:
        game_id(name)
    assert refused.value.reason == Reason.ERROR_REASON_NOT_FOUND
