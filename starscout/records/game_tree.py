"""A game with comments and variations: a tree of moves, whose first branches are the game as it was played.

The JSON form is that of a game record (`json_lines.py`) with two optional fields per ply, so that every command that
reads records reads the main line:

    {"format": "starscout game 1", "game": "othello", "start": "…", "comment": "the first game", "plies": [
        {"move": "f5"},
        {"move": "d6", "comment": "diagonal", "variations": [[{"move": "f6"}, {"move": "e6"}], [{"move": "f4"}]]}]}

`comment` describes the position after the ply; at the top level, the start. `variations` are lines that replace the ply
to which they are attached, as in PGN. Their plies have the same form.
"""

import dataclasses
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from starscout import games
from starscout.errors import naming_file, public
from starscout.game import GameError, Outcome
from starscout.game.state import State, parse
from starscout.records.json_lines import REPORTED, ply_from_json, ply_to_json, record_from_json, record_to_json
from starscout.records.record import ADJOURNED, GameRecord, Ply, RecordError, with_event

MAX_DEPTH = 100
"""Maximum depth of variations within variations in a file."""


class GameNode:
    """A position of a game tree, with a comment and the plies that continue from it.

    >>> import starscout
    >>> game = starscout.GameTree("othello")
    >>> node = game.root.play("f5").play("d6", comment="diagonal")
    >>> node.parent.play("f6").state.ply, [child.ply.text for child in node.parent.children]
    (2, ['d6', 'f6'])
    """

    def __init__(self, state: State, ply: Ply | None = None, event: str = "", parent: "GameNode | None" = None) -> None:
        self.state = state
        """The state after the ply, before the next event."""
        self.ply = ply
        """The event and the move that led here; None at the root."""
        self.event = event
        """The event of the ply in the game's notation; empty if there was none."""
        self.parent = parent
        self.children: list[GameNode] = []
        """The continuations; the first is the main line."""
        self.comment = ""

    @property
    def next(self) -> "GameNode | None":
        """The next node of the main line from here; None at its end."""
        return self.children[0] if self.children else None

    @public
    def play(self, move: str | int, event: int | str = "", comment: str = "", **reported: Any) -> "GameNode":
        """Add a continuation and return its node; one that exists is returned instead. Raises GameError.

        `event` is the chance event before the move, as a number or text. `reported` are optional fields of the ply.
        """
        state = with_event(self.state, event)
        number = state.parse_move(move) if isinstance(move, str) else move
        after = state.play(number)
        text = state.game.format_move(state.position, number)
        played = Ply(state.event, text, number, **reported)
        node = next((child for child in self.children if _key(child.ply) == _key(played)), None)
        if node is None:
            node = GameNode(after, played, state.event_text or "", self)
            self.children.append(node)
        node.comment = comment or node.comment
        return node

    def line(self) -> "Iterator[GameNode]":
        """Yield the nodes of the main line after this one."""
        node = self.next
        while node is not None:
            yield node
            node = node.next

    def path(self) -> "list[GameNode]":
        """Return the nodes from the first ply to this one."""
        nodes: list[GameNode] = []
        node = self
        while node.parent is not None:
            nodes.append(node)
            node = node.parent
        return nodes[::-1]

    def promote(self) -> None:
        """Make this continuation the main line of its parent."""
        if self.parent is not None:
            self.parent.children.remove(self)
            self.parent.children.insert(0, self)

    def remove(self) -> None:
        """Remove this continuation and everything after it."""
        if self.parent is not None:
            self.parent.children.remove(self)
            self.parent = None

    def __repr__(self) -> str:
        move = "root" if self.ply is None else f"{self.event} {self.ply.text}".strip()
        return f"<node {move}: {len(self.children)} continuations>"


def _key(ply: Ply | None) -> tuple[int, int] | None:
    return None if ply is None else (ply.roll, ply.move)


