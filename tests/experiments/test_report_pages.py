"""Pages of the reports: their content, and every p-value and interval recomputed with SciPy from the stored counts."""

import json
import math
import re
from pathlib import Path
from typing import Any

import pytest
from scipy import stats

import starscout
from starscout.experiments.report_pages import (
    CHINESE,
    ENGLISH,
    UNBROKEN,
    Saved,
    changed_verdicts,
    conclusions,
    language,
    overview,
    pages,
    report_page,
    saved_studies,
    write_pages,
)
from starscout.experiments.runner import StudyRow
from starscout.experiments.verdict import ANSWERS, Verdict, p_text
from starscout.game import GameError
from tests.experiments.examples import EXPERIMENT, row, study_of

ROOT = Path(starscout.__file__).parent.parent
DOCS = ROOT / "docs"
FOLDER = DOCS / "reports"
KEPT = saved_studies(FOLDER)
STUDY = study_of(
    row("tree – chance", 0.85, 0.0625, {"games": 10, "score": 0.9}),
    row("even", 0.5, 0.1),
    row("another compiler", None, None, {"games": 10, "score": 0.7, "simulations": 5000}),
)


@pytest.fixture
def example_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Texts about the report of the example."""
    for code in (ENGLISH, CHINESE):
        about = {"title": "An example", "built": "A tree.", "noise": "None."}
        monkeypatch.setitem(language(code).texts["report"], "000", about)


@pytest.mark.usefixtures("example_texts")
def test_page_of_one_report(tmp_path: Path) -> None:
    saved = Saved(EXPERIMENT, STUDY, (study_of(*(row(one.name, 0.5, 0.2) for one in STUDY.rows)),))
    text = report_page([saved], language(ENGLISH), "")
    assert text.startswith("# An example\n")
    assert "- **Confirmed**: a tree beats a random mover (ours: +35.0 (+2" in text
    assert '<div class="verdict confirmed" markdown="1">\n\n### A tree beats a random mover' in text
    assert "| tree – chance | 90.0 %, 10 games | 85.0 ± 6.2 %, 100 games | 50.0 ± 20.0 %, 100 games |" in text
    assert "| verdict |  | Confirmed | Undecided |" in text
    assert "<summary>A tree against a random mover (200 games)</summary>" in text
    assert "`starscout experiment example`, seed 7. Played: date, commit and machine not recorded" in text
    assert changed_verdicts([saved]) == (2, 2)
    whole = overview([saved], language(ENGLISH), "reports/", "overview.svg")
    # Only one of the two claims compares scores of the report; nine wins of ten have p = 0.021.
    assert "The reports draw 1 conclusions from differences between their scores. 0 of these" in whole
    assert "| [000](reports/000.md) | a tree beats a random mover | +40.0 | 0.021 | Confirmed: +35.0 (+2" in whole
    assert "Not yet played" not in whole
    assert "成立" in report_page([saved], language(CHINESE), "")
    with pytest.raises(GameError, match="no studies"):
        write_pages(tmp_path / "nothing.md")


def test_pages_in_the_repository_are_up_to_date() -> None:
    """`starscout experiment --page docs/reports.md` would change nothing."""
    made = pages(KEPT, "reports")
    stale = [name for name, text in made.items() if (DOCS / name).read_text(encoding="utf-8") != text]
    assert stale == []
    files = {*DOCS.glob("reports/*.md"), *DOCS.glob("reports/*.svg"), *DOCS.glob("zh/reports/*.md")}
    assert {file.relative_to(DOCS).as_posix() for file in files} == set(made) - {"reports.md", "zh/reports.md"}


def numbers_of(text: str) -> list[str]:
    """Numbers of a page in reading order, without those in file names."""
    text = re.sub(r"\]\([^)]*\)|<[^>]*>|`[^`]*`", "", text)
    return sorted(re.findall(r"\d[\d,.]*\d|\d", text))


@pytest.mark.parametrize("name", sorted(name for name in pages(KEPT, "reports") if name.startswith("zh/")))
def test_both_languages_have_the_same_numbers_in_their_tables(name: str) -> None:
    ours, other = (
        [line for line in (DOCS / file).read_text(encoding="utf-8").splitlines() if re.match(r"\| .*\d", line)]
        for file in (name, name.removeprefix("zh/"))
    )
    assert len(ours) == len(other)
    for line, translated in zip(other, ours, strict=True):
        assert set(numbers_of(line)) == set(numbers_of(translated)), translated


def test_every_shown_text_is_translated() -> None:
    words = language(CHINESE)
    for one in KEPT:
        experiment = one.experiment
        texts = [experiment.title, experiment.question, experiment.headline, experiment.notes, experiment.stopping]
        texts += [experiment.their_setting, experiment.our_setting, *(claim.says for claim in experiment.claim)]
        assert [text for text in texts if text and words(text) == text and text != "Fast-math"] == [], experiment.name
    assert set(words.texts["phrase"]) == set(language(ENGLISH).texts["phrase"])
    assert set(words.texts["report"]) == set(language(ENGLISH).texts["report"])


def test_studies_match_their_experiments() -> None:
    for one in KEPT:
        experiment, study = one.experiment, one.study
        if not study.version:
            continue
        assert not study.quick
        assert study.seed == experiment.seed
        assert study.command == f"starscout experiment {experiment.name}"
        assert study.registration in ("", experiment.registration)
        assert all(other.seed != study.seed and f"--seed {other.seed}" in other.command for other in one.replications)
        if experiment.swiss is not None:
            assert {each.name for each in study.rows} == set(experiment.swiss.row_names(experiment.players))
            continue
        for duel, each in zip(experiment.duel, study.rows, strict=True):
            players = tuple(experiment.players.get(name, name) for name in (duel.first, duel.second))
            assert each.name == experiment.row_name(duel)
            assert each.players in ((), players)
            assert each.games <= (2 * experiment.stopping_rule(duel, quick=False).pairs if duel.first else 0)
            assert each.reported == dict(duel.reported)
            assert sum(each.counts.values()) == each.games


def test_headline_numbers_are_in_the_study() -> None:
    """Numbers may be counts, games, percentages, or parts of player specifications."""
    for one in KEPT:
        experiment, study = one.experiment, one.study
        known = {int(number) for each in study.rows for text in each.players for number in re.findall(r"\d+", text)}
        known |= {int(number) for number in re.findall(r"\d+", experiment.limit)}
        if experiment.swiss is not None:
            known.add(2 * experiment.swiss.pairs * experiment.swiss.rounds)
        for each in (*study.rows, *(each for other in one.replications for each in other.rows)):
            shares = [share for share in (each.score, each.reported.get("score")) if share is not None]
            known |= {each.games, *map(int, each.counts.values()), *(round(100 * share) for share in shares)}
            known |= {round(number) for number in (*each.numbers.values(), *each.reported.values()) if number}
        numbers = [int(number.replace(",", "")) for number in re.findall(r"\d[\d,]*", experiment.headline)]
        assert set(numbers) <= known, experiment.name


# An implementation of the statistics that shares no code with the package.


def estimate(each: StudyRow) -> tuple[float, float, int]:
    """Mean, standard error and degrees of freedom, from pair counts with half a pair as prior, or from tournaments."""
    if each.units:
        return float(stats.describe(each.units).mean), float(stats.sem(each.units)), len(each.units) - 1
    if not each.pair_counts:
        # Stored before pair counts were recorded: games with draws of older studies.
        freedom = each.games // 2 - 1
        return each.score or 0.0, (each.score_error or 0.0) / float(stats.t.ppf(0.975, freedom)), freedom
    units = {float(score): float(count) for score, count in each.pair_counts.items()}
    n = sum(units.values())
    units[0.0], units[1.0] = units.get(0.0, 0) + 0.25, units.get(1.0, 0) + 0.25
    mean = sum(score * count for score, count in units.items()) / (n + 0.5)
    squares = sum(count * (score - mean) ** 2 for score, count in units.items())
    return mean, math.sqrt(squares) / (n + 0.5), round(n) - 1


def ours(rows: list[StudyRow]) -> tuple[float, float, float]:
    """Interval and p-value of our difference."""
    first, second = estimate(rows[0]), estimate(rows[1]) if len(rows) > 1 else (0.5, 0.0, 1)
    error = math.hypot(first[1], second[1])
    freedom = math.floor(error**4 / sum(one[1] ** 4 / one[2] for one in (first, second)) + 1e-9)
    difference, half = first[0] - second[0], float(stats.t.ppf(0.975, freedom)) * error
    seen = (rows[0].score or 0.0) - ((rows[1].score or 0.0) if len(rows) > 1 else 0.5)
    p = 2 * float(stats.t.sf(abs(difference) / error, freedom)) if error else float(difference == 0)
    return max(min(seen, difference - half), -1.0), min(max(seen, difference + half), 1.0), p


def theirs(rows: list[StudyRow]) -> tuple[float, float, float]:
    """Interval and p-value of the report's difference."""
    found = []
    for each in rows:
        games, draws = round(each.reported["games"]), round(each.reported.get("draws", 0))
        won = round(each.reported["score"] * games - draws / 2)
        score = (won + draws / 2) / games
        z = float(stats.norm.ppf(0.975))
        roots = math.sqrt(z * z / games * (score * (1 - score) + z * z / (4 * games)))
        middle = (score + z * z / (2 * games)) / (1 + z * z / games)
        half = roots / (1 + z * z / games)
        found.append((won, draws, games, score, middle - half, middle + half))
    if len(found) == 1:
        won, draws, games, score, low, high = found[0]
        return low - 0.5, max(high, score) - 0.5, float(stats.binomtest(won, games - draws).pvalue)
    (won, draws, games, score, low, high), (won2, draws2, games2, score2, low2, high2) = found
    difference = score - score2
    rates = ((won + won2) / (games + games2), (draws + draws2) / (games + games2))
    points = [distribution(size, *rates) for size in (games, games2)]
    far = abs(difference) - 1e-9
    p = sum(
        chance * other
        for i, chance in enumerate(points[0])
        for j, other in enumerate(points[1])
        if abs(i / games - j / games2) / 2 >= far
    )
    below, above = math.hypot(score - low, high2 - score2), math.hypot(high - score, score2 - low2)
    return difference - below, difference + above, p


