"""Replays in HTML without scripts."""

import re

import starscout


def test_replay_html() -> None:
    record = starscout.match("ewn-3x3-3", "random", "random", pairs=1, seed=2, workers=0, store=":memory:").records[0]
    page = record._repr_html_()
    many = len(record.plies) + 1
    assert page.count("<svg") == page.count('type="radio"') == many
    assert page.count(" checked>") == 1
    assert re.findall(r"nth-of-type\((\d+)\):checked", page) == [str(number) for number in range(1, many + 1)]
    assert f"1 of {many}: " in page
    ids = re.findall(r'id="(starscout-[0-9a-f]+)-(\d+)"', page)
    assert [int(number) for _, number in ids] == list(range(1, many + 1))
    # Every state has links back and forward, except the two ends.
    steps = [(n, n + d) for n in range(1, many + 1) for d in (-1, 1) if 1 <= n + d <= many]
    assert [int(number) for number in re.findall(r'<label for="starscout-[0-9a-f]+-(\d+)"', page)] == [
        target for _, target in steps
    ]
    assert page.count('class="end"') == 2
    assert ids[0][0] not in record._repr_html_()
    assert record.plies[0].text in page
    assert "<script" not in page
    assert "http://" not in page.replace("http://www.w3.org/2000/svg", "")


def test_state_html() -> None:
    picture = starscout.start("othello")._repr_svg_()
    assert picture.startswith("<svg")
    assert picture.count('class="square') == 64
    shown = starscout.start("ewn").rolled(4)._repr_html_()
    assert shown.count('class="square') == 25
    assert "<figcaption>red to move, die 4</figcaption>" in shown
