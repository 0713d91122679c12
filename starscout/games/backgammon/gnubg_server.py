"""The child process of the player `gnubg`: answers questions about positions with gnubg-nn, one line of JSON each.

gnubg-nn is GPL software and can crash its process, so it runs apart from StarScout. This file imports nothing from
StarScout.
"""

import base64
import json
import sys
from typing import Any


def position_id(key: str) -> str:
    """The position ID of a key of 20 letters A–P, two for each byte."""
    nibbles = ["ABCDEFGHIJKLMNOP".index(letter) for letter in key]
    content = bytes(high << 4 | low for high, low in zip(nibbles[::2], nibbles[1::2], strict=True))
    return base64.b64encode(content).decode()[:14]


def answer(gnubg: Any, question: dict[str, Any]) -> dict[str, Any]:
    """The answer to a question.

    `plays`: the ID of the position after each play of the dice, and its equity, the best play first. `chances` without
    dice: the mover's probabilities of a win, a gammon, a backgammon, a lost gammon and a lost backgammon.
    """
    board = [question["enemy"], question["own"]]
    if question["money"]:
        gnubg.set.score(0, 0)
    else:
        gnubg.set.score(1, 1)
    if "dice" not in question:
        return {"chances": list(gnubg.probabilities(board, question["plies"]))}
    found = gnubg.best_move(board, *question["dice"], n=question["plies"], b=1, list=1)
    # Positions of the list are those of the side to move next.
    return {"plays": [[position_id(key), equity] for key, _, _, equity in found[2]]}


def main() -> None:
    """Answer until the input ends."""
    import gnubg_nn  # pyright: ignore[reportMissingImports]

    for line in sys.stdin:
        print(json.dumps(answer(gnubg_nn, json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
