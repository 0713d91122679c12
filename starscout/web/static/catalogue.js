// The games and players of the server, and form fields to choose among them.

import { parseHtml, h } from "./dom.js";
import { rules } from "./rules.js";
import { request, subscribe } from "./socket.js";
import { t } from "./words.js";

export const INVITE = "invite";

let catalogue = null;
let engines = {};

export async function games() {
  if (catalogue === null) {
    const answer = await request("catalogue");
    engines = answer.engines;
    catalogue = answer.games;
  }
  return catalogue;
}

// Show which engines are being compiled, on the cards of their games.
function showEngines() {
  for (const card of document.querySelectorAll("[data-game] .engine-state")) {
    const state = engines[card.closest("[data-game]").dataset.game];
    card.textContent = state ? t({ waiting: "engine waits for compilation", compiling: "engine is being compiled …", loading: "engine is loading …" }[state]) : "";
  }
}

subscribe("engines", (message) => {
  engines = message.engines;
  showEngines();
});

// A card with a board for every game; `choose` receives the game.
export function gameCards(all, choose) {
  queueMicrotask(showEngines);
  return all.map((game) => {
    const picture = h("span", { class: "thumbnail", "aria-hidden": "true" }, parseHtml(game.picture));
    picture.firstElementChild.removeAttribute("role");
    return h("button", { "data-game": game.name, onclick: () => choose(game) }, picture,
      h("span", { class: "words" }, h("b", {}, t(game.title)), h("span", { class: "small faint" }, t(game.description)), h("span", { class: "small warm engine-state" })));
  });
}

export function showRules(game) {
  const dialog = h("dialog", { "aria-label": t("Rules") },
    h("h1", {}, t(game.title)), h("p", { class: "faint" }, t(game.description)),
    ...rules(game).map(([name, text]) => h("div", { class: "rule" }, name ? h("h2", {}, name) : null, h("p", {}, text))),
    h("button", { class: "main", onclick: () => dialog.close() }, t("Close")));
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
  document.body.append(dialog);
  dialog.showModal();
}

export function playerOptions(game, { people = false, local = false } = {}) {
  const options = game.players.filter((player) => !local || player.local)
    .map((player) => h("option", { value: player.name, selected: player.name === game.default, title: t(player.description) }, player.name));
  if (people) options.push(h("option", { value: INVITE }, t("a friend, by link")), h("option", { value: "" }, t("two players at this board")));
  return options;
}

const LEVELS = { time: ["0.05", "60", "1"], simulations: ["1", "1000000", "2000"], depth: ["1", "20", "4"] };

export function levelFields() {
  const amount = h("input", { type: "number", min: "0.05", max: "60", step: "any", value: "1", "aria-label": t("Amount") });
  const kind = h("select", { "aria-label": t("Limit by"), onchange: () => { [amount.min, amount.max, amount.value] = LEVELS[kind.value]; } },
    h("option", { value: "time" }, t("seconds per move")),
    h("option", { value: "simulations" }, t("simulations")),
    h("option", { value: "depth" }, t("plies deep")));
  const read = () => ({ [kind.value]: kind.value === "time" ? Number(amount.value) : Math.round(Number(amount.value)) });
  return { amount, kind, read };
}
