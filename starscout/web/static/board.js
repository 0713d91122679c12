// A board with moves by click, drag and keyboard. The server sends the SVG and the squares of every legal move.

import { parseHtml, svgElement } from "./dom.js";
import { t } from "./words.js";

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
    if (this.dragging && this.shown?.ply === state.ply) return;
    const hadFocus = this.holder.contains(document.activeElement);
    const moved = this.shown !== null && this.shown.ply !== state.ply;
    const before = moved && this.shown.turned === state.turned ? this.pieces() : [];
    this.shown = state;
    this.moves = state.moves ?? [];
    this.chosen = null;
    this.holder.replaceChildren(parseHtml(state.svg));
    this.svg = this.holder.querySelector("svg");
    this.svg.setAttribute("role", "group");
    this.squares = [...this.svg.querySelectorAll("[data-square]")];
    this.columns = new Set(this.squares.map((square) => square.getAttribute("transform").split(" ")[0])).size;
    for (const square of this.squares) {
      square.setAttribute("role", "button");
      square.setAttribute("tabindex", "-1");
      square.dataset.spoken = square.getAttribute("aria-label");
      square.setAttribute("aria-label", spoken(square));
    }
    const sources = this.sources();
    for (const source of sources) this.markSource(source);
    this.focus(this.focused < this.squares.length ? this.focused : 0, hadFocus);
    const placed = this.moves.some((move) => move.squares.length === 1);
    if (sources.length === 1 && !placed && !this.quiet) this.choose(sources[0]);
    else this.choose(null);
    if (animate && moved) {
      this.slide();
      this.flip(before);
    }
  }

  square(number) {
    return this.squares[number];
  }

  sources() {
    return [...new Set(this.moves.filter((move) => move.squares.length === 2).map((move) => move.squares[0]))];
  }

  markSource(number) {
    const square = this.square(number);
    square.classList.add("can");
    square.setAttribute("aria-label", `${spoken(square)}, ${t("can move")}`);
    square.append(svgElement("rect", { class: this.quiet ? "halo quiet" : "halo", x: 4, y: 4, width: 52, height: 52, rx: 12 }));
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
    for (const move of this.moves) {
      const [first, second] = move.squares;
      if (move.squares.length === 1) {
        if (this.quiet) this.square(first).classList.add("can", "target");
        else this.markTarget(first);
      }
      else if (second !== undefined && first === number) this.markTarget(second);
    }
  }

  markTarget(number) {
    const square = this.square(number);
    square.classList.add("target", "can");
    const taken = square.querySelector(".piece");
    const dot = taken
      ? svgElement("circle", { class: "target-dot", cx: 48, cy: 12, r: 7 })
      : svgElement("circle", { class: "target-dot", cx: 30, cy: 30, r: 9 });
    square.append(dot);
  }

  // A click on a square: select it, or move to it.
  touch(number) {
    if (this.onSquare) {
      this.onSquare(number);
      return;
    }
    const fitting = this.moves.filter((move) => (move.squares.length === 1 && move.squares[0] === number)
      || (move.squares.length === 2 && move.squares[0] === this.chosen && move.squares[1] === number));
    if (fitting.length) this.onMove(fitting[0].text);
    else if (this.sources().includes(number)) this.choose(this.chosen === number ? null : number);
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
    const movesTo = this.moves.some((move) => move.squares.length === 2 && move.squares[0] === before && move.squares[1] === from);
    if (movesTo && before !== from) {
      // A piece may capture another one of its side: the second click completes the move.
      this.touch(from);
      return;
    }
    this.choose(from);
    this.dragging = true;
    const piece = this.square(from).querySelector(".piece");
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
      const sign = this.shown.turned ? -1 : 1;
      const rows = this.squares.length / this.columns;
      const row = Math.floor(this.focused / this.columns) + sign * step[0];
      const column = (this.focused % this.columns) + sign * step[1];
      if (row >= 0 && row < rows && column >= 0 && column < this.columns) this.focus(row * this.columns + column, true);
    } else if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      this.touch(this.focused);
    } else if (event.key === "Escape") {
      this.choose(null);
    }
  }

  focus(number, really) {
    this.square(this.focused)?.setAttribute("tabindex", "-1");
    this.focused = number;
    this.square(number).setAttribute("tabindex", "0");
    if (really) this.square(number).focus({ preventScroll: true });
  }

  // The side of the piece on every square; null for an empty one.
  pieces() {
    return this.squares.map((square) => square.querySelector(".piece")?.getAttribute("class").match(/side-\d/)?.[0] ?? null);
  }

  // Turn over the pieces that have changed sides where they stand, or that were revealed.
  flip(before) {
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    this.pieces().forEach((side, number) => {
      const square = this.square(number);
      if (side === null || (before[number] ?? null) === null || before[number] === side || square.classList.contains("last")) return;
      const piece = square.querySelector(".piece");
      piece.style.transformOrigin = "30px 30px";
      piece.animate([{ transform: "scaleX(-1)" }, { transform: "scaleX(0)" }, { transform: "none" }], { duration: 320, easing: "ease-in-out" });
    });
  }

  // Animate the piece of the last move.
  slide() {
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    const last = this.squares.filter((square) => square.classList.contains("last"));
    const to = last.find((square) => square.querySelector(".piece"));
    const from = last.find((square) => square !== to);
    const piece = to?.querySelector(".piece");
    if (!piece) return;
    if (!from) {
      piece.animate([{ opacity: 0.2 }, { opacity: 1 }], 220);
      return;
    }
    const place = (square) => square.getAttribute("transform").match(/[\d.]+/g).map(Number);
    const [x0, y0] = place(from);
    const [x1, y1] = place(to);
    piece.animate([{ transform: `translate(${x0 - x1}px, ${y0 - y1}px)` }, { transform: "none" }], { duration: 220, easing: "ease-out" });
  }
}

// Translate the label of a square, which the server sends in English: "B2, red 3".
function spoken(square) {
  const [, what] = square.dataset.spoken.split(", ");
  return `${square.dataset.name}, ${what.split(" ").map((word) => t(word)).join(" ")}`;
}

export function stateText(state) {
  const side = (number) => t(state.sides[number]);
  const discs = state.sides[0] === "black" ? ` (${state.pieces[0]}–${state.pieces[1]})` : "";
  if (state.over) {
    const reason = t(state.over.reason);
    if (state.over.winner === null) return `${t("A draw")}: ${reason}${discs}`;
    const points = state.over.points ? ` (${t("{n} points", { n: state.over.points })})` : "";
    return `${t("{side} wins", { side: side(state.over.winner) })}${points}: ${reason}${discs}`;
  }
  return `${t("{side} to move", { side: side(state.mover) })}${discs}`;
}