def distribution(games: int, win: float, draw: float) -> list[float]:
    """Probabilities of 0, ½, 1, … points from a multinomial distribution."""
    chances = [0.0] * (2 * games + 1)
    for won in range(games + 1):
        for drawn in range(games - won + 1 if draw else 1):
            lost = games - won - drawn
            chances[2 * won + drawn] += float(
                stats.multinomial.pmf([won, drawn, lost], games, [win, draw, 1 - win - draw])
            )
    return chances


def shown(difference: float, low: float, high: float, p: float) -> str:
    """The text on a page."""
    return f"{100 * difference:+.1f} ({100 * low:+.1f} … {100 * high:+.1f}), {p_text(p)}"


def equivalence(rows: list[StudyRow], margin: float) -> str:
    """Elo difference and the larger p-value of two one-sided tests, as shown."""
    parts = []
    for each in rows:
        mean, error, freedom = estimate(each)
        parts.append(
            (-400 * math.log10(1 / mean - 1), 400 / math.log(10) * error / (mean * (1 - mean)), error, freedom)
        )
    second = parts[1] if len(parts) > 1 else (0.0, 0.0, 0.0, 1)
    elo, error = parts[0][0] - second[0], math.hypot(parts[0][1], second[1])
    spread = parts[0][2] ** 4 / parts[0][3] + second[2] ** 4 / second[3]
    freedom = math.floor(math.hypot(parts[0][2], second[2]) ** 4 / spread + 1e-9)
    p = max(float(stats.t.sf((margin + sign * elo) / error, freedom)) for sign in (1, -1))
    return f"{elo:+.0f} Elo, {p_text(p)}"


