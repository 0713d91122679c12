"""Run every block of the README, and check its numbers against the stored studies and result pages."""

import re
import shlex
from pathlib import Path

import pytest
from scipy import stats

from starscout.experiments.experiment import Claim, Experiment, experiment_names, find_experiment
from starscout.experiments.runner import Study, load_study
from starscout.experiments.verdict import p_text
from tests.blocks import ROOT, blocks_of, check_output, programs_of
from tests.command_line import run as run_command

README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = blocks_of(ROOT / "README.md")
REPORTS = ROOT / "docs" / "reports"
REPLICATIONS = README.partition("## Five reports, replicated\n")[2].partition("\n## ")[0].replace("\n", " ")


def commands() -> list[tuple[str, str]]:
    """(command, expected output) for each `$ command` in the console blocks."""
    found = []
    for language, block in BLOCKS:
        if language == "console":
            for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
                command, _, expected = part.partition("\n")
                found.append((command, expected))
    return found


def test_result_and_make_targets_come_first() -> None:
    assert BLOCKS[0][0] == "console"
    assert README.index("```\n\nBoth games") < README.index("```sh")
    assert README[: README.index("## ")].count("\n") < 55
    language, block = BLOCKS[1]
    assert language == "sh"
    targets = [line.split("#")[0].split() for line in block.splitlines()]
    assert targets == [["make", "demo"], ["make", "test"]]
    makefile = (ROOT / "Makefile").read_text()
    assert all(re.search(rf"^{target}:", makefile, re.MULTILINE) for _, target in targets)


@pytest.mark.parametrize(("command", "expected"), commands())
def test_command_prints_what_the_readme_shows(command: str, expected: str) -> None:
    words = shlex.split(command)
    assert words[0] == "starscout"
    ended = run_command(words[1:], folder=ROOT)
    assert ended.returncode == 0, ended.stderr
    check_output(expected, ended.stdout)


