"""What each course fixed for its game: the protocol of its programs, the limits, and how rounds are seated."""

from typing import NamedTuple

from starscout.game import Game, GameError
from starscout.players.player import Player
from starscout.players.spec import make_player
from starscout.protocols.process import is_program
from starscout.protocols.programs import make
from starscout.referee.rounds import Seating
from starscout.search.limits import Limit


class Course(NamedTuple):
    """The customs of one course."""

    protocol: str
    limit: Limit
    seating: Seating


COURSES = {
    "ewn": Course("tcg-ewn", Limit(clock=60.0), Seating.FIXED),
    "ewn-cyclic": Course("tcg-raw", Limit(time=2.0), Seating.NEW_BOARDS),
    "kari": Course("tcg-raw", Limit(time=10.0), Seating.NEW_BOARDS),
    "othello": Course("otp", Limit(time=10.0), Seating.PAIRED),
}


def course_of(game: Game) -> Course:
    """The customs for a game; raises GameError."""
    if game.name not in COURSES:
        raise GameError(f"no course has played {game.name}: {', '.join(COURSES)} (see: starscout match)")
    return COURSES[game.name]


def course_player(text: str, game: Game) -> Player:
    """A program that speaks the course's protocol, or any other player by its SPEC."""
    if is_program(text):
        return make(course_of(game).protocol, text, game)
    return make_player(text, game)
