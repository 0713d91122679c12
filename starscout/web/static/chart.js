// The chart of a game: the first side's win probability at every ply, with mistakes, and the luck of the rolls.

import { percent, svgElement } from "./dom.js";
import { fromServer, t } from "./words.js";

const WIDTH = 640;
const HEIGHT = 190;
const LUCK = 56;
const LEFT = 60;

export function curve(review, onPly) {
  const count = review.moves.length;
  const step = (WIDTH - LEFT - 10) / Math.max(1, count);
  const x = (ply) => LEFT + step * ply;
  const y = (chance) => 10 + (HEIGHT - 20) * (1 - chance);
  const below = review.dice || review.leads;
  const tall = HEIGHT + (below ? LUCK : 0) + 18;
  const picture = svgElement("svg", { class: "chart curve", viewBox: `0 0 ${WIDTH} ${tall}`, role: "slider", tabindex: "0",
    "aria-valuemin": 0, "aria-valuemax": count, "aria-valuenow": 0, "aria-label": t("win_probability_of_side_at_every_ply", { side: fromServer(review.sides[0]) }) });
  const text = (content, attributes) => {
    const element = svgElement("text", attributes);
    element.textContent = content;
    picture.append(element);
  };
  for (const chance of [0, 0.5, 1]) {
    picture.append(svgElement("line", { class: chance === 0.5 ? "half" : "axis", x1: LEFT, x2: WIDTH - 10, y1: y(chance), y2: y(chance) }));
    text(percent(chance, 0), { x: LEFT - 4, y: y(chance) + 4, "text-anchor": "end" });
  }
  const chances = [...review.moves.map((ply) => ply.chance), review.end];
  const points = chances.map((chance, ply) => `${x(ply).toFixed(1)},${y(chance).toFixed(1)}`);
  picture.append(svgElement("polygon", { class: "area", points: `${x(0)},${y(0.5)} ${points.join(" ")} ${x(count)},${y(0.5)}` }));
  picture.append(svgElement("polyline", { class: "line-0", points: points.join(" ") }));
  review.moves.forEach((ply, index) => {
    if (ply.mistake) {
      const mark = svgElement("circle", { class: "lost", cx: x(index + 1), cy: y(chances[index + 1]), r: { doubtful: 3, bad: 4.5, "very bad": 6 }[ply.mistake] });
      mark.append(svgElement("title"));
      mark.firstChild.textContent = `${index + 1}. ${ply.move}: ${fromServer(ply.mistake)}`;
      picture.append(mark);
    }
    if (review.dice && ply.luck !== 0) {
      // Bars point up for luck of the first side, down for luck of the second.
      const signed = ply.side === 0 ? ply.luck : -ply.luck;
      const tallness = Math.min(1, Math.abs(signed) / 0.4) * (LUCK / 2 - 4);
      const middle = HEIGHT + LUCK / 2;
      picture.append(svgElement("rect", { class: ply.luck > 0 ? "lucky" : "unlucky", x: x(index) + step * 0.15, width: step * 0.7,
        y: signed > 0 ? middle - tallness : middle, height: Math.max(0.5, tallness) }));
    }
  });
  if (review.leads) {
    // In games with a score: the lead on the board as bars, the exact score as a line.
    const most = Math.max(8, ...review.leads.map(Math.abs), ...(review.exact ?? []).map((value) => Math.abs(value ?? 0)));
    const middle = HEIGHT + LUCK / 2;
    const tallness = (value) => (Math.abs(value) / most) * (LUCK / 2 - 3);
    review.leads.forEach((value, index) => {
      const bar = svgElement("rect", { class: "discs", x: x(index) - step * 0.35, width: step * 0.7, y: value > 0 ? middle - tallness(value) : middle, height: Math.max(0.5, tallness(value)) });
      bar.append(svgElement("title"));
      bar.firstChild.textContent = `${t("disc_difference")} ${value > 0 ? "+" : ""}${value}`;
      picture.append(bar);
    });
    const ends = (review.exact ?? []).map((value, index) => (value === null ? null : `${x(index).toFixed(1)},${(middle - Math.sign(value) * tallness(value)).toFixed(1)}`)).filter((point) => point !== null);
    if (ends.length > 1) picture.append(svgElement("polyline", { class: "exact", points: ends.join(" ") }));
    text(t("discs"), { x: LEFT - 4, y: middle + 4, "text-anchor": "end" });
  }
  if (review.dice) text(t("luck"), { x: LEFT - 4, y: HEIGHT + LUCK / 2 + 4, "text-anchor": "end" });
  text(t("ply"), { x: WIDTH - 10, y: tall - 4, "text-anchor": "end" });
  const cursor = svgElement("line", { class: "cursor", y1: 4, y2: tall - 16 });
  picture.append(cursor);
  picture.addEventListener("click", (event) => {
    const box = picture.getBoundingClientRect();
    const ply = Math.round((((event.clientX - box.left) / box.width) * WIDTH - LEFT) / step);
    onPly(Math.min(count, Math.max(0, ply)));
  });
  let now = 0;
  picture.addEventListener("keydown", (event) => {
    const to = { ArrowLeft: now - 1, ArrowRight: now + 1, PageUp: now - 10, PageDown: now + 10, Home: 0, End: count }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    onPly(Math.min(count, Math.max(0, to)));
  });
  return { picture, move: (ply) => {
    now = ply;
    cursor.setAttribute("x1", x(ply));
    cursor.setAttribute("x2", x(ply));
    picture.setAttribute("aria-valuenow", ply);
    picture.setAttribute("aria-valuetext", `${t("ply")} ${ply}, ${percent(chances[ply], 0)}`);
  } };
}
