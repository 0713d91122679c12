// The Search tree tab: the tree of alpha-beta with its windows and cutoffs, or of a Monte-Carlo search.

import { Board, stateText } from "./board.js";
import { showDice } from "./dice.js";
import { h, showNotice, percent, svgElement, winProbability } from "./dom.js";
import { games } from "./catalogue.js";
import { request, requestOrNotify } from "./socket.js";
import { t } from "./words.js";

const MOST_SHOWN = 60;

export function show(place, [gameName, position]) {
  const holder = h("div", {});
  const dice = h("div", { class: "dice" });
  const status = h("div", { class: "status small" });
  const controls = h("div", { class: "row" });
  const legend = h("p", { class: "small faint" });
  const result = h("div", { class: "sheet scroll" });
  const board = new Board(holder, { onMove: async (move) => {
    const answer = await requestOrNotify("advance", { game: shown.game, position: shown.position, move });
    if (answer) present(answer.shown);
  } });
  let shown = null;
  let all = [];
  place.append(h("h1", {}, t("Search tree")), h("div", { class: "columns" }, h("div", { class: "stack" }, controls, holder, dice, status), h("div", { class: "stack" }, legend, result)));

  const game = h("select", { id: "tree-game", "aria-label": t("Game"), onchange: () => load(null) });
  const search = h("select", { id: "tree-search", "aria-label": t("Search"), onchange: () => grow() },
    h("option", { value: "alpha-beta" }, t("alpha-beta")), h("option", { value: "mcts" }, t("Monte-Carlo")));
  const depth = h("select", { id: "tree-depth", "aria-label": t("Depth"), onchange: () => grow() }, ...[1, 2, 3, 4].map((n) => h("option", { value: String(n), selected: n === 2 }, t("{n} plies", { n }))));
  const simulations = h("input", { type: "number", id: "tree-simulations", "aria-label": t("simulations"), min: "1", max: "100000", value: "500", onchange: () => grow() });
  const another = h("button", { class: "small", onclick: () => rollAgain() }, t("Next die"));
  controls.append(game, search, depth, simulations, another);

  async function load(text) {
    const answer = await requestOrNotify("position", { game: game.value, position: text });
    if (answer) present(answer.shown);
  }

  async function rollAgain() {
    if (!shown?.rolls) return;
    const faces = all.find((one) => one.name === shown.game)?.faces ?? 6;
    const roll = shown.die === null ? 1 : (Number(shown.die) % faces) + 1;
    await load(shown.position.replace(/\S+$/, String(roll)));
  }

  async function reveal(roll) {
    const answer = await requestOrNotify("advance", { game: shown.game, position: shown.position, roll });
    if (answer) present(answer.shown);
  }

  function present(state) {
    shown = state;
    board.show(state);
    showDice(dice, state, false);
    status.textContent = stateText(state);
    another.hidden = !state.rolls;
    history.replaceState(null, "", `#/search/${encodeURIComponent(state.game)}/${encodeURIComponent(state.position)}`);
    if (state.rolls && state.die === null && !state.over) rollAgain();
    else if (state.events.length && !state.over) reveal(state.events[0].text);
    else grow();
  }

  async function grow() {
    simulations.hidden = search.value !== "mcts";
    if (!shown || shown.over) return;
    const mine = shown.position;
    result.replaceChildren(h("p", { class: "faint" }, t("thinking …")));
    try {
      const answer = await request("tree", { game: shown.game, position: mine, search: search.value, depth: Number(depth.value), player: "mcts", simulations: Math.round(Number(simulations.value)) });
      if (mine === shown.position) draw(answer.tree);
    } catch (error) {
      result.replaceChildren(h("p", { class: "bad" }, error.message));
    }
  }

  function draw(tree) {
    const sampled = search.value === "mcts";
    legend.textContent = sampled
      ? t("Each node shows its visits and its mean result for the side to move at the root. Pruned moves are crossed out. The search prefers moves with a high value or high uncertainty.")
      : t("Each node shows its window [α, β] and its value for the side to move. A child that reaches β causes a cutoff, because the opponent avoids the node. Nodes that were not searched are crossed out.");
    result.replaceChildren(h("ul", { class: "tree", role: "tree", "aria-label": t("Tree") }, node(tree, true, sampled)));
  }

  function node(entry, open, sampled) {
    const facts = sampled ? sampledFacts(entry) : windowFacts(entry);
    const label = sampled ? entry.move : entry.label;
    const dead = sampled ? entry.pruned > 0 : entry.fate === "skipped";
    const name = h("span", { class: "move" }, label || t("root"));
    const kind = entry.kind === "chance" ? h("span", { class: "tag" }, t("die")) : null;
    if (!entry.children.length) return h("li", { role: "treeitem", class: dead ? "pruned" : "" }, h("div", { class: "leaf" }, name, kind, ...facts));
    const below = h("ul", { role: "group" });
    const details = h("details", { open }, h("summary", {}, name, kind, ...facts), below);
    const fill = () => {
      if (below.childElementCount) return;
      const children = sampled ? [...entry.children].sort((a, b) => b.visits - a.visits) : entry.children;
      below.append(...children.slice(0, MOST_SHOWN).map((child) => node(child, false, sampled)));
    };
    if (open) fill();
    details.addEventListener("toggle", fill);
    return h("li", { role: "treeitem", class: dead ? "pruned" : "" }, details);
  }

  function windowFacts(entry) {
    if (entry.fate === "skipped") return [h("span", { class: "tag" }, t("not searched: cutoff in the parent"))];
    const facts = [windowBar(entry), h("b", {}, `${entry.bound === "=" ? "" : entry.bound}${signed(entry.value)}`), h("span", { class: "faint small" }, `[${signed(entry.alpha)}, ${signed(entry.beta)}]`)];
    if (entry.fate === "cut") facts.push(h("span", { class: "tag bad" }, entry.bound === "≤" ? t("cutoff: α is out of reach") : t("cutoff: value ≥ β")));
    if (entry.fate === "leaf") facts.push(h("span", { class: "tag" }, t("evaluation")));
    if (entry.fate === "over") facts.push(h("span", { class: "tag" }, t("game over")));
    return facts;
  }

  function sampledFacts(entry) {
    const facts = [h("b", {}, percent(winProbability(entry.value))), h("span", { class: "faint small" }, `${entry.visits.toLocaleString()} ${t("visits")}`)];
    if (entry.proven) facts.push(h("span", { class: "tag good" }, t("proven")));
    if (entry.pruned) facts.push(h("span", { class: "tag" }, t("pruned at {n}", { n: entry.pruned.toLocaleString() })));
    return facts;
  }

  games().then((found) => {
    all = found;
    game.append(...all.map((one) => h("option", { value: one.name, selected: one.name === gameName }, t(one.title))));
    load(position ?? null);
  }).catch((error) => showNotice(error.message));
}

// The window and the value of a node on a scale from −1 to +1.
function windowBar(entry) {
  const x = (value) => 2 + 36 * (1 + Math.min(1, Math.max(-1, value ?? 0)));
  return svgElement("svg", { class: "window", viewBox: "0 0 76 14", "aria-hidden": "true" },
    svgElement("rect", { class: "track", x: 2, y: 5, width: 72, height: 4, rx: 2 }),
    svgElement("rect", { class: "open", x: x(entry.alpha), y: 3, width: Math.max(1.5, x(entry.beta) - x(entry.alpha)), height: 8, rx: 2 }),
    svgElement("circle", { class: entry.fate === "cut" ? "mark cut" : "mark", cx: x(entry.value), cy: 7, r: 3.5 }));
}

const signed = (value) => (value === null ? "?" : `${value >= 0 ? "+" : "−"}${Math.abs(value).toFixed(3)}`);
