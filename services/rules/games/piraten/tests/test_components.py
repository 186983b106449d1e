"""The components have names in German and English, and a file that lacks some is refused in words."""

from importlib import resources

import pytest

from services.rules.games.piraten import components

DATA = resources.files(components.__package__ or "").joinpath("data", "components.json").read_bytes()


def test_everything_has_a_name_in_both_languages() -> None:
    english, german = components.names("en"), components.names("de")
    assert english.keys() == german.keys()
    assert (english["yellow1"], german["yellow1"]) == ("yellow 1", "Gelb 1")
    assert (english["pirate3"], german["pirate3"]) == ("Pirate ship 3", "Piratenschiff 3")
    assert (english["PRISON"], german["PRISON"]) == ("Pirate Island", "Pirateninsel")
    assert components.names("fr") == english
    assert list(components.letters().values()) == ["Y", "P", "G", "R"]


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('"format": 1,', '"format": 1', "cannot be read"),
        ('"format": 1,', '"format": 2,', "not format 1"),
        ('"yellow2", ', "", "twelve boats"),
        ('"pirate1", ', "", "three pirate ships"),
        ('"id": "HA"', '"id": "HC"', "hideouts are not"),
        ('"id": "pirate", ', "", "missing required field `id`"),
        ('"id": "pirate", ', '"id": "ship", ', "groups are not"),
        (', "de": "Palmenbach"', "", "HA lacks a name"),
        ('"en": "Home harbour"', '"en": ""', "HOME lacks a name"),
        (', "letter": "Y"', "", "letter of its own"),
        ('"letter": "Y"', '"letter": "R"', "letter of its own"),
        ('"name": {"en": "red", "de": "Rot"}', '"name": 7', "Expected `object`, got `int`"),
    ],
)
def test_a_file_that_lacks_something_is_refused(old: str, new: str, problem: str) -> None:
    assert old in DATA.decode()
    with pytest.raises(ValueError, match=problem):
        components.read(DATA.decode().replace(old, new).encode())
