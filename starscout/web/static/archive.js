// The Archive tab: every finished game of the page and of the store, with search, sorting and export.

import { endText } from "./board.js";
import { games, playerName } from "./catalogue.js";
import { h, percent, showNotice } from "./dom.js";
import { fromServer, language, t } from "./words.js";
import { requestOrNotify } from "./socket.js";

const COLUMNS = [["date", "date"], ["game", "game"], ["players", "players"], ["winner", "result"], ["plies", "plies", "number"], ["luck", "luck_of_the_first_player", "number"], ["loss", "largest_mistake", "number"]];

export function show(place) {
  const game = h("select", { id: "archive-game", "aria-label": t("game_title"), onchange: () => search() }, h("option", { value: "" }, t("all_games")));
  const player = h("input", { type: "search", id: "archive-player", placeholder: t("player_title"), "aria-label": t("player_title"), onchange: () => search() });
  const position = h("input", { type: "search", id: "archive-position", size: 30, placeholder: t("position"), "aria-label": t("position"), onchange: () => search() });
  const rows = h("tbody", {});
  const head = h("tr", {});
  const count = h("p", { class: "small faint", role: "status" });
  const older = h("button", { "data-do": "older", hidden: true, onclick: () => search({ more: true }) }, t("older_games_title"));
  const save = h("button", { "data-do": "export", onclick: () => exportShown() }, t("export"));
  place.append(h("h1", {}, t("archive")), h("div", { class: "row filters" }, game, player, position, save), count, h("div", { class: "sheet scroll" }, h("table", { class: "listed cards" }, h("thead", {}, head), rows)), h("p", {}, older));
  let found = [];
  let seen = { page: 0, store: 0 }; // how many games of the page and of the store are listed
  let order = { by: "date", down: true };
  let all = [];
  let asked = 0;
  games().then((known) => {
    all = known;
    game.append(...known.map((one) => h("option", { value: one.name }, fromServer(one.title))));
  }).catch((error) => showNotice(error.message));

  async function search({ more = false } = {}) {
    asked += 1;
    const mine = asked;
    count.textContent = t("searching");
    const after = more ? seen : { page: 0, store: 0 };
    const answer = await requestOrNotify("games", { game: game.value || null, player: player.value || null, position: position.value || null, ...after });
    if (mine !== asked) return;
    found = [...(more ? found : []), ...(answer?.games ?? [])];
    if (answer) seen = { page: answer.page, store: answer.store };
    older.hidden = !answer?.more;
    count.textContent = t("semicolon", { head: t(answer?.more ? "the_latest_n_games" : "n_games", { n: found.length }), rest: t("luck_and_mistakes_in_win_probability") });
    draw();
  }

  const value = (entry, by) => (by === "players" ? names(entry) : by === "winner" ? result(entry) : entry[by] ?? -Infinity);
  function sorted() {
    const sign = order.down ? -1 : 1;
    return [...found].sort((a, b) => {
      const [one, other] = [value(a, order.by), value(b, order.by)];
      return sign * (one < other ? -1 : one > other ? 1 : 0);
    });
  }

  function names(entry) {
    const game = entry.key.startsWith("game/") ? all.find((one) => one.name === entry.game) : null;
    return entry.players.map((name, side) => playerName(name, game, side, entry.yours ?? [])).join(" – ");
  }

  function result(entry) {
    const sides = all.find((one) => one.name === entry.game)?.sides ?? ["first", "second"];
    return endText(entry, sides);
  }

  function draw() {
    head.replaceChildren(...COLUMNS.map(([by, name, kind]) => h("th", { class: kind, "aria-sort": order.by === by ? (order.down ? "descending" : "ascending") : "none" },
      h("button", { class: "quiet sort", onclick: () => { order = { by, down: order.by === by ? !order.down : true }; draw(); } }, t(name), order.by === by ? (order.down ? " ▼" : " ▲") : ""))));
    const date = new Intl.DateTimeFormat(language() === "zh" ? "zh-TW" : "en-GB", { dateStyle: "medium", timeStyle: "short", hourCycle: "h23" });
    const luck = (entry) => (entry.luck === null ? "" : `${entry.luck >= 0 ? "+" : "−"}${percent(Math.abs(entry.luck), 0)}`);
    rows.replaceChildren(...sorted().map((entry) => h("tr", { "data-key": entry.key },
      h("td", {}, h("a", { href: `#/analyse/${entry.key}` }, date.format(new Date(1000 * entry.date)))),
      h("td", { "data-part": "game" }, fromServer(all.find((one) => one.name === entry.game)?.title ?? entry.game)),
      h("td", { "data-part": "players" }, names(entry)),
      h("td", { class: "sentence" }, result(entry)), h("td", { class: "number", "data-label": t("plies") }, String(entry.plies)), h("td", { class: "number", "data-label": t("luck") }, luck(entry)),
      h("td", { class: "number", "data-label": t("largest_mistake") }, entry.loss === null ? "" : percent(entry.loss)))));
  }

  async function exportShown() {
    const answer = await requestOrNotify("export", { keys: sorted().slice(0, 100).map((entry) => entry.key) });
    if (!answer) return;
    const link = h("a", { href: URL.createObjectURL(new Blob([answer.text], { type: "application/json" })), download: "games.jsonl" });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  search();
}
