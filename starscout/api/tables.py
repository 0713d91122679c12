"""Results for people: a match, standings, a cross table."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.table import Table

    from starscout.api.match import MatchResult
    from starscout.arena.standings import Standings
    from starscout.game import Game
    from starscout.records.packed import SeatedGame


def result_table(result: "MatchResult") -> "Table":
    """A match result for people; forfeits come first."""
    from rich.table import Table

    title = f"A: {result.a}\nB: {result.b}"
    table = Table(box=None, show_header=False, title=title, title_justify="left")
    table.add_column(style="bold")
    table.add_column()
    for words in result_rows(result):
        table.add_row(*words)
    return table


def result_rows(result: "MatchResult") -> list[tuple[str, str]]:
    """What is said about a match: a name and a text each."""
    rows: list[tuple[str, str]] = []
    for name in ("A", "B"):
        reasons = ", ".join(f"{reason} {count}×" for reason, count in result.forfeits[name].items())
        if reasons:
            rows.append((f"forfeits of {name}", f"{reasons} of {result.games} games"))
    if result.first_forfeit:
        rows.append(("the first", result.first_forfeit))
    counts = "  ".join(f"{score}: {count}" for score, count in result.pair_counts.items())
    draws = f" ={result.draws}" if result.draws else ""
    pairs = "1 pair" if result.pairs == 1 else f"{result.pairs} pairs"
    rows.append(("games", f"{result.games} in {pairs}   +{result.wins} −{result.losses}{draws}"))
    rows.append(("pair scores", counts or "none yet"))
    low, high = result.score_interval
    rows.append(("score of A", f"{result.score:.1%}   95 %: {low:.1%} to {high:.1%}"))
    lowest, highest = result.elo_interval
    infinite = 1 if result.score > 0.5 else -1
    interval = f"{elo_text(lowest, -1)} to {elo_text(highest, 1)}"
    rows.append(("Elo", f"{elo_text(result.elo, infinite)}   95 %: {interval}"))
    rows.append(("A is stronger", f"{result.los:.1%} likely"))
    luck = result.luck_adjusted
    if luck is not None:
        low, high = luck.score_interval
        bought = "" if luck.variance_ratio is None else f"   variance × {luck.variance_ratio:.2f}"
        score = min(max(luck.score, 0.0), 1.0)
        rows.append(("luck-adjusted", f"{score:.1%}   95 %: {low:.1%} to {high:.1%}{bought}"))
    test = result.sprt
    if test is not None:
        verdicts = {"elo1": f"A is better by {test.elo1:g} Elo", "elo0": f"A is not better than {test.elo0:g} Elo"}
        between = f"{test.llr:+.2f} between {test.lower:.2f} and {test.upper:.2f}"
        rows.append(("sequential test", f"{between}: {verdicts.get(test.verdict, 'undecided')}"))
    rows.append(("length", f"{result.mean_plies:.1f} plies"))
    for name, limit in zip(("A", "B"), (str(limit) or "its own default" for limit in result.limits), strict=True):
        rows.append((f"{name} used", f"{used_text(result.used[name])}   limit: {limit}"))
    if result.pace:
        rows.append(("pace", result.pace))
    return rows


def used_text(used: dict[str, Any]) -> str:
    """Time, depth and counts per move, as far as they are known."""
    if not used["moves"]:
        return "no moves"
    seconds = used["seconds_per_move"]
    words = [f"{seconds:.3g} s per move" if seconds >= 1 else f"{1000 * seconds:.3g} ms per move"]
    if used["mean_depth"]:
        words.append(f"{used['mean_depth']:.1f} plies deep")
    counts = {name: used[f"{name}_per_move"] for name in ("nodes", "simulations")}
    words += [f"{count:,.0f} {name}" for name, count in counts.items() if count]
    if used["seconds_left"] is not None:
        words.append(f"{used['seconds_left']:.2f} s left")
    return ", ".join(words)


def matches_table(matches: "Sequence[MatchResult]") -> "Table":
    """Matches side by side."""
    from rich.table import Table

    table = Table(box=None, header_style="bold")
    for heading in MATCH_HEADINGS:
        table.add_column(heading, justify="left" if heading in ("game", "A", "B", "used", "") else "right")
    for match in matches:
        table.add_row(*match_words(match))
    return table


MATCH_HEADINGS = ("match", "game", "A", "B", "pairs", "score of A", "95 %", "luck-adjusted", "Elo", "used", "")


def match_words(match: "MatchResult") -> tuple[str, ...]:
    """A match in one line, under MATCH_HEADINGS."""
    low, high = match.score_interval
    luck = match.luck_adjusted
    note = "" if match.finished else f"of {match.wanted}, unfinished"
    note += "" if match.current_code else " (earlier code)"
    return (
        str(match.match),
        match.game,
        match.a,
        match.b,
        str(match.pairs),
        f"{match.score:.1%}",
        f"{low:.1%} to {high:.1%}",
        "" if luck is None else f"{luck.score:.1%} ± {luck.score_error:.1%}",
        elo_text(match.elo, 1 if match.score > 0.5 else -1),
        "\n".join(f"{name}: {used_text(used)}" for name, used in match.used.items()),
        note.strip(),
    )


def elo_text(number: float | None, sign: int) -> str:
    """An Elo difference; None is infinite in the direction of the sign."""
    return ("+∞" if sign > 0 else "−∞") if number is None else f"{round(number):+d}"


def standings_table(standings: "Standings") -> "Table":
    """The final table for people."""
    from rich.table import Table

    table = Table(box=None, header_style="bold")
    for heading in ("rank", "player", "games", "points", "opponents' points", "Elo"):
        table.add_column(heading, justify="left" if heading == "player" else "right")
    for row in standings.table():
        error = "" if row["elo_error"] is None else f" ± {row['elo_error']:.0f}"
        points = (f"{row['score']:g}", f"{row['opponents_score']:g}")
        table.add_row(str(row["rank"]), row["player"], str(row["games"]), *points, f"{elo_text(row['elo'], 1)}{error}")
    return table


def cross_table(standings: "Standings") -> "Table":
    """Who scored how many per cent against whom, for people: rows and columns by rank."""
    from rich.table import Table

    order = standings.order()
    scores = standings.cross_table()
    table = Table(box=None, header_style="bold")
    table.add_column("rank", justify="right")
    for rank in range(1, len(order) + 1):
        table.add_column(str(rank), justify="right")
    for rank, player in enumerate(order, 1):
        cells = ["·" if (score := scores[player][other]) is None else f"{100 * score:.0f}" for other in order]
        table.add_row(str(rank), *cells)
    return table


def rounds_table(standings: "Standings") -> "Table":
    """Who met whom in each round, with their points and forfeits."""
    from rich.table import Table

    table = Table(box=None, header_style="bold")
    for heading in ("round", "first", "second", "points", "forfeits"):
        table.add_column(heading, justify="right" if heading == "round" else "left")
    for row in standings.rounds():
        if "rests" in row:
            table.add_row(str(row["round"]), row["rests"], "rests", "", "")
            continue
        points = " – ".join(f"{score:g}" for score in row["points"])
        table.add_row(str(row["round"]), row["first"], row["second"], points, row["forfeits"])
    return table


def game_text(game: "Game", names: tuple[str, str], number: int, played: "SeatedGame") -> str:
    """`round 3: B wins as red: corner, 23 plies`."""
    record = played.record
    if record.winner is None:
        result = f"draw: {record.reason}"
    else:
        winner = names[0] if played.score == 1 else names[1]
        result = f"{winner} wins as {game.sides[record.winner]}: {record.reason}"
    detail = f" ({record.detail})" if record.detail else ""
    return f"round {number + 1}: {result}, {len(record.plies)} plies{detail}"


def listing(headings: "dict[str, str]", rows: "Sequence[dict[str, str]]") -> "Table":
    """Field → heading, and rows of texts by field, as a table for people; numbers of games stand to the right."""
    from rich.table import Table

    table = Table(box=None, header_style="bold")
    for name, heading in headings.items():
        table.add_column(heading, justify="right" if name == "games" else "left")
    for row in rows:
        table.add_row(*(row[name] for name in headings))
    return table
