"""Results for people: a match, standings, a cross table."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.table import Table

    from starscout.arena.plan import MatchPlan
    from starscout.arena.standings import Standings
    from starscout.game import Game
    from starscout.players.player import Limits
    from starscout.records.packed import SeatedGame


def result_table(summary: dict[str, Any], plan: "MatchPlan", limits: "Limits", pace: str = "") -> "Table":
    """A match result for people; forfeits come first."""
    from rich.table import Table

    title = f"A: {plan.first}\nB: {plan.second}"
    table = Table(box=None, show_header=False, title=title, title_justify="left")
    table.add_column(style="bold")
    table.add_column()
    for name in ("A", "B"):
        reasons = ", ".join(f"{reason} {count}×" for reason, count in summary["forfeits"][name].items())
        if reasons:
            table.add_row(f"forfeits of {name}", f"{reasons} of {summary['games']} games")
    if summary["first_forfeit"]:
        table.add_row("the first", summary["first_forfeit"])
    counts = "  ".join(f"{score}: {count}" for score, count in summary["pair_counts"].items())
    draws = f" ={summary['draws']}" if summary["draws"] else ""
    table.add_row(
        "games", f"{summary['games']} in {summary['pairs']} pairs   +{summary['wins']} −{summary['losses']}{draws}"
    )
    table.add_row("pair scores", counts or "none yet")
    low, high = summary["score_interval"]
    table.add_row("score of A", f"{summary['score']:.1%}   95 %: {low:.1%} to {high:.1%}")
    low, high = summary["elo_interval"]
    infinite = 1 if summary["score"] > 0.5 else -1
    table.add_row("Elo", f"{elo_text(summary['elo'], infinite)}   95 %: {elo_text(low, -1)} to {elo_text(high, 1)}")
    table.add_row("A is stronger", f"{summary['los']:.1%} likely")
    luck = summary["luck_adjusted"]
    if luck is not None:
        low, high = luck["score_interval"]
        ratio = luck["variance_ratio"]
        bought = "" if ratio is None else f"   variance × {ratio:.2f}"
        score = min(max(luck["score"], 0.0), 1.0)
        table.add_row("luck-adjusted", f"{score:.1%}   95 %: {low:.1%} to {high:.1%}{bought}")
    test = summary["sprt"]
    if test is not None:
        verdict = {"elo1": f"A is better by {test['elo1']:g} Elo", "elo0": f"A is not better than {test['elo0']:g} Elo"}
        table.add_row(
            "sequential test",
            f"{test['llr']:+.2f} between {test['lower']:.2f} and {test['upper']:.2f}: "
            + verdict.get(test["verdict"], "undecided"),
        )
    table.add_row("length", f"{summary['mean_plies']:.1f} plies")
    for name, limit in zip(("A", "B"), (str(limit) or "its own default" for limit in limits), strict=True):
        table.add_row(f"{name} used", f"{used_text(summary['used'][name])}   limit: {limit}")
    if pace:
        table.add_row("pace", pace)
    return table


def used_text(used: dict[str, Any]) -> str:
    """Time, depth and counts per move, as far as they are known."""
    words = [f"{1000 * used['seconds_per_move']:.3g} ms per move"]
    if used["mean_depth"]:
        words.append(f"{used['mean_depth']:.1f} plies deep")
    counts = {name: used[f"{name}_per_move"] for name in ("nodes", "simulations")}
    words += [f"{count:,.0f} {name}" for name, count in counts.items() if count]
    if used["seconds_left"] is not None:
        words.append(f"{used['seconds_left']:.2f} s left")
    return ", ".join(words)


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
