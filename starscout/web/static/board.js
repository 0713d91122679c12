// A board with moves by click, drag and keyboard. The server sends the SVG and the squares of every legal move.

import { h, parseHtml, svgElement } from "./dom.js";
import { remember, remembered } from "./theme.js";
import { endReason, fromServer, t, translate } from "./words.js";

const STEPS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

export class Board {
  // onMove(text) receives a move; onSquare(square), if given, receives every click instead. A quiet board marks no
  // moves until a piece is selected.
  constructor(holder, { onMove = () => {}, onSquare = null, quiet = false } = {}) {
    this.holder = holder;
    this.quiet = quiet;
    this.dragging = false;
    this.onMove = onMove;
    this.onSquare = onSquare;
    this.moves = [];
    this.chosen = null;
    this.focused = 0;
    this.shown = null;
    this.values = null; // text of a move → {text, best}
    holder.classList.add("board-holder");
    holder.addEventListener("keydown", (event) => this.key(event));
    holder.addEventListener("pointerdown", (event) => this.grab(event));
    // A finger that scrolls the page begins on the board, too: a target counts when the finger is lifted.
    holder.addEventListener("click", (event) => {
      const to = this.tapped ? this.squareAt(event) : null;
      this.tapped = false;
      if (to !== null) this.touch(to);
    });
  }

  // state: {svg, moves: [{text, squares}], ply, turned}
  show(state, { animate = true } = {}) {
    // An update of the same position, such as new arrows, must not disturb a move that is being entered.
    const same = this.shown !== null && this.shown.ply === state.ply && this.shown.position === state.position && this.shown.turned === state.turned;
    if (same && (this.dragging || this.taken?.length)) return;
    const chosen = same ? this.chosen : null;
    const hadFocus = this.holder.contains(document.activeElement);
    const moved = this.shown !== null && this.shown.ply !== state.ply;
    const before = moved && this.shown.turned === state.turned ? this.pieces() : [];
    this.shown = state;
    this.moves = state.moves ?? [];
    if (moved) this.values = null;
    this.chosen = null;
    this.holder.replaceChildren(parseHtml(state.svg));
    translate(this.holder);
    this.svg = this.holder.querySelector("svg");
    this.svg.setAttribute("role", "group");
    const die = state.die === null || state.over ? "" : `, ${t("die")} ${state.die}`;
    this.svg.setAttribute("aria-label", t("colon", { head: fromServer(state.title), rest: stateText(state) + die }));
    this.squares = [...this.svg.querySelectorAll("[data-square]")];
    for (const square of this.squares) {
      square.setAttribute("role", "button");
      square.setAttribute("tabindex", "-1");
      square.setAttribute("aria-label", spoken(square));
    }
    this.taken = [];
    this.markSources();
    this.focus(this.focused < this.squares.length ? this.focused : 0, hadFocus);
    const sources = this.sources();
    const placed = this.moves.some((move) => stepsOf(move)[0]?.length === 1);
    if (sources.length === 1 && !placed && !this.quiet) this.choose(sources[0]);
    else this.choose(sources.includes(chosen) ? chosen : null);
    if (animate && moved) {
      this.slide();
      this.flip(before);
    }
  }

  square(number) {
    return this.squares[number];
  }

  // The steps that may follow those taken so far, with the moves that they belong to.
  options() {
    return this.moves.flatMap((move) => {
      const left = [...stepsOf(move)];
      for (const [from, to] of this.taken) {
        const at = left.findIndex((step) => step[0] === from && step[1] === to);
        if (at < 0) return [];
        left.splice(at, 1);
      }
      return left.map((step) => ({ step, move, last: left.length === 1 }));
    });
  }

  sources() {
    const found = [...new Set(this.options().filter(({ step }) => step.length === 2).map(({ step }) => step[0]))];
    // In a move of several steps, an earlier step may bring the piece to a square.
    return this.moves.some((move) => move.steps) ? found.filter((number) => this.square(number).querySelector(`.side-${this.shown.mover}`)) : found;
  }

  markSources() {
    for (const halo of this.svg.querySelectorAll(".halo")) halo.remove();
    for (const square of this.squares) square.classList.remove("can");
    for (const source of this.sources()) this.markSource(source);
  }