class GameTree:
    """A game with comments and variations, from a start of a game, a state or a record.

    >>> import starscout, pathlib, tempfile
    >>> game = starscout.GameTree(starscout.start("othello"))
    >>> move = game.root.play("f5", comment="the usual first move")
    >>> variation = move.play("d6"), move.play("f6")
    >>> file = pathlib.Path(tempfile.mkdtemp(), "game.json")
    >>> game.save(file)
    >>> [node.comment for node in starscout.GameTree.load(file).root.line()]
    ['the usual first move', '']
    """

    @public
    def __init__(self, source: str | State | GameRecord, players: tuple[str, str] | None = None) -> None:
        if isinstance(source, GameRecord):
            record = source
        else:
            start = parse_start(source)
            record = GameRecord(
                start.game.name, start.text, start.game.sides, (), None, ADJOURNED,
                source=games.source_digest(start.game),
            )  # fmt: skip
        self._record = record if players is None else dataclasses.replace(record, players=players)
        *states, last = record.states()
        first = states[0].before_event if states else last.before_event
        self.root = node = GameNode(first)
        *events, _ = record.event_texts()
        for state, ply, event in zip([*states[1:], last], record.plies, events, strict=False):
            node.children.append(GameNode(state.before_event, ply, event, node))
            node = node.children[0]

    @property
    def players(self) -> tuple[str, str]:
        """The names of both sides."""
        return self._record.players

    @property
    def end(self) -> GameNode:
        """The last node of the main line."""
        return [self.root, *self.root.line()][-1]

    def record(self, node: GameNode | None = None) -> GameRecord:
        """Return the main line as a record, or the line from the start through `node` and on.

        The result of the recorded game is kept while its plies are the same; otherwise it is that of the last position,
        or adjourned.
        """
        nodes = [*self.root.line()] if node is None else [*node.path(), *node.line()]
        plies = tuple(node.ply for node in nodes if node.ply is not None)
        record = self._record
        if [_key(ply) for ply in plies] == [_key(ply) for ply in record.plies]:
            return dataclasses.replace(record, plies=plies)
        last = nodes[-1].state if nodes else self.root.state
        outcome = last.outcome or Outcome(None, ADJOURNED)
        return dataclasses.replace(
            record, plies=plies, winner=outcome.winner, reason=outcome.reason, points=outcome.points,
            detail="", final_event=0, left=(None, None),
        )  # fmt: skip

    def json(self) -> dict[str, Any]:
        """Return the documented JSON form."""
        value = record_to_json(self.record())
        comment = {"comment": self.root.comment} if self.root.comment else {}
        return {**value, **comment, "plies": _line_to_json(self.root)}

    @classmethod
    @public
    def from_json(cls, value: Any) -> "GameTree":
        """Invert `json`; every variation is checked. Raises GameError."""
        tree = cls(record_from_json(value))
        fields = cast("Mapping[str, Any]", value)
        tree.root.comment = _text(fields.get("comment", ""), "comment")
        _read_line(tree.root, fields["plies"], "plies", 0)
        return tree

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the JSON form to a file, as one line."""
        Path(path).write_text(json.dumps(self.json()) + "\n", encoding="utf-8")

    @classmethod
    @public
    def load(cls, path: str | os.PathLike[str]) -> "GameTree":
        """Read a file that `save` has written; raises GameError."""
        try:
            with naming_file(path):
                value = json.loads(Path(path).read_text(encoding="utf-8"))
        except (ValueError, RecursionError) as error:
            raise GameError(f"{os.fspath(path)}: expected one game as a JSON object: {error}") from error
        return cls.from_json(value)

    def __str__(self) -> str:
        """The moves with comments in braces and variations in parentheses."""
        comment = f"{{{self.root.comment}}} " if self.root.comment else ""
        return comment + _line_text(self.root)

    def __repr__(self) -> str:
        return f"<game of {self._record.game}: {' – '.join(self.players)}, {len([*self.root.line()])} plies>"


def parse_start(source: str | State) -> State:
    """A state before its event: the given one, or the first start of a game."""
    if isinstance(source, State):
        return source.before_event
    game = games.find(source)
    return parse(game, game.format(game.start_position(0), 0))


def _line_to_json(node: GameNode) -> list[dict[str, Any]]:
    """The main line after a node, with the variations beside each of its plies."""
    return [_ply_to_json(child, alternatives=True) for child in node.line()]


def _ply_to_json(node: GameNode, *, alternatives: bool) -> dict[str, Any]:
    assert node.ply is not None
    assert node.parent is not None
    value = ply_to_json(node.ply, node.event, node.state.game)
    if node.comment:
        value["comment"] = node.comment
    others = node.parent.children[1:] if alternatives else []
    if others:
        value["variations"] = [[_ply_to_json(other, alternatives=False), *_line_to_json(other)] for other in others]
    return value


def _read_line(node: GameNode, plies: Any, where: str, depth: int) -> None:
    """Add a line with its comments and variations below a node."""
    if not isinstance(plies, list):
        raise RecordError(1, f"{where}: expected a list of plies, got {plies!r:.60}")
    if depth > MAX_DEPTH:
        raise RecordError(1, f"{where}: variations are nested more than {MAX_DEPTH} levels deep")
    entries = cast("list[Any]", plies)
    for number, entry in enumerate(entries):
        place = f"{where}[{number}]"
        ply = ply_from_json(entry, place)
        reported = {name: value for name in REPORTED if (value := getattr(ply, name)) is not None}
        try:
            child = node.play(ply.move, ply.event or ply.roll, **reported)
        except GameError as error:
            raise RecordError(1, f"{place}: {error}") from error
        child.comment = _text(entry.get("comment", ""), f"{place}.comment")
        variations = entry.get("variations", [])
        if not isinstance(variations, list):
            raise RecordError(1, f"{place}.variations: expected a list of lines, got {variations!r:.60}")
        for index, line in enumerate(cast("list[Any]", variations)):
            _read_line(node, line, f"{place}.variations[{index}]", depth + 1)
        node = child


def _text(value: Any, where: str) -> str:
    if not isinstance(value, str):
        raise RecordError(1, f"{where}: expected a text, got {value!r:.60}")
    return value


def _line_text(node: GameNode) -> str:
    """The main line after a node as text."""
    return " ".join(_ply_text(child, alternatives=True) for child in node.line())


def _ply_text(node: GameNode, *, alternatives: bool) -> str:
    assert node.ply is not None
    assert node.parent is not None
    words = [f"{node.event}:{node.ply.text}" if node.event else node.ply.text]
    words += [f"{{{node.comment}}}"] if node.comment else []
    for other in node.parent.children[1:] if alternatives else []:
        words.append(f"({f'{_ply_text(other, alternatives=False)} {_line_text(other)}'.strip()})")
    return " ".join(words)
