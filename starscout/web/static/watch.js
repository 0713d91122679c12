// The Watch tab: live views of the store, a replay of the latest game of a match, and the form to start a run.

import { Board, stateText } from "./board.js";
import { showDice } from "./dice.js";
import { games, levelFields } from "./catalogue.js";
import { parseHtml, h, showNotice, notFound, percent, swatch } from "./dom.js";
import { request, subscribe, requestOrNotify, onReconnect } from "./socket.js";
import { t, translate } from "./words.js";

const STEP = 900;

export function show(place, [kind, number]) {
  return kind === "new" ? showStart(place) : kind ? showView(place, `${kind}/${number}`) : showStore(place);
}

// The list of everything in the store.

function showStore(place) {
  const view = h("div", {});
  const runs = h("div", { class: "stack", "aria-live": "polite" });
  place.append(h("div", { class: "row title" }, h("h1", {}, t("Watch")), h("span", { class: "spacer" }), h("a", { class: "button", href: "#/watch/new" }, t("Start a match or a tournament"))), runs, view);
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
    run.running ? h("button", { class: "small", onclick: () => requestOrNotify("stop-run", { run: run.run }) }, t("Stop")) : null, run.error ? h("code", {}, run.error) : null);
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
      if (!gone && !view.childElementCount) view.replaceChildren(notFound(error.message, "#/watch", t("Watch")));
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

function showView(place, key) {
  const view = h("div", { class: "view" });
  place.append(h("p", {}, h("a", { href: "#/watch" }, `← ${t("Watch")}`)), view);
  const replay = new Replay();
  const leave = watchView(key, view, () => replay.attach(view.querySelector("[data-replay]")));
  return () => {
    replay.stop();
    leave();
  };
}

// Replays the latest game of a match, then the latest one at that time.
class Replay {
  constructor() {
    this.holder = h("div", {});
    this.board = new Board(this.holder);
    this.status = h("div", { class: "status small" });
    this.dice = h("div", { class: "dice" });
    this.seats = h("div", { class: "seats" });
    this.box = h("div", { class: "stack" }, this.seats, this.holder, this.dice, this.status);
    this.key = null;
    this.next = null;
    this.timer = 0;
  }

  attach(place) {
    if (!place) return;
    place.append(this.box);
    this.next = place.dataset.replay;
    if (this.key === null) this.begin();
  }

  begin() {
    this.key = this.next;
    this.ply = 0;
    this.step();
  }

  async step() {
    const key = this.key;
    const answer = await request("step", { key, ply: this.ply, best: null }).catch(() => null);
    if (key === null || key !== this.key) return;
    if (!answer) {
      this.timer = setTimeout(() => this.step(), 4 * STEP);
      return;
    }
    const { shown, players, plies, seats } = answer;
    this.board.show({ ...shown, moves: [] });
    showDice(this.dice, shown, true);
    this.status.textContent = `${stateText(shown)} · ${t("ply")} ${this.ply} / ${plies}`;
    this.seats.replaceChildren(...[0, 1].map((side) => {
      return h("div", { class: `seat${shown.mover === side && !shown.over ? " turn" : ""}` }, swatch(shown.colours[side]), h("span", { class: "who" }, players[side]),
        h("span", { class: "faint small" }, seats[side].wins === null ? "" : percent(seats[side].wins, 0)), h("span", { class: "clock" }, `${seats[side].seconds.toFixed(2)} s`));
    }));
    this.ply += 1;
    const over = this.ply > plies;
    this.timer = setTimeout(() => {
      if (!over) this.step();
      else if (this.next !== this.key) this.begin();
      else this.timer = setTimeout(() => this.begin(), 4 * STEP);
    }, over ? 3 * STEP : STEP);
  }

  stop() {
    clearTimeout(this.timer);
    this.key = null;
  }
}

// The form to start a match or a tournament.

function showStart(place) {
  const form = h("div", { class: "sheet stack" });
  place.append(h("h1", {}, t("Start a match or a tournament")), form);
  games().then((all) => fill(all)).catch((error) => showNotice(error.message));
  function fill(all) {
    const game = h("select", { id: "run-game" }, ...all.map((one) => h("option", { value: one.name }, t(one.title))));
    const kind = h("select", { id: "run-kind" }, ...[["match", "single match"], ["round-robin", "round robin"], ["swiss", "Swiss tournament"], ["gauntlet", "gauntlet"]].map(([value, text]) => h("option", { value }, t(text))));
    const players = h("div", { id: "run-players", class: "choices", role: "group", "aria-label": t("Players") });
    const rounds = h("input", { type: "number", id: "run-rounds", min: "1", max: "32", value: "3" });
    const pairs = h("input", { type: "number", id: "run-pairs", min: "1", max: "100000", value: "20" });
    const level = levelFields();
    level.amount.value = "0.1";
    const chosen = () => all.find((one) => one.name === game.value);
    const offer = () => players.replaceChildren(...chosen().players.map((player) => h("label", { title: t(player.description) }, h("input", { type: "checkbox", value: player.name }), player.name)));
    game.addEventListener("change", offer);
    offer();
    const roundsLabel = h("label", { for: "run-rounds" }, t("Swiss rounds"));
    const fit = () => { rounds.hidden = roundsLabel.hidden = kind.value !== "swiss"; };
    kind.addEventListener("change", fit);
    fit();
    const begin = h("button", { class: "main", id: "run-begin", onclick: async () => {
      const names = [...players.querySelectorAll("input:checked")].map((box) => box.value);
      if (names.length < 2 || (kind.value === "match" && names.length !== 2)) {
        showNotice(t("Select two players for a match, or more for a tournament."));
        return;
      }
      const shared = { game: game.value, pairs: Number(pairs.value), ...level.read() };
      const answer = kind.value === "match" ? await requestOrNotify("match", { ...shared, first: names[0], second: names[1] })
        : await requestOrNotify("tournament", { ...shared, players: names, kind: kind.value, rounds: Number(rounds.value) });
      if (answer) location.hash = "#/watch";
    } }, t("Begin"));
    form.append(h("div", { class: "form" },
      h("label", { for: "run-kind" }, t("Type")), kind, h("label", { for: "run-game" }, t("Game")), game,
      h("span", { class: "label" }, t("Players")), players, roundsLabel, rounds,
      h("label", { for: "run-pairs" }, t("Game pairs")), pairs, h("span", { class: "label" }, t("Level")), h("div", { class: "row" }, level.amount, level.kind), h("span", {}), h("div", {}, begin)));
  }
}
