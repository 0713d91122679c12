// A panel with the analysis of the current position by one player, updated as the search deepens.

import { h, showNotice, percent, winProbability } from "./dom.js";
import { pieceTexts, showsPieces } from "./board.js";
import { playerOptions } from "./catalogue.js";
import { request, subscribe } from "./socket.js";
import { remember, remembered } from "./theme.js";
import { fromServer, t } from "./words.js";

const USUAL_LINES = 3;
const panels = new Map();
subscribe("analysis", (message) => panels.get(message.name)?.receive(message));

// A line of moves and rolls; each move is a button that plays the line up to it.
export function lineButtons(line, onLine, onPreview = () => {}) {
  return h("span", { class: "line" }, ...line.map((text, index) => {
    const steps = line.slice(0, index + 1);
    return h("button", { type: "button", class: "tree-move", onclick: () => onLine(steps), onmouseenter: () => onPreview(steps), onmouseleave: () => onPreview(null), onfocus: () => onPreview(steps), onblur: () => onPreview(null) }, text);
  }));
}

export class EnginePanel {
  // onPicture(svg) receives the board with the principal variation as arrows; onMove(text) a clicked move.
  // order(), if given, returns the moves in the order of another panel, so that equal moves are side by side.
  // onLine(steps) receives the moves of a clicked line, onPreview(steps) those of the one under the pointer (null: none).
  constructor(name, game, { onPicture = () => {}, onMove = () => {}, onLine = () => {}, onPreview = () => {}, onValue = () => {}, order = null } = {}) {
    this.onLine = onLine;
    this.onPreview = onPreview;
    this.onValue = onValue;
    this.order = order;
    this.listed = [];
    this.name = name;
    this.onPicture = onPicture;
    this.onMove = onMove;
    this.position = null;
    this.turned = false;
    this.player = h("select", { "aria-label": t("player_title") }, ...playerOptions(game, { local: true }));
    if (name === "second") this.player.value = game.players.some((player) => player.name === "mcts") ? "mcts" : this.player.value;
    this.seconds = h("select", { "aria-label": t("time_title") }, ...[2, 10, 60].map((n) => h("option", { value: String(n) }, `${n} s`)));
    this.count = h("select", { "aria-label": t("number_of_lines"), onchange: () => { remember("lines", this.count.value); this.think(); } },
      ...[1, 2, 3, 4, 5].map((n) => h("option", { value: String(n) }, t("n_lines", { n }))));
    this.count.value = remembered("lines") ?? String(USUAL_LINES);
    this.button = h("button", { class: "main", "data-do": "think", onclick: () => (this.running ? this.stop() : this.think()) }, t("start_analysis"));
    this.player.addEventListener("change", () => this.think());
    this.head = h("div", { class: "verdict", hidden: true });
    this.rows = h("tbody", {});
    this.lines = h("div", { class: "small lines" });
    this.element = h("div", { class: "sheet engine" }, h("div", { class: "row" }, this.player, this.seconds, this.count, this.button), this.head, this.lines,
      h("div", { class: "scroll" }, h("table", {}, this.rows)));
    this.running = false;
    this.turn = 0; // the number of the latest analysis
    panels.set(name, this);
  }

  async show(game, position, { turned = false, think = false, mover = "", points = 1 } = {}) {
    this.mover = mover;
    this.points = points;
    this.game = game;
    this.position = position;
    this.turned = turned;
    this.clear();
    if (think || this.running) await this.think();
  }

  clear() {
    this.head.hidden = true;
    this.listed = [];
    this.rows.replaceChildren();
    this.lines.replaceChildren();
  }

  async think() {
    if (this.position === null) return;
    this.setRunning(true);
    this.turn += 1;
    const { turn, position: mine } = this;
    try {
      await request("analyse", { name: this.name, game: this.game, position: mine, player: this.player.value, seconds: Number(this.seconds.value), lines: Number(this.count.value), turned: this.turned });
    } catch (error) {
      if (this.turn === turn && this.running) showNotice(error.message);
    }
    if (this.turn === turn) this.setRunning(false);
  }

  async stop() {
    this.setRunning(false);
    await request("stop", { name: this.name }).catch(() => {});
  }

  setRunning(running) {
    this.running = running;
    this.button.textContent = running ? t("stop") : t("start_analysis");
  }

