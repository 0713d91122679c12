// The Watch tab: live views of the store with the games in progress, and the form to start a run.

import { games, levelFields } from "./catalogue.js";
import { parseHtml, h, showNotice, notFound } from "./dom.js";
import { LiveBoard } from "./live.js";
import { request, subscribe, requestOrNotify, onReconnect } from "./socket.js";
import { fromServer, t, translate } from "./words.js";

export function show(place, [kind, number]) {
  return kind === "new" ? showStart(place) : kind ? showView(place, `${kind}/${number}`) : showStore(place);
}

// The list of everything in the store.

function showStore(place) {
  const view = h("div", {});
  const runs = h("div", { class: "stack", "aria-live": "polite" });
  place.append(h("div", { class: "row title" }, h("h1", {}, t("watch")), h("span", { class: "spacer" }), h("a", { class: "button", href: "#/watch/new" }, t("start_a_match_or_a_tournament"))), runs, view);
  const leave = watchView("store", view);
  const look = async () => {
    const answer = await request("runs").catch(() => null);
    if (answer) runs.replaceChildren(...answer.runs.map(runRow));
  };
  look();
  const timer = setInterval(look, 2000);
  return () => {
    clearInterval(timer);
    leave();
  };
}

function runRow(run) {
  const state = run.running ? t("running") : run.error ? t("failed") : t("finished");
  return h("div", { class: "sheet row run", "data-run": String(run.run) }, run.key ? h("a", { href: `#/watch/${run.key}` }, run.title) : h("b", {}, run.title), h("span", { class: run.error ? "bad" : "faint" }, state),
    run.running ? h("button", { class: "small", onclick: () => requestOrNotify("stop-run", { run: run.run }) }, t("stop")) : null, run.error ? h("code", {}, run.error) : null);
}

// Subscribe to a view of the server, again after every reconnection.
function watchView(key, view, changed = () => {}) {
  let gone = false;
  const fill = (html) => {
    if (gone) return;
    view.replaceChildren(parseHtml(html));
    translate(view);
    changed();
  };
  const begin = async () => {
    try {
      fill((await request("watch", { key })).html);
    } catch (error) {
      if (!gone && !view.childElementCount) view.replaceChildren(notFound(error.message, "#/watch", t("watch")));
    }
  };
  subscribe("view", (message) => { if (message.key === key) fill(message.html); });
  const forget = onReconnect(begin);
  begin();
  return () => {
    gone = true;
    forget();
    request("unwatch").catch(() => {});
  };
}

// The view of a match, a tournament, a tuning or an experiment.

export function showView(place, key, { wall = false } = {}) {
  const view = h("div", { class: "view" });
  const other = wall ? h("a", { href: `#/watch/${key}` }, `← ${t("watch")}`) : h("a", { class: "button", href: `#/wall/${key}`, "data-do": "wall" }, t("wall_screen"));
  place.append(h("div", { class: "row title" }, ...(wall ? [other] : [h("a", { href: "#/watch" }, `← ${t("watch")}`), h("span", { class: "spacer" }), other])), view);
  const board = new LiveBoard(key);
  const leave = watchView(key, view, () => board.attach(view.querySelector("[data-replay]")));
  return () => {
    board.stop();
    leave();
  };
}

// The form to start a match or a tournament.

function showStart(place) {
  const form = h("div", { class: "sheet stack" });
  place.append(h("h1", {}, t("start_a_match_or_a_tournament")), form);
  games().then((all) => fill(all)).catch((error) => showNotice(error.message));
  function fill(all) {
    const game = h("select", { id: "run-game" }, ...all.map((one) => h("option", { value: one.name }, fromServer(one.title))));
    const kind = h("select", { id: "run-kind" }, ...[["match", "single_match"], ["round-robin", "round_robin"], ["swiss", "swiss_tournament"], ["gauntlet", "gauntlet"]].map(([value, text]) => h("option", { value }, t(text))));
    const players = h("div", { id: "run-players", class: "choices", role: "group", "aria-label": t("players_title") });
    const rounds = h("input", { type: "number", id: "run-rounds", min: "1", max: "32", value: "3" });
    const pairs = h("input", { type: "number", id: "run-pairs", min: "1", max: "100000", value: "20" });
    const level = levelFields();
    level.amount.value = "0.1";
    const chosen = () => all.find((one) => one.name === game.value);
    const offer = () => players.replaceChildren(...chosen().players.map((player) => h("label", { title: fromServer(player.description) }, h("input", { type: "checkbox", value: player.name }), player.name)));
    game.addEventListener("change", offer);
    offer();
    const roundsLabel = h("label", { for: "run-rounds" }, t("swiss_rounds"));
    const fit = () => { rounds.hidden = roundsLabel.hidden = kind.value !== "swiss"; };
    kind.addEventListener("change", fit);
    fit();
    const begin = h("button", { class: "main", id: "run-begin", onclick: async () => {
      const names = [...players.querySelectorAll("input:checked")].map((box) => box.value);
      if (names.length < 2 || (kind.value === "match" && names.length !== 2)) {
        showNotice(t("select_players"));
        return;
      }
      const shared = { game: game.value, pairs: Number(pairs.value), ...level.read() };
      const answer = kind.value === "match" ? await requestOrNotify("match", { ...shared, first: names[0], second: names[1] })
        : await requestOrNotify("tournament", { ...shared, players: names, kind: kind.value, rounds: Number(rounds.value) });
      if (answer) location.hash = "#/watch";
    } }, t("begin"));
    form.append(h("div", { class: "form" },
      h("label", { for: "run-kind" }, t("type")), kind, h("label", { for: "run-game" }, t("game_title")), game,
      h("span", { class: "label" }, t("players_title")), players, roundsLabel, rounds,
      h("label", { for: "run-pairs" }, t("game_pairs")), pairs, h("span", { class: "label" }, t("level")), h("div", { class: "row" }, level.amount, level.kind), h("span", {}), h("div", {}, begin)));
  }
}