  markSource(number) {
    const square = this.square(number);
    const [x, y] = anchor(square);
    square.classList.add("can");
    square.setAttribute("aria-label", `${spoken(square)}, ${t("can_move")}`);
    square.append(svgElement("rect", { class: this.quiet ? "halo quiet" : "halo", x: x - 26, y: y - 26, width: 52, height: 52, rx: square.dataset.anchor ? 26 : 12 }));
  }

  choose(number) {
    this.chosen = number;
    for (const dot of this.svg.querySelectorAll(".target-dot")) dot.remove();
    for (const square of this.squares) {
      square.classList.remove("chosen", "target");
      square.removeAttribute("aria-pressed");
    }
    if (number !== null) {
      this.square(number).classList.add("chosen");
      this.square(number).setAttribute("aria-pressed", "true");
    }
    const marked = new Set();
    for (const { step: [first, second], move } of this.options()) {
      const target = second ?? first;
      if ((second !== undefined && first !== number) || marked.has(target)) continue;
      marked.add(target);
      if (second === undefined && this.quiet && !this.values) this.square(first).classList.add("can", "target");
      else this.markTarget(target, this.values?.get(move.text));
    }
  }

  // Write a value on the target square of each move: Map of move → {text, best}; null: none.
  showValues(values) {
    this.values = values;
    if (this.squares) this.choose(this.chosen);
  }

  markTarget(number, value) {
    const square = this.square(number);
    square.classList.add("target", "can");
    const taken = square.querySelector(".piece");
    if (value) {
      const text = svgElement("text", { x: 30, y: 35 });
      text.textContent = value.text;
      square.append(svgElement("g", { class: `target-dot exact-value${value.best ? " best" : ""}` }, svgElement("rect", { x: 2, y: 17, width: 56, height: 26, rx: 8 }), text));
      return;
    }
    const [x, y] = anchor(square);
    // A piece that may be turned over where it lies is marked under the pointer only: there may be 32 of them.
    const dot = taken
      ? svgElement("circle", { class: taken.classList.contains("hidden") ? "target-dot quiet" : "target-dot", cx: x + 18, cy: y - 18, r: 7 })
      : svgElement("circle", { class: "target-dot", cx: x, cy: y, r: 9 });
    square.append(dot);
  }

  // A click on a square: select it, or move to it.
  touch(number) {
    if (this.onSquare) {
      this.onSquare(number);
      return;
    }
    const fitting = this.options().filter(({ step }) => (step.length === 1 ? step[0] === number : step[0] === this.chosen && step[1] === number));
    const whole = fitting.find(({ last }) => last);
    if (whole) this.onMove(whole.move.text);
    else if (fitting.length) this.take(fitting[0].step);
    else if (this.sources().includes(number)) this.choose(this.chosen === number ? null : number);
  }

  // One step of a move in several steps: the piece moves at once, the server gets the complete move.
  take(step) {
    const [from, to] = step.map((number) => this.square(number));
    this.taken.push(step);
    const piece = [...from.querySelectorAll(".piece")].at(-1);
    const [[, y0], [, y1]] = [anchor(from), anchor(to)];
    to.append(svgElement("g", { class: "moved", transform: `translate(0 ${y1 - y0})` }, piece));
    this.choose(null);
    this.markSources();
    const sources = this.sources();
    if (sources.length === 1) this.choose(sources[0]);
  }

  // Take back the steps of a move that is not complete.
  untake() {
    const begun = this.taken.length > 0;
    this.taken = [];
    this.chosen = null;
    if (begun) this.show(this.shown, { animate: false });
    else this.choose(null);
  }

  squareAt(event) {
    const element = document.elementFromPoint(event.clientX, event.clientY)?.closest("[data-square]");
    return element && this.svg.contains(element) ? Number(element.dataset.square) : null;
  }

