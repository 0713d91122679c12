// The Archive tab: every finished game of the page and of the store, with search, sorting and export.

import { games } from "./catalogue.js";
import { h, percent, showNotice } from "./dom.js";
import { language, t } from "./words.js";
import { requestOrNotify } from "./socket.js";

const COLUMNS = [["date", "date"], ["game", "game"], ["players", "players"], ["winner", "result"], ["plies", "plies"], ["luck", "luck"], ["loss", "largest mistake"]];

export function show(place) {
  const game = h("select", { id: "archive-game", "aria-label": t("Game"), onchange: () => search() }, h("option", { value: "" }, t("all games")));
  const player = h("input", { type: "search", id: "archive-player", placeholder: t("Player"), "aria-label": t("Player"), onchange: () => search() });
  const position = h("input", { type: "search", id: "archive-position", size: 30, placeholder: t("Position"), "aria-label": t("Position"), onchange: () => search() });
  const rows = h("tbody", {});
  const head = h("tr", {});
  const count = h("p", { class: "small faint", role: "status" });
  const save = h("button", { "data-do": "export", onclick: () => exportShown() }, t("Export"));
  place.append(h("h1", {}, t("Archive")), h("div", { class: "row" }, game, player, position, save), count, h("div", { class: "sheet scroll" }, h("table", { class: "listed" }, h("thead", {}, head), rows)));
  let found = [];
  let order = { by: "date", down: true };
  let all = [];
  let asked = 0;
  games().then((known) => {
    all = known;
    game.append(...known.map((one) => h("option", { value: one.name }, t(one.title))));
  }).catch((error) => showNotice(error.message));

  async function search() {
    asked += 1;
    const mine = asked;
    count.textContent = t("searching …");
    const answer = await requestOrNotify("games", { game: game.value || null, player: player.value || null, position: position.value || null });
    if (mine !== asked) return;
    found = answer?.games ?? [];
    count.textContent = found.length >= (answer?.most ?? 0) ? t("the latest {n} games", { n: found.length }) : t("{n} games", { n: found.length });
    draw();
  }

  const value = (entry, by) => (by === "players" ? entry.players.join(" – ") : by === "winner" ? result(entry) : entry[by] ?? -Infinity);
  function sorted() {
    const sign = order.down ? -1 : 1;
    return [...found].sort((a, b) => {
      const [one, other] = [value(a, order.by), value(b, order.by)];
      return sign * (one < other ? -1 : one > other ? 1 : 0);
    });
  }

  function result(entry) {
    const sides = all.find((one) => one.name === entry.game)?.sides ?? ["first", "second"];
    return entry.winner === null ? `${t("A draw")}: ${t(entry.reason)}` : `${t("{side} wins", { side: t(sides[entry.winner]) })}: ${t(entry.reason)}`;
  }

  function draw() {
    head.replaceChildren(...COLUMNS.map(([by, name]) => h("th", { "aria-sort": order.by === by ? (order.down ? "descending" : "ascending") : "none" },
      h("button", { class: "quiet sort", onclick: () => { order = { by, down: order.by === by ? !order.down : true }; draw(); } }, t(name), order.by === by ? (order.down ? " ▼" : " ▲") : ""))));
    const date = new Intl.DateTimeFormat(language() === "zh" ? "zh-TW" : "en-GB", { dateStyle: "medium", timeStyle: "short" });
    const luck = (entry) => (entry.luck === null ? "" : `${entry.luck >= 0 ? "+" : "−"}${percent(Math.abs(entry.luck), 0)}`);
    rows.replaceChildren(...sorted().map((entry) => h("tr", { "data-key": entry.key },
      h("td", {}, h("a", { href: `#/analyse/${entry.key}` }, date.format(new Date(1000 * entry.date)))),
      h("td", {}, t(all.find((one) => one.name === entry.game)?.title ?? entry.game)),
      h("td", {}, entry.players.map((name) => (name === "you" ? t(entry.mine ? "You" : "a visitor") : name)).join(" – ")),
      h("td", {}, result(entry)), h("td", { class: "number" }, String(entry.plies)), h("td", { class: "number" }, luck(entry)),
      h("td", { class: "number" }, entry.loss === null ? "" : percent(entry.loss)))));
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
