"""The picture of a reviewed game."""

import re
from xml.etree import ElementTree

from starscout.drawing.summary_card import MAX_POINTS, WIDTH, CardSide, CardTexts, summary_card

TEXTS = CardTexts("Game", "blue: 46 % lost to dice", "red wins", "luck", "mistakes", "chances")


def card(
    headline: str = TEXTS.headline, luck: float | None = 0.23, chances: tuple[float, ...] = (0.5, 0.7, 1.0)
) -> str:
    lost = None if luck is None else -luck
    sides = CardSide("<Anna>", "#b2342b", luck, 0.05), CardSide("you", "#2b5f9e", lost, 0.17)
    return summary_card(TEXTS._replace(headline=headline), sides, chances)


def texts(svg: str) -> list[str]:
    return [
        "".join(element.itertext()) for element in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")
    ]


def test_a_card_states_luck_and_mistakes_of_both_sides() -> None:
    found = texts(card())
    assert {"<Anna>", "you", "+23 %", "−23 %", "−5 %", "−17 %", *TEXTS} <= set(found)


def test_a_game_without_chance_has_no_luck() -> None:
    found = texts(card(luck=None))
    assert "luck" not in found
    assert [text for text in found if text.endswith("%") and text[0] in "+−"] == ["−5 %", "−17 %"]


def test_long_headlines_are_smaller() -> None:
    sizes = [
        float(re.findall(r'font-size="([\d.]+)" fill="#22201c"', card(headline))[0])
        for headline in ("short", "x" * 100, "長" * 100)
    ]
    assert sizes[0] > sizes[1] > sizes[2]
    assert 100 * sizes[2] < WIDTH


def test_long_games_have_few_points() -> None:
    (points,) = re.findall(r'<polyline points="([^"]+)"', card(chances=(0.5,) * 5000))
    assert len(points.split()) <= MAX_POINTS + 20