  grab(event) {
    if (event.button !== 0) return;
    const from = this.squareAt(event);
    if (from === null) return;
    this.tapped = event.pointerType === "touch" && (!this.sources().includes(from) || this.onSquare !== null);
    if (this.tapped) return;
    event.preventDefault();
    this.focus(from, true);
    if (!this.sources().includes(from) || this.onSquare) {
      this.touch(from);
      return;
    }
    const before = this.chosen;
    const movesTo = this.options().some(({ step }) => step[0] === before && step[1] === from);
    if (movesTo && before !== from) {
      // A piece may capture another one of its side: the second click completes the move.
      this.touch(from);
      return;
    }
    this.choose(from);
    this.dragging = true;
    const piece = [...this.square(from).querySelectorAll(".piece")].at(-1);
    const start = [event.clientX, event.clientY];
    const scale = this.svg.viewBox.baseVal.width / this.svg.getBoundingClientRect().width;
    let far = false;
    const drag = (now) => {
      const [dx, dy] = [now.clientX - start[0], now.clientY - start[1]];
      far ||= Math.hypot(dx, dy) > 6;
      if (!far || !piece) return;
      this.svg.append(this.square(from));
      piece.classList.add("lifted");
      piece.setAttribute("transform", `translate(${dx * scale} ${dy * scale})`);
    };
    const drop = (now) => {
      this.dragging = false;
      removeEventListener("pointermove", drag);
      removeEventListener("pointerup", drop);
      removeEventListener("pointercancel", drop);
      piece?.classList.remove("lifted");
      piece?.removeAttribute("transform");
      if (!far) {
        if (before === from && this.sources().length > 1) this.choose(null);
        return;
      }
      const to = now.type === "pointercancel" ? null : this.squareAt(now);
      if (to !== null && to !== from) this.touch(to);
    };
    addEventListener("pointermove", drag);
    addEventListener("pointerup", drop);
    addEventListener("pointercancel", drop);
  }

  key(event) {
    const step = STEPS[event.key];
    if (step) {
      event.preventDefault();
      const next = this.neighbour(step);
      if (next !== null) this.focus(next, true);
    } else if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      this.touch(this.focused);
    } else if (event.key === "Escape") {
      this.untake();
    }
  }

  // The next square on the screen in a direction.
  neighbour([down, right]) {
    const [x, y] = corner(this.square(this.focused));
    let found = null;
    let nearest = Infinity;
    this.squares.forEach((square, number) => {
      const [dx, dy] = corner(square).map((value, axis) => value - [x, y][axis]);
      const along = right ? dx * right : dy * down;
      if ((right ? dy : dx) === 0 && along > 0 && along < nearest) [found, nearest] = [number, along];
    });
    return found;
  }

  focus(number, really) {
    this.square(this.focused)?.setAttribute("tabindex", "-1");
    this.focused = number;
    this.square(number).setAttribute("tabindex", "0");
    if (really) this.square(number).focus({ preventScroll: true });
  }

  // The piece on every square; null for an empty one.
  pieces() {
    return this.squares.map((square) => square.querySelector(".piece"));
  }

  // Turn over the pieces that have changed sides where they stand, or that were revealed: the old face closes, the new one opens.
  flip(before) {
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    const [open, closed] = [{ transform: "none" }, { transform: "scaleX(0)" }];
    this.pieces().forEach((piece, number) => {
      const square = this.square(number);
      const old = before[number] ?? null;
      if (!piece || !old || sideOf(old) === sideOf(piece) || (square.classList.contains("last") && sideOf(old) !== "hidden")) return;
      for (const face of [old, piece]) face.style.transformOrigin = "30px 30px";
      square.append(old);
      old.animate([open, closed], { duration: 160, easing: "ease-in", fill: "forwards" }).finished.finally(() => old.remove());
      piece.animate([closed, open], { duration: 160, delay: 160, easing: "ease-out", fill: "backwards" });
    });
  }

  // Animate the piece of the last move.
  slide() {
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    const last = this.squares.filter((square) => square.classList.contains("last"));
    const to = last.find((square) => square.querySelector(".piece"));
    const from = last.find((square) => square !== to);
    const piece = to && [...to.querySelectorAll(".piece")].at(-1);
    if (!piece) return;
    if (!from) {
      piece.animate([{ opacity: 0.2 }, { opacity: 1 }], 220);
      return;
    }
    const place = (square) => corner(square).map((value, axis) => value + anchor(square)[axis]);
    const [x0, y0] = place(from);
    const [x1, y1] = place(to);
    piece.animate([{ transform: `translate(${x0 - x1}px, ${y0 - y1}px)` }, { transform: "none" }], { duration: 220, easing: "ease-out" });
  }
}

