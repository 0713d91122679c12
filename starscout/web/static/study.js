// The parts that the views of a position and of a game share: the board, the engines, the exact values and the status.

import { Board, showNotes, stateText } from "./board.js";
import { games, showRules } from "./catalogue.js";
import { showDice } from "./dice.js";
import { copyButton, h, percent } from "./dom.js";
import { EnginePanel } from "./engine.js";
import { ExactValues } from "./exact.js";
import { request, requestOrNotify } from "./socket.js";
import { fromServer, t } from "./words.js";

export function study(place, gameName, heading, quiet = false) {
  const holder = h("div", {});
  const status = h("div", { class: "status", role: "status" });
  const dice = h("div", { class: "dice" });
  const facts = h("div", { class: "small faint facts" });
  const tools = h("div", { class: "row" });
  const engines = h("div", { class: "stack engines" });
  const side = h("div", { class: "stack" });
  const board = new Board(holder, { onMove: (move) => parts.onMove(move), quiet });
  const below = h("div", { class: "stack" }, dice);
  const bar = h("div", { class: "evalbar", hidden: true }, h("i", {}), h("span", {}));
  place.append(heading, h("div", { class: "columns" }, h("div", { class: "stack" }, bar, holder, facts, below, tools), side));
  const parts = { board, status, dice, below, tools, engines, exact: null, side, panels: [], shown: null, turned: false, onMove: () => {}, game: null };
  const compare = h("button", { "data-do": "compare", onclick: () => { addEngine("second"); compare.hidden = true; engines.classList.add("two"); parts.panels[1].show(parts.shown.game, parts.shown.position, { turned: parts.turned, think: true, mover: parts.shown.sides[parts.shown.mover], points: parts.shown.points }); } }, t("compare_two_engines"));
  const exact = new ExactValues(board, () => parts);
  parts.exact = exact.element;
  const ready = games().then((all) => {
    parts.game = all.find((game) => game.name === gameName) ?? { name: gameName, title: gameName, description: "", dice: "", players: ["strong", "negascout", "mcts"].map((name) => ({ name, local: true, description: "" })), default: "negascout", rows: 0, columns: 0, faces: 1, sides: [] };
    addEngine("first");
    tools.append(h("button", { onclick: () => showRules(parts.game) }, t("rules")), h("button", { "data-do": "turn", onclick: () => { parts.turned = !parts.turned; parts.refresh(); } }, t("turn_the_board")), compare, exact.button, copyButton(t("copy_the_link"), () => location.href));
  });
  function addEngine(name) {
    const panel = new EnginePanel(name, parts.game, {
      onPicture: (svg) => { if (name === "first" && parts.shown && !previewing) board.show({ ...parts.shown, svg }, { animate: false }); },
      onMove: (move, roll) => parts.onMove(move, roll),
      onLine: (steps) => parts.playLine(steps),
      onPreview: (steps) => parts.preview(steps),
      onValue: (wins) => { if (name === "first") showBar(wins); },
      order: name === "second" ? () => parts.panels[0].listed : null,
    });
    parts.panels.push(panel);
    engines.append(panel.element);
  }
  parts.present = (shown, { think = false } = {}) => {
    parts.shown = shown;
    board.show(shown);
    showDice(dice, shown, false);
    showNotes(facts, shown);
    status.textContent = stateText(shown, parts.plies);
    exact.show();
    if (shown.over) return parts.panels.forEach((panel) => panel.clear());
    return parts.panels.forEach((panel) => panel.show(shown.game, shown.position, { turned: parts.turned, think, mover: shown.sides[shown.mover], points: shown.points }));
  };
  // The win probability of both sides, with the name of the one that is ahead.
  function showBar(wins) {
    bar.hidden = wins === null || wins === undefined;
    if (bar.hidden) return;
    const first = parts.shown.mover === 0 ? wins : 1 - wins;
    const [fill, text] = bar.children;
    fill.style.width = `${100 * first}%`;
    fill.style.background = parts.shown.colours[0];
    bar.style.background = parts.shown.colours[1];
    const ahead = first >= 0.5 ? 0 : 1;
    text.textContent = `${fromServer(parts.shown.sides[ahead])} ${percent(ahead === 0 ? first : 1 - first, 0)}`;
    bar.setAttribute("role", "img");
    bar.setAttribute("aria-label", t("win_probability_of_side_chance", { side: fromServer(parts.shown.sides[0]), chance: percent(first, 0) }));
  }
  // Show the end of a line while the pointer is on it.
  let previewed = 0;
  let previewing = false; // the pointer is on a line: pictures of the engine would replace its end
  parts.preview = async (steps) => {
    previewed += 1;
    previewing = steps !== null;
    const mine = previewed;
    const before = parts.shown;
    if (steps === null) {
      if (before) board.show(before, { animate: false });
      return;
    }
    const answer = await request("line", { game: before.game, position: before.position, line: steps, turned: parts.turned }).catch(() => null);
    const last = answer?.steps.at(-1);
    if (last && mine === previewed && parts.shown === before) board.show({ ...last.shown, moves: [] }, { animate: false });
  };
  // Add a line to the tree, and go to its end.
  parts.playLine = async (steps) => {
    previewed += 1;
    previewing = false;
    const answer = await requestOrNotify("line", { game: parts.shown.game, position: parts.shown.position, line: steps, turned: parts.turned });
    for (const step of answer?.steps ?? []) parts.tree.current = parts.tree.append(parts.tree.current, step);
    if (answer?.steps.length) parts.tree.select(parts.tree.current);
  };
  parts.showBar = showBar;
  parts.close = () => {
    exact.close();
    parts.panels.forEach((panel) => panel.close());
  };
  return { parts, ready };
}