  receive(message) {
    if (message.position !== this.position) return;
    const used = [...(message.depth === null ? [] : [t("n_plies", { n: message.depth })]), ...(message.nodes === null ? [] : [`${message.nodes.toLocaleString()} ${t("nodes")}`]), `${message.seconds.toFixed(1)} s`];
    this.head.hidden = false;
    const side = fromServer(this.mover ?? "");
    const expected = typeof message.points === "number"
      ? t("expected_points_of_side_points", { side, points: `${message.points < 0 ? "" : "+"}${message.points.toFixed(2)}` })
      : t("win_probability_of_side_chance", { side, chance: percent(message.win_probability) });
    this.head.replaceChildren(h("b", {}, expected), h("span", { class: "small faint" }, used.join(t("comma"))));
    this.pieces = showsPieces(message.svg);
    this.element.dataset.wins = message.win_probability;
    const moves = message.moves ?? [];
    const sorted = moves.length ? [...moves].sort((a, b) => (b.visits ?? 0) - (a.visits ?? 0) || (b.value ?? 0) - (a.value ?? 0)) : message.rolls ?? [];
    if (moves.length) {
      this.listed = sorted.map((move) => move.move);
      const place = new Map(this.order?.().map((move, index) => [move, index]));
      if (place.size) sorted.sort((a, b) => (place.get(a.move) ?? 99) - (place.get(b.move) ?? 99));
    }
    const best = moves.length ? this.listed[0] : null;
    // Reuse the rows to avoid flicker.
    while (this.rows.children.length > sorted.length) this.rows.lastChild.remove();
    while (this.rows.children.length < sorted.length) this.rows.append(h("tr", {}, h("td", {}), h("td", { class: "number" }), h("td", { class: "number" }), h("td", { class: "number faint" }), h("td", { class: "faint small" })));
    sorted.forEach((row, index) => this.fillRow(this.rows.children[index], row, row.move === best));
    this.fillLines(message);
    this.onValue(message.win_probability);
    this.onPicture(message.svg);
  }

  fillLines({ lines, pv, best, value }) {
    const shown = lines ?? (best ? [{ pv: pv.length ? pv : [best], value }] : []);
    while (this.lines.children.length > shown.length) this.lines.lastChild.remove();
    while (this.lines.children.length < shown.length) this.lines.append(h("p", { class: "line" }, h("b", { class: "number" }), " ", h("span", {})));
    shown.forEach((line, index) => {
      const row = this.lines.children[index];
      row.firstChild.textContent = this.worth(line.value);
      // A line that stays the same keeps the pointer and the focus; in another one the focus stays at its place.
      if (row.dataset.line === line.pv.join(" ")) return;
      row.dataset.line = line.pv.join(" ");
      const focused = [...row.querySelectorAll("button")].indexOf(document.activeElement);
      if (row.querySelector("button:hover")) this.onPreview(null);
      row.lastChild.replaceWith(lineButtons(line.pv, this.onLine, this.onPreview));
      if (focused >= 0) row.querySelectorAll("button")[Math.min(focused, line.pv.length - 1)].focus();
    });
  }

  // In games with points the expected points; a win probability would be misleading.
  worth(value) {
    return this.points > 1 && typeof value === "number" ? `${value < 0 ? "−" : "+"}${Math.abs(this.points * value).toFixed(3)}` : percent(winProbability(value));
  }

  between([low, high]) {
    return this.points > 1 ? `${this.worth(low)} … ${this.worth(high)}` : `${(100 * winProbability(low)).toFixed(0)}–${percent(winProbability(high), 0)}`;
  }

  // `move` is a move with its value, or a roll with the best move after it.
  fillRow(row, move, best) {
    const cells = row.children;
    row.classList.toggle("best", best);
    const text = move.move ?? move.best ?? "";
    const rolled = !move.roll ? "" : move.weight ? ` (${move.weight}): ` : `${t("die")} ${move.die}: `;
    const event = move.roll && move.weight ? (this.pieces ? pieceTexts(move.die) : [move.die]) : [];
    const label = [event.length ? move.die : "", rolled, text].join("");
    if (row.dataset.label !== label) {
      row.dataset.label = label;
      const preview = move.roll ? {} : { onmouseenter: () => this.onPreview([text]), onmouseleave: () => this.onPreview(null) };
      cells[0].replaceChildren(h("button", { class: "small", onclick: () => this.onMove(text, move.roll), ...preview }, ...event, rolled, text));
    }
    cells[1].textContent = this.worth(move.value);
    cells[2].textContent = move.visits === null || move.visits === undefined ? "" : move.visits.toLocaleString();
    cells[3].textContent = move.interval ? this.between(move.interval) : "";
    cells[4].textContent = move.proven ? t("proven") : move.pruned ? t("pruned_at_n", { n: move.pruned.toLocaleString() }) : "";
  }

  close() {
    panels.delete(this.name);
    this.stop();
  }
}
