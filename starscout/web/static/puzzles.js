// The Puzzles tab: find the best move where a player of a stored game made a large mistake.

import { Board, stateText } from "./board.js";
import { games } from "./catalogue.js";
import { showDice } from "./dice.js";
import { announce, h, notFound, percent, showNotice } from "./dom.js";
import { lineButtons } from "./engine.js";
import { request, requestOrNotify, subscribe } from "./socket.js";
import { remember, remembered } from "./theme.js";
import { fromServer, t } from "./words.js";

const GRADES = 5;
const solved = () => JSON.parse(remembered("puzzles") ?? "{}");

// The grade as stars.
const stars = (grade) => h("span", { class: "stars", role: "img", "aria-label": t("grade_n_of_all", { n: grade, all: GRADES }) }, "★".repeat(grade), "☆".repeat(GRADES - grade));

export function show(place, path) {
  return path.length ? showPuzzle(place, path.join("/")) : showList(place);
}

function showList(place) {
  const body = h("div", { class: "stack" });
  place.append(h("h1", {}, t("puzzles")), h("p", { class: "faint" }, t("puzzles_explained")), body);
  let gone = false;
  const load = async () => {
    try {
      const [answer, all] = await Promise.all([request("puzzles"), games()]);
      if (!gone) fill(answer, all);
    } catch (error) {
      if (!gone) showNotice(error.message);
    }
  };
  subscribe("puzzles", () => { if (!gone && !body.querySelector(".games")) load(); });
  load();

  function fill({ puzzles, daily, searching }, all) {
    const done = solved();
    const title = (name) => fromServer(all.find((game) => game.name === name)?.title ?? name);
    if (!puzzles.length) {
      body.replaceChildren(h("div", { class: "sheet empty" }, h("p", {}, searching ? t("searching_the_stored_games_for_puzzles") : t("no_puzzles")),
        h("p", {}, h("code", {}, "starscout match ewn strong random --pairs 50"))));
      return;
    }
    const card = (puzzle, kind = "") => h("a", { class: `sheet puzzle ${kind}`, href: `#/puzzles/${puzzle.key}`, "data-puzzle": puzzle.key },
      h("b", {}, kind ? t("puzzle_of_the_day") : title(puzzle.game)), kind ? h("span", {}, title(puzzle.game)) : "", stars(puzzle.grade),
      h("span", { class: done[puzzle.key] ? "good small" : "faint small" }, done[puzzle.key] === "solved" ? t("solved") : done[puzzle.key] ? t("seen") : puzzle.players.join(" – ")));
    const today = puzzles.find((puzzle) => puzzle.key === daily);
    body.replaceChildren(...(today ? [card(today, "daily")] : []), h("h2", {}, t("all_puzzles")),
      h("p", { class: "small faint" }, t("n_of_all_solved", { n: puzzles.filter((puzzle) => done[puzzle.key] === "solved").length, all: puzzles.length })),
      h("div", { class: "games" }, ...puzzles.filter((puzzle) => puzzle !== today).map((puzzle) => card(puzzle))));
  }
  return () => { gone = true; };
}

function showPuzzle(place, key) {
  const holder = h("div", {});
  const dice = h("div", { class: "dice" });
  const status = h("div", { class: "status", role: "status" });
  const said = h("div", { class: "stack", "aria-live": "polite" });
  const moves = h("div", { class: "moves", role: "group", "aria-label": t("moves_title") });
  const head = h("div", { class: "row" });
  let shown = null;
  let turned = false;
  let open = true;
  let first = true;
  const board = new Board(holder, { onMove: (move) => answer({ move }) });
  const give = h("button", { "data-do": "give-up", onclick: () => answer({ give_up: true }) }, t("show_the_solution"));
  const turn = h("button", { "data-do": "turn", onclick: () => { turned = !turned; load(); } }, t("turn_the_board"));
  place.append(h("p", {}, h("a", { href: "#/puzzles" }, `← ${t("puzzles")}`)), h("div", { class: "columns table" }, h("div", { class: "stack" }, holder), h("div", { class: "stack" }, head, status, dice, moves, said, h("div", { class: "row" }, give, turn))));

  async function load() {
    let puzzle;
    try {
      puzzle = await request("puzzle", { key, turned });
    } catch (error) {
      place.replaceChildren(notFound(error.message, "#/puzzles", t("puzzles")));
      return;
    }
    const game = (await games()).find((one) => one.name === puzzle.shown.game);
    if (shown === null && game?.turned[puzzle.shown.mover]) {
      shown = puzzle.shown;
      turned = true;
      load();
      return;
    }
    shown = puzzle.shown;
    head.replaceChildren(h("h1", {}, fromServer(game?.title ?? shown.title)), stars(puzzle.grade));
    board.show(open ? shown : { ...shown, moves: [] });
    showDice(dice, shown, false);
    status.textContent = `${stateText(shown)} – ${t("find_the_best_move")}`;
    moves.replaceChildren(...(open ? shown.moves.map((move) => h("button", { onclick: () => answer({ move: move.text }) }, move.text)) : []));
  }

  async function answer(fields) {
    if (!open) return;
    const found = await requestOrNotify("answer", { key, ...fields });
    if (!found) return;
    if (!found.right) {
      said.replaceChildren(h("p", { class: "bad" }, t("move_loses_chance_try_again", { move: fields.move, chance: percent(found.loss) })));
      first = false;
      board.show(shown, { animate: false });
      return;
    }
    open = false;
    const done = solved();
    done[key] = fields.move && first ? "solved" : done[key] ?? "seen";
    remember("puzzles", JSON.stringify(done));
    give.hidden = true;
    moves.replaceChildren();
    const text = fields.move ? t("yes_move_is_the_best_move", { move: found.best }) : t("the_solution_is_move", { move: found.best });
    status.textContent = text;
    announce(text);
    said.replaceChildren(h("p", { class: "sentence" }, t("win_probability_of_side_chance", { side: fromServer(shown.sides[shown.mover]), chance: percent(found.wins, 0) })),
      h("p", { class: "sentence" }, t("colon", { head: t("line"), rest: "" }), lineButtons(found.line, (steps) => showLine(steps), (steps) => preview(steps))),
      h("p", { class: "faint" }, t("puzzle_was_played", { move: found.played, chance: percent(found.played_loss) }), " ", h("a", { href: `#/analyse/${found.source}` }, found.players.join(" – "))),
      h("p", {}, h("a", { class: "button", href: "#/puzzles" }, t("more_puzzles"))));
    showLine([found.best]);
  }

  // The position after a line of moves.
  async function showLine(steps) {
    const after = await request("line", { game: shown.game, position: shown.position, line: steps, turned }).catch(() => null);
    const last = after?.steps.at(-1);
    if (last) board.show({ ...last.shown, moves: [] });
  }

  function preview(steps) {
    if (steps) showLine(steps);
  }

  load();
}
