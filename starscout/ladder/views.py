"""What the pages of a ladder show: from the store and the director to HTML, JSON, CSV and SVG."""

import functools
import time
from collections.abc import Sequence
from typing import Any

from starscout.api.review import review
from starscout.arena.export import read_scale
from starscout.errors import GameError
from starscout.ladder import pages, teacher
from starscout.ladder.badge import badge, rating_text
from starscout.ladder.configuration import Folder, Ladder
from starscout.ladder.director import Director
from starscout.ladder.final import final_result
from starscout.ladder.game_logs import kept_log
from starscout.ladder.league import Standing
from starscout.ladder.pages import ROWS, Call, Viewer
from starscout.ladder.schema import ACTIVE, DISQUALIFIED, Entrant, LoggedPair, Submission
from starscout.ladder.similarity import ask, report
from starscout.ladder.store import DAY_HOURS, HOUR, LadderStore
from starscout.protocols.sandbox import active_level
from starscout.records.packed import SeatedGame
from starscout.settings.options import read_whole
from starscout.views.html import Markup, concat, heading, label, paragraph

__all__ = ["Views", "concat"]

MAX_SUBMISSIONS = 200
MAX_NUMBER = 1 << 62
MAX_REVIEWS = 200
"""Maximum number of reviews to keep in memory."""


class SlowError(Exception):
    """A page that takes seconds: a `Views` with `slow` builds it in a separate thread, so that no other page waits."""