def card_texts(rows: list[StudyRow], verdict: Verdict, margin: float) -> list[str]:
    """Every result of ours that a card shows."""
    texts = [shown(verdict.difference or 0.0, *ours(rows))]
    return [*texts, equivalence(rows, margin)] if not verdict.claim.ours else texts


@pytest.mark.parametrize("one", KEPT, ids=lambda one: one.experiment.name)
def test_p_values_and_intervals_of_the_cards_are_right(one: Saved) -> None:
    text = (FOLDER / f"{one.page}.md").read_text(encoding="utf-8")
    for number, verdict in enumerate(one.verdicts):
        claim = verdict.claim
        rows = [one.study.row(name) for name in claim.rows]
        if claim.differ:
            if verdict.difference is not None:
                error = math.sqrt(sum(estimate(each)[1] ** 2 for each in rows) / len(rows))
                p = float(stats.studentized_range.sf(verdict.difference / error, len(rows), math.inf))
                assert verdict.p_value == pytest.approx(p, abs=0.002)
                assert f"{100 * verdict.difference:+.1f}, {p_text(verdict.p_value or 0.0)}" in text
            continue
        title = f"\n### {claim.says[:1].upper()}{claim.says[1:]}\n"
        cards = [text] if claim.ours else [part for part in text.split("<div ") if title in part]
        expected = []
        if not claim.ours and all("score" in each.reported for each in rows):
            expected.append(shown(verdict.reported_difference or 0.0, *theirs(rows)))
        if verdict.difference is not None:
            expected += card_texts(rows, verdict, one.experiment.margin)
        for study, other in one.replicated(number):
            if other.difference is not None:
                expected += card_texts([study.row(name) for name in claim.rows], other, one.experiment.margin)
        if verdict.fisher_p_value is not None:
            counts = [round(each.reported["score"] * each.reported["games"]) for each in rows]
            table = [[won, round(each.reported["games"]) - won] for won, each in zip(counts, rows, strict=True)]
            found: Any = stats.fisher_exact(table)
            expected.append(f"(Fisher: {p_text(float(found[1]))})")
        assert any(all(line in card for line in expected) for card in cards), (claim.says, expected)


