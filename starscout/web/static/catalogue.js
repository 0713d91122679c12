// The games and players of the server, and form fields to choose among them.

import { parseHtml, h } from "./dom.js";
import { rules } from "./rules.js";
import { request, subscribe } from "./socket.js";
import { fromServer, t, translate } from "./words.js";

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
    card.textContent = state ? t({ waiting: "engine_waits_for_compilation", compiling: "engine_is_being_compiled", loading: "engine_is_loading" }[state]) : "";
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
    translate(picture);
    return h("button", { "data-game": game.name, onclick: () => choose(game) }, picture,
      h("span", { class: "words" }, h("b", {}, fromServer(game.title)), h("span", { class: "small faint" }, fromServer(game.description)), h("span", { class: "small faint engine-state" })));
  });
}

// The display name of a player of a game: `name` is the recorded name, `yours` are the sides of this visitor.
export function playerName(name, game, side, yours) {
  if (name === "you") return t(yours.includes(side) ? "you" : "a_visitor");
  // A level is a player with options; a player without options is shown by its name.
  const level = name.includes(" ") ? game?.levels?.findIndex((one) => one.player === name) ?? -1 : -1;
  return level < 0 ? fromServer(name) : t("level_n", { n: level + 1 });
}

export function showRules(game) {
  const dialog = h("dialog", { "aria-label": t("rules") },
    h("h1", {}, fromServer(game.title)), h("p", { class: "faint" }, fromServer(game.description)),
    ...rules(game).map(([name, text]) => h("div", { class: "rule" }, name ? h("h2", {}, name) : null, h("p", {}, text))),
    h("button", { class: "main", onclick: () => dialog.close() }, t("close")));
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
  document.body.append(dialog);
  dialog.showModal();
}

export function playerOptions(game, { people = false, local = false } = {}) {
  const options = game.players.filter((player) => !local || player.local)
    .map((player) => h("option", { value: player.name, selected: player.name === game.default, title: fromServer(player.description) }, player.name));
  if (people) options.push(h("option", { value: INVITE }, t("a_friend_by_link")), h("option", { value: "" }, t("two_players_at_this_board")));
  return options;
}

const LEVELS = { time: ["0.05", "60", "1"], simulations: ["1", "1000000", "2000"], depth: ["1", "20", "4"] };

export function levelFields() {
  const amount = h("input", { type: "number", min: "0.05", max: "60", step: "any", value: "1", "aria-label": t("amount") });
  const kind = h("select", { "aria-label": t("limit_by"), onchange: () => { [amount.min, amount.max, amount.value] = LEVELS[kind.value]; } },
    h("option", { value: "time" }, t("seconds_per_move")),
    h("option", { value: "simulations" }, t("simulations")),
    h("option", { value: "depth" }, t("plies_deep")));
  const read = () => ({ [kind.value]: kind.value === "time" ? Number(amount.value) : Math.round(Number(amount.value)) });
  return { amount, kind, read };
}
