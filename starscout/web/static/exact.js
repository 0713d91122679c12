// Exact values of the legal moves, written on their target squares, from endgame tables and solvers.

import { h, percent, winProbability } from "./dom.js";
import { request, subscribe } from "./socket.js";
import { fromServer, t } from "./words.js";

const listeners = new Set();
subscribe("exact", (message) => { for (const listener of listeners) listener(message); });

// A value as a short text: the final score in games that have one, else the win probability of the side to move.
function valueText(entry, points) {
  if (entry.score !== null) return `${entry.score > 0 ? "+" : ""}${entry.score}`.replace("-", "−");
  if (points > 1) return `${entry.value < 0 ? "−" : "+"}${Math.abs(entry.value * points).toFixed(2)}`;
  const chance = winProbability(entry.value);
  return chance === 0 || chance === 1 ? percent(chance, 0) : percent(chance, 1);
}

export class ExactValues {
  // `study()` returns the parts of the view, of which `shown` is the state on the board.
  constructor(board, study) {
    this.board = board;
    this.study = study;
    this.running = false;
    this.button = h("button", { "data-do": "solve", "aria-pressed": "false", onclick: () => this.toggle() }, t("exact_values"));
    this.element = h("div", { class: "small exact-values", role: "status" });
    this.listen = (message) => this.receive(message);
    listeners.add(this.listen);
  }

  toggle() {
    this.running = !this.running;
    this.button.setAttribute("aria-pressed", String(this.running));
    this.show();
  }

  // A new position is on the board.
  async show() {
    const { shown } = this.study();
    if (!shown) return;
    this.board.showValues(null);
    this.element.textContent = "";
    this.values = new Map();
    if (!this.running || shown.over) return;
    this.element.textContent = t("thinking");
    try {
      const found = await request("solve", { game: shown.game, position: shown.position });
      if (shown === this.study().shown) this.finish(found, shown);
    } catch (error) {
      if (shown === this.study().shown && this.running) this.element.textContent = error.message;
    }
  }

  receive(message) {
    const { shown } = this.study();
    if (!this.running || message.position !== shown?.position) return;
    this.values.set(message.move, message);
    // One is the best only if all are known.
    const worth = (entry) => entry.score ?? entry.value;
    const most = this.values.size === shown.moves.length ? Math.max(...[...this.values.values()].map(worth)) : Infinity;
    this.board.showValues(new Map([...this.values.values()].map((entry) => [entry.move, { text: valueText(entry, message.points), best: worth(entry) === most }])));
  }

  // Show the value of the position.
  finish(found, shown) {
    const side = fromServer(shown.sides[shown.mover]);
    const solved = this.values.size === shown.moves.length || !shown.moves.length;
    if (found.value === null || !solved) {
      this.element.textContent = this.values.size ? t("solved_n_of_all_moves", { n: this.values.size, all: shown.moves.length }) : t("not_solved_the_search_reached_depth_n", { n: found.depth });
      return;
    }
    const said = found.score !== null ? t("n_discs", { n: valueText(found, 1) }) : t("win_probability_of_side_chance", { side, chance: percent(winProbability(found.value), 4) });
    const about = found.error ? ` ± ${percent(found.error / 2, 2)}` : "";
    this.element.textContent = t("colon", { head: t(found.error ? "best_value_found" : "exact_value_title"), rest: `${said}${about}${found.best ? t("comma") + found.best : ""}` });
  }

  close() {
    listeners.delete(this.listen);
    if (this.running) request("stop", { name: "solve" }).catch(() => {});
  }
}
