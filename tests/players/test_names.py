"""Names of players in tables."""

from pathlib import Path
from typing import Any

import pytest

import starscout
from starscout.players.names import KINDS, player_names, short_name
from starscout.players.python_class import PREFIX
from starscout.protocols.registry import PROTOCOLS

AGENT = "class Agent:\n    def choose(self, state, limit):\n        return state.legal[0]\n"


@pytest.mark.parametrize(
    ("spec", "name"),
    [
        ("random", "random"),
        ("negascout depth=2", "negascout depth=2"),
        ("python:agent.py:Agent", "Agent"),
        ("python[time=0.1]:/home/a b/agent.py:Agent own=7", "Agent own=7 time=0.1"),
        ("lab:./engine", "engine"),
        ("gtp[cwd=/home/anna version=2]:./build/engine --level 3", "engine --level 3"),
        ("lab[own=5]:python3.11 engine.py", "engine.py own=5"),
        ("lab:python3 -m engine", "python3 -m engine"),
        ("Anna: the best", "Anna: the best"),
        ("lab:'unclosed", "lab:'unclosed"),
    ],
)
def test_short_name(spec: str, name: str) -> None:
    assert short_name(spec) == name


def test_ambiguous_names_are_not_shortened() -> None:
    specs = ["lab:./old/engine", "lab:./new/engine", "lab:./engine2"]
    assert player_names(specs) == [*specs[:2], "engine2"]
    assert player_names([specs[0]] * 2) == ["engine", "engine"]
    assert player_names(specs, {specs[0]: "Anna"}) == ["Anna", "engine", "engine2"]


def test_tables_have_the_names_of_players(tmp_path: Path) -> None:
    (tmp_path / "agent.py").write_text(AGENT)
    (tmp_path / "players.csv").write_text(f"name,command\nAnna,python:{tmp_path}/agent.py:Agent\nBert,random\n")
    store = tmp_path / "mine.sqlite"
    settings: Any = {"pairs": 1, "workers": 0, "store": store, "luck": "off", "progress": False}
    agent = f"python:{tmp_path}/agent.py:Agent"
    played = starscout.match("ewn-3x3-3", agent, "random", **settings)
    assert [line.rstrip() for line in str(played).splitlines()[:2]] == ["A: Agent", "B: random"]
    assert repr(played).startswith("<match 1 of ewn-3x3-3: Agent scores")
    ranked = starscout.tournament("ewn-3x3-3", [agent, "random"], **settings)
    assert "Agent" in str(ranked)
    assert agent not in str(ranked)
    assert {row["player"] for row in ranked.json()["table"]} == {agent, "random"}
    starscout.tournament("ewn-3x3-3", tmp_path / "players.csv", seed=5, **settings)
    listed = starscout.results(store=store)
    # The name of a player in a tournament is not used in other matches of the same player.
    assert sorted(sorted(match.names) for match in listed.matches) == [["Agent", "random"]] * 2 + [["Anna", "Bert"]]
    assert agent not in str(listed)


def test_all_protocols_are_known() -> None:
    assert all(map(KINDS.fullmatch, (PREFIX, *PROTOCOLS)))