class Views:
    """The content of every page for one viewer."""

    def __init__(
        self, store: LadderStore, folder: Folder, ladder: Ladder, director: Director, viewer: Viewer,
        reviews: dict[tuple[int, int], Markup], *, slow: bool = False,
    ) -> None:  # fmt: skip
        """`reviews`: (pair, half) → review, kept between requests. `slow`: whether slow pages may be built."""
        self.store, self.folder, self.ladder, self.director = store, folder, ladder, director
        self.viewer, self._reviews, self.slow = viewer, reviews, slow

    @functools.cached_property
    def names(self) -> dict[int, Entrant]:
        """All entrants."""
        return {entrant.id: entrant for entrant in self.store.entrants()}

    def _game(self, call: Call) -> str:
        game = call.query.get("game") or self.ladder.games[0]
        if game not in self.ladder.games:
            raise GameError(f"game: expected one of {', '.join(self.ladder.games)}, got {game!r:.60}")
        return game

    # Standings, games, entrants.

    def standings(self, call: Call) -> Markup:
        """The standings of a game."""
        game = self._game(call)
        status = pages.status_line(self.director.phase, self.director.frozen, self.ladder.deadline, active_level())
        final = self._final(game)
        parts = [heading("Standings", 1), pages.game_choice(self.ladder.games, game), status]
        parts += [pages.live_part(f"/part/standings?game={game}", self.standings_part(call))]
        if final is not None:
            rows = [
                (row["rank"], row["player"], row["games"], f"{row['score']:g}", f"{row['percent']:g} %")
                for row in final.graded()
            ]
            parts += [heading("Final"), pages.table(("rank", "player", "games", "points", "share"), rows, "listed")]
        return concat(*parts)

    def standings_part(self, call: Call) -> Markup:
        """The table of the standings."""
        game = self._game(call)
        before = self.store.ratings_before(game, time.time() - DAY_HOURS * HOUR)
        return pages.standings(self.director.standings(game), self.names, before, self.viewer)

    def standings_json(self, call: Call) -> dict[str, Any]:
        """The standings as JSON."""
        rows = self.director.standings(self._game(call))
        return {"standings": [self._row_json(row) for row in rows], "phase": self.director.phase}

    def _row_json(self, row: Standing) -> dict[str, Any]:
        return vars(row) | {"player": self.names[row.entrant].name}

    def _final(self, game: str) -> Any:
        number = self.store.state(f"final {game}")
        return final_result(self.folder, int(number)) if number and self.folder.final.exists() else None

    def games(self, call: Call) -> Markup:
        """The list of games, filtered."""
        rows = self._logged(call)
        given = {name: value for name, value in call.query.items() if name in ("game", "player", "opponent", "kind")}
        following = (
            "&".join(
                [*(f"{name}={value}" for name, value in given.items() if value.isascii()), f"before={rows[-1].id}"]
            )
            if rows
            else ""
        )
        return concat(
            heading("Games", 1),
            pages.game_filter(self.names, self.ladder.games, given),
            pages.games_list(rows, self.names, f"/games?{following}"),
        )

    def _logged(self, call: Call) -> list[LoggedPair]:
        game = call.query.get("game") or None
        before = _whole(call.query.get("before", ""))
        player, opponent = (_whole(call.query.get(name, "")) for name in ("player", "opponent"))
        if player is None and opponent is not None:
            player, opponent = opponent, None
        if player is None:
            return self.store.logged(game=game, before=before, limit=ROWS)
        kind = call.query.get("kind", "")
        return self.store.logged_of(player, opponent=opponent, game=game, kind=kind, before=before, limit=ROWS)

    def live(self, call: Call) -> Markup:
        """The games in progress and the latest games."""
        return concat(heading("Live", 1), pages.live_part("/part/live", self.live_part(call)))

    def live_part(self, call: Call) -> Markup:
        """The tables of the live page."""
        return pages.live_pairs(self.director.live, self.store.logged(limit=10), self.names)

    def entrant(self, call: Call) -> Markup:
        """An entrant with its versions."""
        return self._entrant_page(self.store.entrant(int(call.path["entrant"])))

    def _entrant_page(self, entrant: Entrant, rank: int = 1) -> Markup:
        versions = self.store.versions(entrant=entrant.id)
        current = {row.version: row for game in self.ladder.games for row in self.director.standings(game)}
        history = {version.id: self.store.ratings_of(version.id) for version in versions}
        members = [student.name for student in self.store.students() if student.entrant == entrant.id]
        return pages.entrant_page(entrant, members, versions, history, current, self.viewer, rank)

    def badge(self, call: Call) -> str:
        """The rating of an entrant as a picture."""
        number = int(call.path["entrant"])
        name = self.store.entrant(number).name
        for game in self.ladder.games:
            for row in self.director.standings(game):
                if row.entrant == number:
                    return badge(name, f"{rating_text(row.elo, row.error)}, #{row.rank}")
        return badge(name, "not rated", good=False)

    # One pair of games.

    def _seated(self, row: LoggedPair) -> list[SeatedGame]:
        plan = self.store.match(row.match).plan
        record = self.store.pair(row.match, row.pair)
        return record.games(plan.game, (plan.first, plan.second), plan.seed)

    def pair(self, call: Call) -> Markup:
        """Both games of a pair."""
        row = self.store.logged_pair(int(call.path["pair"]))
        record = self.store.pair(row.match, row.pair)
        logs = {}
        for player, entrant in (("A", row.first), ("B", row.second)):
            path = kept_log(self.folder.logs, row.match, row.pair, player)
            if self.viewer.owns(entrant) and path.exists():
                logs[player] = path.read_text(encoding="utf-8", errors="replace")
        return pages.pair_page(row, record, self._seated(row), self.names, self.viewer, logs)

    def review(self, call: Call) -> Markup:
        """A game with its mistakes explained."""
        row, half = self.store.logged_pair(int(call.path["pair"])), int(call.path["half"])
        if (known := self._reviews.get((row.id, half))) is not None:
            return known
        seated = self._seated(row)
        if half >= len(seated):
            raise GameError(f"the pair has {len(seated)} games")
        self._check_slow()
        game = seated[half]
        first, second = self.names[row.first].name, self.names[row.second].name
        players = (first, second) if game.side == 0 else (second, first)
        shown = pages.review_page(review(game.record, luck=self.store.match(row.match).plan.luck), players)
        while len(self._reviews) >= MAX_REVIEWS:
            del self._reviews[next(iter(self._reviews))]
        self._reviews[row.id, half] = shown
        return shown

    def _check_slow(self) -> None:
        if not self.slow:
            raise SlowError

    # Students.

    def mine(self, call: Call) -> Markup:
        """A student's own page: upload, submissions, versions, losses and forfeits."""
        return concat(pages.upload_form(self.ladder.games), pages.live_part("/mine/part", self.mine_part(call)))

    def mine_part(self, call: Call) -> Markup:
        """What changes on a student's own page."""
        if self.viewer.entrant is None:
            raise GameError("the teacher has no engine")
        mine = self.viewer.entrant
        lost = self.store.logged_of(mine, kind="losses", limit=10)
        forfeited = self.store.logged_of(mine, kind="forfeits", limit=10)
        return concat(
            heading("Submissions"),
            Markup(f'<div class="sheet">{pages.submissions_table(self.store.submissions(mine, limit=20))}</div>'),
            self._entrant_page(self.store.entrant(mine), 2),
            heading("Lost games"),
            paragraph(label("Open a pair to see the mistakes explained.")),
            pages.games_list(lost, self.names, f"/games?player={mine}&kind=losses"),
            heading("Forfeits"),
            paragraph(
                label("Open a pair for your engine's error output and log; only your team and the teacher see them.")
            ),
            pages.games_list(forfeited, self.names, f"/games?player={mine}&kind=forfeits"),
        )

    def _own_submission(self, call: Call) -> Submission:
        found = self.store.submission(int(call.path["submission"]))
        if not self.viewer.owns(found.entrant):
            # Answer as for a number that does not exist.
            raise GameError(f"there is no submission {found.id}")
        return found

    def submission(self, call: Call) -> Markup:
        """A submission with its transcript."""
        return pages.submission_page(self._own_submission(call))

    def submission_json(self, call: Call) -> dict[str, Any]:
        """The state of a submission."""
        found = self._own_submission(call)
        fields = "id", "game", "status", "reason", "transcript", "seconds", "version"
        values = {name: getattr(found, name) for name in fields}
        rows = self.director.standings(found.game) if found.game in self.ladder.games else ()
        row = next((row for row in rows if row.version == found.version), None)
        return values | {"standing": None if row is None else self._row_json(row)}

    def restore(self, call: Call) -> None:
        """Reactivate an earlier version."""
        version = self.store.version(_whole(call.form.get("version", "")) or 0)
        if not self.viewer.owns(version.entrant):
            raise GameError(f"there is no version {version.id}")
        if self.director.phase != "running":
            raise GameError("the deadline has passed")
        self.director.restore(version.id)

    # The teacher.

    def teacher(self, call: Call) -> Markup:
        """The page of the teacher."""
        return teacher.teacher_page(
            self.store.submissions(limit=MAX_SUBMISSIONS), self.names, self.store.students(), self.store.events(),
            self.director.phase, self.director.frozen,
        )  # fmt: skip

    def forfeits(self, call: Call) -> Markup:
        """All forfeits."""
        rows = self.store.forfeits(before=_whole(call.query.get("before", "")), limit=ROWS)
        following = f"/teacher/forfeits?before={rows[-1].id}" if rows else ""
        return concat(heading("Forfeits", 1), pages.games_list(rows, self.names, following))

    def grades(self, call: Call) -> str:
        """The grades as CSV; `?grades=A=75,B=60,F=0` is the scale."""
        given = call.query.get("grades", "")
        finals = {game: final for game in self.ladder.games if (final := self._final(game)) is not None}
        standings = {game: self.director.standings(game) for game in self.ladder.games}
        scale = read_scale(given) if given else None
        return teacher.grades_csv(standings, finals, self.names, self.store.students(), scale)

    def similarity(self, call: Call) -> Markup:
        """The similarity report; queries engines that have not been queried yet."""
        game = self._game(call)
        skipped: list[str] = []
        answers: dict[int, Sequence[str]] = {}
        playing = {row.version for row in self.director.standings(game)}
        versions = [v for v in self.store.versions(game) if v.id in playing and v.digest]
        for version in versions:
            known = self.store.answers(version.id)
            if not known:
                self._check_slow()
                try:
                    with self.director.core():
                        known = ask(version, self.folder, self.ladder)
                except GameError as error:
                    skipped.append(f"{self.names[version.entrant].name}: {error}")
                    continue
                self.store.add_answers(version.id, known)
            answers[version.id] = known
        owners = {version.id: version.entrant for version in versions}
        rows = report(answers, {version.id: version.digest for version in versions})
        return concat(
            pages.game_choice(self.ladder.games, game, "/teacher/similarity"),
            teacher.similarity_page(rows, self.names, owners, skipped),
        )

    def freeze(self, call: Call) -> None:
        """Stop new games."""
        self.director.freeze(True)

    def unfreeze(self, call: Call) -> None:
        """Resume games."""
        self.director.freeze(False)

    def begin_final(self, call: Call) -> None:
        """Lock submissions and play the final."""
        self.director.begin_final()

    def disqualify(self, call: Call) -> None:
        """Take an entrant out of the ladder."""
        self._set_status(call, DISQUALIFIED, "by the teacher")

    def reinstate(self, call: Call) -> None:
        """Reinstate an entrant."""
        self._set_status(call, ACTIVE, "")

    def _set_status(self, call: Call, status: str, note: str) -> None:
        entrant = self.store.entrant(_whole(call.form.get("entrant", "")) or 0)
        self.director.set_entrant(entrant.id, status, note)


def _whole(text: str) -> int | None:
    return read_whole(text, 1, MAX_NUMBER) if text else None
