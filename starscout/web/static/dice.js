// The die of this ply and, in games that fix them in advance, the next dice.

import { h, svgElement } from "./dom.js";
import { t } from "./words.js";

const PIPS = { 1: [[1, 1]], 2: [[0, 0], [2, 2]], 3: [[0, 0], [1, 1], [2, 2]], 4: [[0, 0], [0, 2], [2, 0], [2, 2]],
  5: [[0, 0], [0, 2], [1, 1], [2, 0], [2, 2]], 6: [[0, 0], [0, 1], [0, 2], [2, 0], [2, 1], [2, 2]] };

export function die(text, { pips = true } = {}) {
  const face = svgElement("svg", { class: "die", viewBox: "0 0 60 60", role: "img", "aria-label": `${t("die")} ${text}` },
    svgElement("rect", { x: 3, y: 3, width: 54, height: 54, rx: 12 }));
  const places = pips ? PIPS[text] : null;
  if (places) for (const [x, y] of places) face.append(svgElement("circle", { cx: 16 + 14 * x, cy: 16 + 14 * y, r: 5 }));
  else {
    const number = svgElement("text", { x: 30, y: 41, "text-anchor": "middle", "font-size": text.length > 2 ? 64 / text.length : 32 });
    number.textContent = text;
    face.append(number);
  }
  return face;
}

// Letters of a move from which on lists of moves give it more room.
export const LONG_MOVE = 9;

// A roll in a list of moves: one die as a character, two dice like 31 as two, other events as they are.
export function rollText(roll) {
  return /^[1-6]{1,2}$/.test(String(roll)) ? [...String(roll)].map((pips) => "⚀⚁⚂⚃⚄⚅"[pips - 1]).join("") : String(roll || "");
}

export function showDice(place, state, fresh) {
  place.hidden = state.die === null && !state.rolls;
  if (state.die === null) {
    place.replaceChildren();
    return;
  }
  // Two dice are an event like 31.
  const faces = /^[1-6]{2}$/.test(state.die) ? [...state.die] : [state.die];
  const shown = faces.map((text) => die(text, { pips: state.rolls || faces.length === 2 }));
  const rolled = `${state.ply}:${state.die}`;
  if (fresh && place.dataset.rolled !== rolled && !state.over) for (const face of shown) face.classList.add("tumbling");
  place.dataset.rolled = rolled;
  const coming = state.coming.length
    ? h("div", {}, h("div", { class: "small faint" }, t("then")), h("div", { class: "coming" }, ...state.coming.slice(0, 14).map((digit) => h("span", {}, digit))))
    : null;
  place.replaceChildren(...shown, ...(coming ? [coming] : []));
}
