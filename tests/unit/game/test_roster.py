"""A roster has everybody once, each with one tag."""

import pytest

from throwin.game.roster import RosterError, Team, make_roster

PAIRS = [("t9", "umpire u1"), ("b1", "blue 1"), ("r2", "red 2"), ("x", ""), ("k", "ball")]


def test_members_come_in_order() -> None:
    """Members come in order."""
    entities = [member.entity for member in make_roster(PAIRS).members]
    assert entities == ["red 2", "blue 1", "umpire u1", "ball"]


def test_spare_tag_is_on_nobody() -> None:
    """Spare tag is on nobody."""
    assert make_roster(PAIRS).entity_of("x") is None


def test_tag_names_its_entity() -> None:
    """Tag names its entity."""
    assert make_roster(PAIRS).entity_of("r2") == "red 2"


def test_player_has_team_and_number() -> None:
    """Player has team and number."""
    player = make_roster(PAIRS).players[0]
    assert (player.team, player.number) == (Team.RED, 2)


def test_umpire_has_his_id() -> None:
    """Umpire has his id."""
    assert [member.umpire_id for member in make_roster(PAIRS).umpires] == ["u1"]


@pytest.mark.parametrize("entity", ["red 5", "green 1", "umpire", "red", "ball 2", "red  1"])
def test_unknown_entity_is_refused(entity: str) -> None:
    """Unknown entity is refused."""
    with pytest.raises(RosterError, match="expected red 1"):
        make_roster([("t", entity)])


def test_entity_with_two_tags_is_refused() -> None:
    """Entity with two tags is refused."""
    with pytest.raises(RosterError, match="twice"):
        make_roster([("t1", "red 1"), ("t2", "red 1")])


def test_tag_on_two_is_refused() -> None:
    """Tag on two is refused."""
    with pytest.raises(RosterError, match="twice"):
        make_roster([("t1", "red 1"), ("t1", "red 2")])


def test_assigned_tag_replaces_the_old_one() -> None:
    """Assigned tag replaces the old one."""
    roster = make_roster(PAIRS).assign("x", "red 2")
    assert (roster.entity_of("x"), roster.entity_of("r2")) == ("red 2", None)


def test_tag_assigned_to_nobody_is_spare() -> None:
    """Tag assigned to nobody is spare."""
    assert make_roster(PAIRS).assign("r2", "").entity_of("r2") is None


def test_tag_assigned_anew_leaves_whom_it_was_on() -> None:
    """Tag assigned anew leaves whom it was on."""
    roster = make_roster(PAIRS).assign("r2", "blue 1")
    assert [member.entity for member in roster.players] == ["blue 1"]