// The side of a piece, `side-0` or `side-1`, or `hidden`.
const sideOf = (piece) => piece.getAttribute("class").match(/side-\d|hidden/)?.[0] ?? null;

// The steps of a move, each [from, to] or [square].
const stepsOf = (move) => move.steps ?? (move.squares.length === 1 || move.squares.length === 2 ? [move.squares] : []);

// The corner of a square on the board, and the middle of its marks in the square.
const corner = (square) => square.getAttribute("transform").match(/[\d.]+/g).map(Number);
const anchor = (square) => square.dataset.anchor?.split(" ").map(Number) ?? [30, 30];

// Translate the label of a square, which the server sends in English: "B2, red 3".
function spoken(square) {
  const [, what] = square.dataset.spoken.split(", ");
  return `${square.dataset.name}, ${what.split(" ").map((word) => fromServer(word)).join(" ")}`;
}

function switchPieces() {
  const western = document.documentElement.dataset.pieces !== "western";
  document.documentElement.dataset.pieces = western ? "western" : "";
  remember("pieces", western ? "western" : "");
}

document.documentElement.dataset.pieces = remembered("pieces") ?? "";

// The pieces of Chinese chess: red ones, black ones, letters.
const [RED, BLACK, LETTERS] = ["帥仕相俥傌炮兵", "將士象車馬包卒", "KAERNCP"];

// A text with the characters of pieces (or one letter, lower case is red) as nodes with both spellings.
export function pieceTexts(text) {
  return [...text].map((character) => {
    const letter = text.length === 1 ? LETTERS.indexOf(character.toUpperCase()) : -1;
    const red = letter < 0 ? RED.includes(character) : character !== LETTERS[letter];
    const kind = letter < 0 ? Math.max(RED.indexOf(character), BLACK.indexOf(character)) : letter;
    if (kind < 0) return character;
    const colour = red ? "red-piece" : "black-piece";
    return h("span", { class: colour }, h("span", { class: "hanzi" }, (red ? RED : BLACK)[kind]), h("span", { class: "latin" }, LETTERS[kind]));
  });
}

// Whether a picture has pieces of Chinese chess, of which all may be hidden: its events then reveal pieces.
export const showsPieces = (svg) => /class="(latin|piece hidden)"/.test(svg);

// The notes of a game below the board, such as captured pieces; lists of several entries only on request.
export function showNotes(place, state) {
  const open = new Set([...place.querySelectorAll("details[open]")].map((details) => details.dataset.head));
  const line = (note) => {
    const [head, ...rest] = note.split(": ");
    const list = rest.join(": ");
    if (!list) return h("div", {}, fromServer(note));
    if (!list.includes(" ")) return h("div", {}, h("b", {}, t("colon", { head: fromServer(head), rest: "" })), ...pieceTexts(list));
    return h("details", { open: open.has(head), "data-head": head }, h("summary", {}, fromServer(head)), ...pieceTexts(list));
  };
  const notes = state.notes ?? [];
  // Pictures may have Chinese characters and Western letters for the same pieces.
  const both = notes.length && state.svg.includes('class="latin"');
  const pieces = both ? [h("div", {}, h("button", { class: "small", "data-do": "pieces", onclick: switchPieces }, t("chinese_or_western_pieces")))] : [];
  place.replaceChildren(...pieces, ...notes.map(line));
}

// Who won, after how many moves and why; `plies` is left out if it is not known. `won`: the result for the user.
export function endText(over, sides, plies = null, won = null) {
  const decided = over.winner !== null;
  const [winner, loser] = decided ? [over.winner, 1 - over.winner].map((number) => fromServer(sides[number])) : [];
  const points = over.points ? ` (${t("n_points", { n: over.points })})` : "";
  const ended = decided ? (won ?? t("side_wins", { side: winner })) + points : t(over.reason === "adjourned" ? "no_winner" : "a_draw");
  return t("colon", { head: plies ? t("ended_after", { ended, n: plies }) : ended, rest: endReason(over.reason, { winner, loser }) });
}

// Whose turn it is, or how the game ended.
export function stateText(state, plies = null, won = null) {
  const pieces = state.pieces ? ` (${state.pieces.join("–")})` : "";
  const said = state.over ? endText(state.over, state.sides, plies, won) : t("side_to_move", { side: fromServer(state.sides[state.mover]) });
  return said + pieces;
}
