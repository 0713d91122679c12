// A game in progress move by move, with evaluations and clocks; between games, a replay of the latest one.

import { Board, stateText } from "./board.js";
import { showDice } from "./dice.js";
import { h, percent, svgElement, swatch } from "./dom.js";
import { onReconnect, request, subscribe } from "./socket.js";
import { fromServer, t } from "./words.js";

const STEP = 900;
const FIRST_PATIENCE = 1200; // until a replay begins because nothing is played
const PATIENCE = 2500; // the same between two games

export class LiveBoard {
  constructor(key) {
    this.key = key;
    this.holder = h("div", {});
    this.board = new Board(this.holder);
    this.status = h("div", { class: "status small" });
    this.dice = h("div", { class: "dice" });
    this.seats = h("div", { class: "seats" });
    this.state = h("div", { class: "live-state small" });
    this.values = h("div", {});
    this.latest = h("div", { class: "small latest" });
    this.box = h("div", { class: "stack" }, this.state, this.seats, this.holder, this.dice, this.status, this.values, this.latest);
    this.game = null;
    this.replayed = null; // the key of the game that is replayed
    this.next = "";
    this.timer = this.ticking = 0;
  }

  // Show the board in an element of the view, again after every update of the view.
  attach(place) {
    if (!place) return;
    place.append(this.box);
    this.next = place.dataset.replay;
    if (this.ticking) return;
    this.ticking = setInterval(() => this.tick(), 100);
    subscribe("live", (message) => { if (message.key === this.key && this.ticking) this.receive(message.game); });
    const ask = () => request("live", { key: this.key }).catch(() => {});
    this.forget = onReconnect(ask);
    ask();
    this.timer = setTimeout(() => this.replay(), FIRST_PATIENCE);
  }

  receive(game) {
    this.game = game && { ...game, received: performance.now() };
    clearTimeout(this.timer);
    this.replayed = null;
    if (!game) {
      this.timer = setTimeout(() => this.replay(), PATIENCE);
      return;
    }
    const { shown } = game;
    this.board.show(shown);
    showDice(this.dice, shown, true);
    this.status.textContent = `${stateText(shown, shown.ply)} · ${t("ply")} ${shown.ply}`;
    this.state.replaceChildren(h("span", { class: "on" }, t("live")), h("span", { class: "faint" }, t("game_n_of_pair_pair", { n: game.half + 1, pair: game.pair + 1 })));
    this.values.replaceChildren(...(game.values.some((value) => value !== null) ? [curve(game)] : []));
    const first = shown.ply - game.plies.length;
    this.latest.replaceChildren(...game.plies.map((ply, index) => h("span", {}, h("span", { class: "faint" }, `${first + index + 1}. `), ply.move)));
    this.fillSeats(game.players, shown, game.seats);
    this.tick();
  }

  fillSeats(players, shown, seats) {
    this.seats.replaceChildren(...[0, 1].map((side) => h("div", { class: `seat${shown.mover === side && !shown.over ? " turn" : ""}` }, swatch(shown.colours[side]), h("span", { class: "who" }, players[side]),
      h("span", { class: "faint small" }, seats[side].wins === null ? "" : percent(seats[side].wins, 0)), h("span", { class: "clock" }, `${seats[side].seconds.toFixed(2)} s`))));
  }

  // The clock of the side to move counts on.
  tick() {
    const { game } = this;
    if (!game) return;
    for (const [side, clock] of [...this.seats.querySelectorAll(".clock")].entries()) {
      const running = game.shown.mover === side && !game.over ? game.age + (performance.now() - game.received) / 1000 : 0;
      const left = game.left[side];
      clock.textContent = left === null ? `${(game.seats[side].seconds + running).toFixed(1)} s` : `${Math.max(0, left - running).toFixed(1)} s`;
    }
  }

  replay() {
    this.replayed = this.next;
    this.ply = 0;
    this.state.replaceChildren(h("span", { class: "faint" }, this.next ? t("replay_of_the_latest_game") : t("waiting_for_a_game")));
    this.values.replaceChildren();
    this.latest.replaceChildren();
    if (this.next) this.step();
    else this.timer = setTimeout(() => this.replay(), PATIENCE);
  }

  async step() {
    const key = this.replayed;
    const answer = await request("step", { key, ply: this.ply, best: null }).catch(() => null);
    if (key === null || key !== this.replayed) return;
    if (!answer) {
      this.timer = setTimeout(() => this.step(), 4 * STEP);
      return;
    }
    const { shown, players, plies, seats } = answer;
    this.board.show({ ...shown, moves: [] });
    showDice(this.dice, shown, true);
    this.status.textContent = `${stateText(shown, plies)} · ${t("ply")} ${this.ply} / ${plies}`;
    this.fillSeats(players, shown, seats);
    this.ply += 1;
    const over = this.ply > plies;
    this.timer = setTimeout(() => {
      if (!over) this.step();
      else if (this.next !== this.replayed) this.replay();
      else this.timer = setTimeout(() => this.replay(), 4 * STEP);
    }, over ? 3 * STEP : STEP);
  }

  stop() {
    clearTimeout(this.timer);
    clearInterval(this.ticking);
    this.ticking = 0;
    this.replayed = null;
    this.forget?.();
  }
}

// The reported win probabilities of the first side.
function curve({ values, shown }) {
  const known = values.map((value, ply) => (value === null ? null : `${ply},${(1 - value) * 100}`)).filter((point) => point !== null);
  const width = Math.max(1, values.length - 1);
  return svgElement("svg", { class: "values", viewBox: `0 -4 ${width} 108`, preserveAspectRatio: "none", role: "img", "aria-label": t("win_probability_of_side_at_every_ply", { side: fromServer(shown.sides[0]) }) },
    svgElement("line", { class: "half", x1: 0, x2: width, y1: 50, y2: 50, "vector-effect": "non-scaling-stroke" }), svgElement("polyline", { points: known.join(" ") }));
}