@pytest.mark.parametrize(("program", "expected"), programs_of(ROOT / "README.md"))
def test_program_prints_what_the_readme_shows(program: str, expected: str, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(program, encoding="utf-8")
    ended = run_command((), folder=ROOT, script=script)
    assert ended.returncode == 0, ended.stderr
    check_output(expected, ended.stdout)


def stored(name: str) -> tuple[Experiment, Study | None]:
    experiment = find_experiment(name)
    return experiment, load_study(experiment, REPORTS)


def reported_counts(study: Study, claim: Claim) -> list[tuple[int, int]]:
    """(wins, games) that the report has for each row of a claim."""
    rows = [study.row(name).reported for name in claim.rows]
    return [(round(row["score"] * row["games"]), round(row["games"])) for row in rows]


def reported_p(study: Study, claim: Claim) -> float:
    """The p-value of the report's difference, recomputed with SciPy."""
    counts = reported_counts(study, claim)
    if len(counts) == 1:
        return float(stats.binomtest(*counts[0]).pvalue)
    (wins, games), (others, other_games) = counts
    rate = (wins + others) / (games + other_games)
    chances = [stats.binom.pmf(range(size + 1), size, rate) for size in (games, other_games)]
    far = abs(wins / games - others / other_games) - 1e-9
    return float(
        sum(
            first * second
            for i, first in enumerate(chances[0])
            for j, second in enumerate(chances[1])
            if abs(i / games - j / other_games) >= far
        )
    )


def test_replication_table_agrees_with_the_reports_page() -> None:
    page = (ROOT / "docs" / "reports.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\[\d+\]\(docs/reports/\d+\.md\).*) \|$", README, re.MULTILINE)
    assert len(rows) >= 3
    for row in rows:
        link, says, difference, p, answer = row.split(" | ")
        (line,) = [line for line in page.splitlines() if f"| {says} | {difference} |" in line]
        assert line.startswith(f"| {link.replace('docs/', '')} |")
        assert line.endswith(f"| {answer} |")
        (claim, study) = next(
            (claim, study)
            for experiment, study in map(stored, experiment_names())
            if study is not None
            for claim in experiment.claim
            if claim.says == says and not claim.ours
        )
        assert p == p_text(reported_p(study, claim)).removeprefix("p = ")


def test_numbers_of_the_replications_are_the_stored_ones() -> None:
    _, small = stored("004-small")
    _, equals = stored("002-equals")
    assert small is not None
    assert equals is not None
    third = equals.row("place 3")
    assert f"third of thirty with {third.reported['wins']:.0f} wins of {third.games // 10}" in REPLICATIONS
    assert f"third place {third.numbers['wins']:.1f} wins on average" in REPLICATIONS
    assert third.reported["opponents' wins"] > (third.numbers["opponents' wins"] or 0.0)
    reported = {duel.name: duel.reported for duel in find_experiment("004-variance").duel if duel.reported}
    wins = [round(reported[name]["score"] * reported[name]["games"]) for name in ("with variance", "without")]
    assert f"{wins[0]} wins of 20 with" in REPLICATIONS
    assert f"{wins[1]} of 20 without (p = 0.059)" in REPLICATIONS
    _, budget = stored("004-variance")
    assert budget is not None
    first, second, direct = budget.rows
    assert f"{first.counts['wins']} and {second.counts['wins']} wins of {second.games}" in REPLICATIONS
    assert first.games == second.games
    budget_score = f"{100 * (direct.score or 0):.1f} ± {100 * (direct.score_error or 0):.1f} % of {direct.games} games"
    assert f"head the formula wins {budget_score}" in REPLICATIONS
    rows = [small.row(f"{name} variance, against hard") for name in ("with", "without")]
    assert {f"{100 * (row.score or 0):.0f} % of {row.games} games" for row in rows} == {"65 % of 800 games"}
    assert "both score 65 % of 800 games" in REPLICATIONS
    direct = small.row("with against without variance")
    assert direct.score is not None
    assert direct.score_error is not None
    head_to_head = f"{100 * direct.score:.1f} ± {100 * direct.score_error:.1f} % of {direct.games} games"
    assert f"the formula wins {head_to_head}" in REPLICATIONS
    pictures = re.findall(r"!\[[^]]*\]\((docs/reports/[^)]*)\)", README)
    assert pictures
    assert all((ROOT / picture).is_file() for picture in pictures)


def test_count_of_insignificant_differences() -> None:
    page = (ROOT / "docs" / "reports.md").read_text(encoding="utf-8")
    found = re.search(r"draw (\d+) conclusions from differences between their scores. (\d+) of these", page)
    assert found is not None
    assert f"draw {found[1]} conclusions" in REPLICATIONS
    assert f"Of the {found[1]} differences, {found[2]} are not significant at the 5 % level" in REPLICATIONS


def test_luck_adjustment_is_that_of_the_benchmarks() -> None:
    page = (ROOT / "docs" / "results" / "arena.md").read_text(encoding="utf-8")
    page = page.partition("## Variance reduction")[2]
    rows = re.findall(r"^\|.*\| \.(\d{3}) \| \.(\d{3}) \| \.(\d{3}) \|$", page, re.MULTILINE)
    ratios = [int(adjusted) / int(shared) for _, shared, adjusted in rows]
    assert len(ratios) == 5
    assert f"to between {min(ratios):.2f} and {max(ratios):.2f}" in README.replace("\n", " ")


def test_speed_relative_to_cpp_is_that_of_the_benchmarks() -> None:
    games, *searches = (
        (ROOT / "docs" / "results" / f"{name}.md").read_text(encoding="utf-8")
        for name in ("games_speed", "search", "endgame")
    )
    found = re.findall(r"\| C\+\+ \|.*\| (\d\.\d+) \|$", games, re.MULTILINE)
    for page in searches:
        table = page.partition("C++, M nodes/s | ratio |\n")[2].partition("\n\n")[0]
        found += re.findall(r"\| (\d\.\d+) \|$", table, re.MULTILINE)
    assert len(found) == 10
    ratios = [float(ratio) for ratio in found]
    assert f"{min(ratios):.1f}–{max(ratios):.1f}× the speed of equivalent C++" in README.replace("\n", " ")
