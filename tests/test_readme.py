"""Run every block of the README, and check its numbers against the stored studies and result pages."""

import re
import shlex
import subprocess
import sys
from math import comb

import pytest

from starscout.experiments.experiment import Claim, Experiment, find_experiment
from starscout.experiments.runner import Study, load_study
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
def test_program_prints_what_the_readme_shows(program: str, expected: str) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT, timeout=300, check=False
    )
    assert ended.returncode == 0, ended.stderr
    check_output(expected, ended.stdout)


def stored(name: str) -> tuple[Experiment, Study]:
    experiment = find_experiment(name)
    study = load_study(experiment, REPORTS)
    assert study is not None
    return experiment, study


def reported_counts(study: Study, claim: Claim) -> list[tuple[int, int]]:
    """(wins, games) that the report has for each row of a claim."""
    rows = [study.row(name).reported for name in claim.rows]
    return [(round(row["score"] * row["games"]), round(row["games"])) for row in rows]


def exact_p(counts: list[tuple[int, int]]) -> float:
    """Two-sided p: Fisher's exact test for two rows, the binomial test against 1/2 for one."""
    if len(counts) == 1:
        ((wins, games),) = counts
        weights = [comb(games, k) for k in range(games + 1)]
        observed = weights[wins]
    else:
        (wins, games), (others, other_games) = counts
        total = wins + others
        weights = [comb(games, k) * comb(other_games, total - k) for k in range(min(total, games) + 1)]
        observed = weights[wins]
    return sum(weight for weight in weights if weight <= observed) / sum(weights)


def test_exact_p_of_known_tables() -> None:
    assert exact_p([(19, 20), (14, 20)]) == pytest.approx(0.0915, abs=1e-4)
    assert exact_p([(31, 50)]) == pytest.approx(0.1189, abs=1e-4)


def test_replication_table_agrees_with_the_reports_page() -> None:
    page = (ROOT / "docs" / "reports.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\[\d+\]\(docs/reports\.md#(\S+)\).*) \|$", README, re.MULTILINE)
    assert len(rows) >= 4
    for row, name in rows:
        link, says, difference, p, answer = row.split(" | ")
        (line,) = [line for line in page.splitlines() if f"| {says} | {difference} |" in line]
        assert line.startswith(f"| {link.replace('docs/reports.md', '')} |")
        assert line.endswith(f"| {answer} |")
        experiment, study = stored(name)
        (claim,) = [claim for claim in experiment.claim if claim.says == says]
        assert p == f"{exact_p(reported_counts(study, claim)):.2f}"


def test_numbers_of_the_replications_are_the_stored_ones() -> None:
    _, variance = stored("004-variance")
    _, equals = stored("002-equals")
    third, (with_term, without, direct, *_) = equals.row("place 3"), variance.rows
    assert f"third of thirty with {third.reported['wins']:.0f} wins of {third.games // 10}" in REPLICATIONS
    assert f"third place {third.numbers['wins']:.1f} wins on average" in REPLICATIONS
    wins = [round(row.reported["score"] * row.reported["games"]) for row in (with_term, without)]
    assert f"{wins[0]} wins of 20 with" in REPLICATIONS
    assert f"{wins[1]} of 20 without (p = {exact_p([(wins[0], 20), (wins[1], 20)]):.2f})" in REPLICATIONS
    assert f"({with_term.games} games each, 10,000 simulations per move" in REPLICATIONS
    assert {f"{100 * (row.score or 0):.0f}" for row in (with_term, without)} == {"65"}
    assert direct.score is not None
    assert direct.score_error is not None
    head_to_head = f"{100 * direct.score:.1f} ± {100 * direct.score_error:.1f} % of {direct.games} games"
    assert f"the formula wins {head_to_head}" in REPLICATIONS
    pictures = re.findall(r"!\[[^]]*\]\((docs/reports/[^)]*)\)", README)
    assert pictures
    assert all((ROOT / picture).is_file() for picture in pictures)


def test_count_of_insignificant_differences() -> None:
    """Claims over many rows have no exact test here; their p on the page is far above 5 %."""
    page = (ROOT / "docs" / "reports.md").read_text(encoding="utf-8")
    table = page[page.index('<a id="conclusions">') :]
    rows = re.findall(r"^\| \[\d+\]\(#(\S+)\) \| (.*?) \|", table, re.MULTILINE)
    found = []
    for name, says in rows:
        experiment, study = stored(name)
        (claim,) = [claim for claim in experiment.claim if claim.says == says]
        found.append(1.0 if claim.differ else exact_p(reported_counts(study, claim)))
    insignificant = sum(p >= 0.05 for p in found)
    assert f"draw {len(found)} conclusions" in REPLICATIONS
    assert f"Of the {len(found)} differences, {insignificant} are not significant at the 5 % level" in REPLICATIONS
    approximate = re.search(r"(\d+) of these differences are not significant at the 5 % level", page)
    assert approximate is not None
    assert f"(docs/reports.md) gives {approximate[1]})" in REPLICATIONS


def test_luck_adjustment_is_that_of_the_benchmarks() -> None:
    page = (ROOT / "docs" / "results" / "arena.md").read_text(encoding="utf-8")
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
