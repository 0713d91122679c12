"""The teacher's pages: submissions, control, grades and similarity."""

import csv
import io
from collections.abc import Mapping, Sequence

from starscout.api.tournament import TournamentResult
from starscout.arena.elo import expected_score
from starscout.arena.export import Scale, grade_of, not_a_formula
from starscout.ladder.league import Standing
from starscout.ladder.pages import Names, button, entrant_link, link, submissions_table, when
from starscout.ladder.schema import ACTIVE, REJECTED, STUDENT, Student, Submission
from starscout.ladder.similarity import Agreement
from starscout.views.html import Markup, NumberText, concat, heading, label, paragraph, table

EXPLANATION = (
    "The share of fixed positions in which both play the same move. Many engines find the same good moves: "
    "compare it with the usual share."
)
GRADE_COLUMNS = ("id", "name", "entrant", "game", "rank", "rating", "error", "games", "percent", "forfeits", "grade")


def teacher_page(
    submissions: Sequence[Submission], names: Names, students: Sequence[Student],
    events: Sequence[tuple[float, str, str]], phase: str, frozen: bool,
) -> Markup:  # fmt: skip
    """Control of the ladder, its submissions, its entrants and its events."""
    freezing = button("/teacher/unfreeze", "resume games") if frozen else button("/teacher/freeze", "stop new games")
    failed = [submission for submission in submissions if submission.status == REJECTED]
    final = button("/teacher/final", "play the final now", confirm="Lock submissions and play the final now?")
    return concat(
        heading("Teacher", 1),
        Markup('<div class="row">'), freezing, final if phase == "running" else label(phase), Markup("</div>"),
        paragraph(
            link("/teacher/grades.csv", label("grades as CSV")), " · ",
            link("/teacher/similarity", label("similarity report")), " · ",
            link("/teacher/forfeits", label("all forfeits")),
        ),
        heading("Failed submissions"), _sheet(submissions_table(failed, names)),
        heading("Submissions"), _sheet(submissions_table(submissions, names)),
        heading("Entrants"), _sheet(_entrants(names, students)),
        heading("Events"),
        _sheet(
            table(("time", "kind", "text"), [(when(time), kind, text) for time, kind, text in events], "listed")
            if events else paragraph(label("none"), kind="faint")
        ),
    )  # fmt: skip


def _sheet(content: Markup) -> Markup:
    return Markup(f'<div class="sheet">{content}</div>')


def _entrants(names: Names, students: Sequence[Student]) -> Markup:
    rows = []
    for entrant in names.values():
        if entrant.kind != STUDENT:
            continue
        members = ", ".join(f"{student.code} {student.name}" for student in students if student.entrant == entrant.id)
        action = (
            button("/teacher/disqualify", "disqualify", kind="small", confirm="Disqualify?", entrant=entrant.id)
            if entrant.status == ACTIVE
            else button("/teacher/reinstate", "reinstate", kind="small", entrant=entrant.id)
        )
        rows.append((entrant_link(names, entrant.id), members, label(entrant.status), action))
    return table(("player", "students", "state", ""), rows, "listed")


def similarity_page(
    rows: Sequence[Agreement], names: Names, owners: Mapping[int, int], skipped: Sequence[str]
) -> Markup:
    """The pairs of versions whose moves agree most."""
    cells = [
        (
            entrant_link(names, owners[row.first]), entrant_link(names, owners[row.second]),
            NumberText(f"{row.agreement:.0%}"), NumberText("" if row.usual is None else f"{row.usual:.0%}"),
            row.positions,
            label("same files") if row.same_files else "",
        )
        for row in rows[:100]
    ]  # fmt: skip
    return concat(
        heading("Similarity report", 1),
        paragraph(label(EXPLANATION)),
        _sheet(table(("A", "B", "same moves", "usual", "positions", ""), cells, "listed")),
        *(paragraph(text, kind="faint") for text in skipped),
    )


def grades_csv(
    standings: Mapping[str, Sequence[Standing]], finals: Mapping[str, TournamentResult], names: Names,
    students: Sequence[Student], scale: Scale | None,
) -> str:  # fmt: skip
    """The grades of all students: from the final if it has been played, else from the ratings.

    From the ratings, `percent` is the expected share of the points against all other players.
    """
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(GRADE_COLUMNS)
    for game, rows in standings.items():
        table_of = _final_rows(finals[game]) if game in finals else _rating_rows(rows, names)
        for student in students:
            entrant = names[student.entrant].name
            row = table_of.get(entrant)
            values = [student.code, student.name, entrant, game, *(row or ("", "", "", 0, 0.0, ""))]
            grade = "" if scale is None else grade_of(float(values[8]), scale)
            writer.writerow([not_a_formula(value) for value in (*values, grade)])
    return "\ufeff" + text.getvalue()


def _rating_rows(rows: Sequence[Standing], names: Names) -> dict[str, tuple[object, ...]]:
    found: dict[str, tuple[object, ...]] = {}
    for row in rows:
        others = [expected_score(row.elo - other.elo) for other in rows if other is not row]
        percent = 100 * sum(others) / len(others) if others else 0.0
        entry = row.rank, round(row.elo), round(row.error), 2 * row.pairs, round(percent, 2), ""
        found[names[row.entrant].name] = entry
    return found


def _final_rows(final: TournamentResult) -> dict[str, tuple[object, ...]]:
    return {
        row["player"]: (
            row["rank"], round(row["elo"]), "" if row["elo_error"] is None else round(row["elo_error"]), row["games"],
            row["percent"], row["forfeits"],
        )
        for row in final.graded()
    }  # fmt: skip
