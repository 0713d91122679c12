// The Search tree tab: alpha-beta step by step with its windows and cutoffs, and the growth of a Monte-Carlo tree.

import { AlphaBeta } from "./alphabeta.js";
import { Board, stateText } from "./board.js";
import { games } from "./catalogue.js";
import { showDice } from "./dice.js";
import { h, showNotice } from "./dom.js";
import { MonteCarlo } from "./montecarlo.js";
import { request, requestOrNotify } from "./socket.js";
import { fromServer, t } from "./words.js";

export function show(place, [gameName, position]) {
  const holder = h("div", {});
  const dice = h("div", { class: "dice" });
  const status = h("div", { class: "status small", role: "status" });
  const controls = h("div", { class: "row" });
  const legend = h("p", { class: "small faint" });
  const result = h("div", { class: "sheet stack" });
  let root = null; // the state that is searched
  let onBoard = null; // the state on the board
  let all = [];
  let pointed = 0;
  let grown = 0;
  const board = new Board(holder, { onMove: async (move) => {
    const answer = await requestOrNotify("advance", { game: onBoard.game, position: onBoard.position, move });
    if (answer) present(answer.shown);
  } });
  const back = h("button", { class: "small", hidden: true, "data-do": "root", onclick: () => showPath([]) }, t("back_to_the_root"));
  place.append(h("h1", {}, t("search_tree")), h("div", { class: "columns" }, h("div", { class: "stack" }, controls, holder, h("div", { class: "row" }, dice, status, back)), h("div", { class: "stack" }, legend, result)));

  const game = h("select", { id: "tree-game", "aria-label": t("game_title"), onchange: () => load(null) });
  const search = h("select", { id: "tree-search", "aria-label": t("search"), onchange: () => grow() },
    h("option", { value: "alpha-beta" }, t("alpha_beta")), h("option", { value: "mcts" }, t("monte_carlo")));
  const depth = h("select", { id: "tree-depth", "aria-label": t("depth"), onchange: () => grow() }, ...[1, 2, 3, 4].map((n) => h("option", { value: String(n), selected: n === 2 }, t("n_plies", { n }))));
  const simulations = h("input", { type: "number", id: "tree-simulations", "aria-label": t("simulations"), min: "1", max: "100000", value: "500", onchange: () => grow() });
  const another = h("button", { onclick: () => rollAgain() }, t("next_die"));
  controls.append(game, search, depth, simulations, another);
  // A path of moves and events below the root: show it as arrows while the pointer is on it, or put its end on the board.
  const views = { "alpha-beta": new AlphaBeta({ onPoint: point, onChoose: showPath }), mcts: new MonteCarlo({ onPoint: point, onChoose: showPath }) };

  async function load(text) {
    const answer = await requestOrNotify("position", { game: game.value, position: text });
    if (answer) present(answer.shown);
  }

  async function rollAgain() {
    if (!root?.rolls) return;
    const faces = all.find((one) => one.name === root.game)?.faces ?? 6;
    const roll = root.die === null ? 1 : (Number(root.die) % faces) + 1;
    await load(root.position.replace(/\S+$/, String(roll)));
  }

  async function reveal(roll) {
    const answer = await requestOrNotify("advance", { game: root.game, position: root.position, roll });
    if (answer) present(answer.shown);
  }

  function present(state) {
    root = state;
    putOnBoard(state);
    another.hidden = !state.rolls;
    history.replaceState(null, "", `#/search/${encodeURIComponent(state.game)}/${encodeURIComponent(state.position)}`);
    if (state.rolls && state.die === null && !state.over) rollAgain();
    else if (state.events.length && state.die === null && !state.over) reveal(state.events[0].text);
    else grow();
  }

  function putOnBoard(state) {
    onBoard = state;
    board.show(state);
    showDice(dice, state, false);
    status.textContent = stateText(state);
    back.hidden = state === root;
  }

  async function point(path) {
    pointed += 1;
    const mine = pointed;
    if (path === null || !path.length) {
      if (onBoard) board.show(onBoard, { animate: false });
      return;
    }
    const answer = await request("path", { game: root.game, position: root.position, path }).catch(() => null);
    if (answer && mine === pointed) board.show({ ...root, moves: [], svg: answer.svg }, { animate: false });
  }

  async function showPath(path) {
    pointed += 1;
    if (!path.length) {
      putOnBoard(root);
      return;
    }
    const mine = pointed;
    const answer = await request("path", { game: root.game, position: root.position, path }).catch(() => null);
    if (answer && mine === pointed) putOnBoard(answer.shown);
  }

  async function grow() {
    simulations.hidden = search.value !== "mcts";
    if (!root) return;
    for (const view of Object.values(views)) view.stop();
    if (root.over) {
      result.replaceChildren(h("p", { class: "faint" }, t("the_game_is_over")));
      return;
    }
    putOnBoard(root);
    const view = views[search.value];
    grown += 1;
    const mine = grown;
    legend.textContent = view.legend;
    result.replaceChildren(h("p", { class: "faint" }, t("thinking")));
    try {
      const fields = { game: root.game, position: root.position, search: search.value, depth: Number(depth.value), player: "mcts", simulations: Math.round(Number(simulations.value)) };
      view.begin(root, () => result.replaceChildren(view.element));
      const answer = await request("tree", fields);
      if (mine === grown) view.finish(answer.tree);
    } catch (error) {
      if (mine === grown) result.replaceChildren(h("p", { class: "bad" }, error.message));
    }
  }

  games().then((found) => {
    all = found;
    game.append(...all.map((one) => h("option", { value: one.name, selected: one.name === gameName }, fromServer(one.title))));
    // Other sizes of the built-in games are known by name.
    if (gameName && game.value !== gameName) game.append(h("option", { value: gameName, selected: true }, gameName));
    load(position ?? null);
  }).catch((error) => showNotice(error.message));
  return () => {
    for (const view of Object.values(views)) view.stop();
    request("stop", { name: "tree" }).catch(() => {});
  };
}