@pytest.mark.parametrize("one", KEPT, ids=lambda one: one.experiment.name)
def test_intervals_of_the_tables_are_right(one: Saved) -> None:
    text = (FOLDER / f"{one.page}.md").read_text(encoding="utf-8").replace(UNBROKEN, " ")
    for each in (each for study in (one.study, *one.replications) for each in study.rows if each.games):
        if each.pair_counts or each.units:
            mean, error, freedom = estimate(each)
            half = float(stats.t.ppf(0.975, freedom)) * error
            low, high = min(mean - half, each.score or 0.0), max(mean + half, each.score or 0.0)
            width = 50 * (min(high, 1.0) - max(low, 0.0))
            assert width == pytest.approx(100 * (each.score_error or 0.0), abs=0.051), each.name
        assert f"{100 * (each.score or 0.0):.1f} ± {100 * (each.score_error or 0.0):.1f} %" in text, each.name


def test_conclusions_are_counted() -> None:
    drawn = conclusions(KEPT)
    text = (DOCS / "reports.md").read_text(encoding="utf-8")
    assert f"draw {len(drawn)} conclusions" in text
    insignificant = [verdict for _, _, verdict in drawn if (verdict.reported_p_value or 0.0) > 0.05]
    assert f"{len(insignificant)} of these differences" in text
    answers: list[Verdict] = [verdict for _, _, verdict in drawn]
    assert {verdict.answer for verdict in answers} <= set(ANSWERS)
    assert all(json.loads(json.dumps(verdict.to_json()))["answer"] for verdict in answers)
