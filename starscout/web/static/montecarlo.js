// The growth of a Monte-Carlo tree: at every stage, the width of a node is its share of the visits.

import { h, percent, svgElement, winProbability } from "./dom.js";
import { NodeList } from "./nodes.js";
import { subscribe } from "./socket.js";
import { Stepper } from "./stepper.js";
import { t } from "./words.js";

const WIDTH = 900;
const ROW = 30;
const NARROWEST = 1.5;

let receiver = null;
subscribe("growth", (message) => receiver?.receive(message));

export class MonteCarlo {
  constructor({ onPoint, onChoose }) {
    this.onPoint = onPoint;
    this.onChoose = onChoose;
    this.stepper = new Stepper((number) => this.show(number), { interval: 350 });
    this.said = h("p", { class: "said", "aria-live": "polite" });
    this.picture = h("div", { class: "scroll" });
    this.list = new NodeList({ describe: (node) => this.describe(node), children: (node) => node.children, onPoint, onChoose, label: t("tree") });
    this.element = h("div", { class: "stack" }, this.stepper.element, this.said, this.picture, h("div", { class: "scroll tall" }, this.list.element));
  }

  get legend() {
    return t("mcts_legend");
  }

  begin(root, ready) {
    receiver = this;
    this.frames = [];
    this.stepper.reset();
    this.position = root.position;
    this.ready = ready;
  }

  stop() {
    receiver = receiver === this ? null : receiver;
    this.stepper.pause();
  }

  // A stage of the tree; the first one replaces the message of the page.
  receive({ position, tree, simulations }) {
    if (position !== this.position) return;
    const walk = (node) => {
      node.step = node.move;
      node.children.sort((a, b) => b.visits - a.visits);
      node.children.forEach(walk);
    };
    walk(tree);
    this.frames.push({ tree, simulations });
    if (this.frames.length === 1) {
      this.ready();
      this.show(0);
    }
    this.stepper.extend(this.frames.length - 1);
  }

  finish() {
    receiver = receiver === this ? null : receiver;
  }

  show(number) {
    const frame = this.frames[number];
    if (!frame) return;
    const [best] = frame.tree.children;
    const done = t("n_simulations", { n: frame.simulations.toLocaleString() });
    const leading = best && t("move_has_share_of_the_visits_and", { move: best.move, share: percent(best.visits / Math.max(1, frame.tree.visits), 0), chance: percent(winProbability(best.value), 0) });
    this.said.textContent = t("full_stop", { sentence: best ? t("colon", { head: done, rest: leading }) : done });
    this.picture.replaceChildren(this.icicle(frame.tree));
    this.list.show(frame.tree);
  }

  describe(node) {
    const facts = node.kind === "chance" ? [h("span", { class: "tag" }, t("die"))] : [];
    facts.push(h("b", {}, percent(winProbability(node.value))), h("span", { class: "faint small" }, t("n_visits", { n: node.visits.toLocaleString() })));
    if (node.proven) facts.push(h("span", { class: "tag good" }, t("proven")));
    if (node.pruned) facts.push(h("span", { class: "tag" }, t("pruned_at_n", { n: node.pruned.toLocaleString() })));
    return { label: node.move || t("root"), facts, dead: node.pruned > 0 };
  }

  // One row for each level; the children of a node share its width by their visits.
  icicle(tree) {
    const picture = svgElement("svg", { class: "icicle", role: "img", "aria-label": t("shares_of_the_visits") });
    let deepest = 0;
    const draw = (node, path, left, width, level) => {
      deepest = Math.max(deepest, level);
      const box = svgElement("g", { class: node.pruned ? "node pruned" : "node" },
        svgElement("rect", { x: left, y: level * ROW, width: Math.max(NARROWEST, width - 1), height: ROW - 1, rx: 3, fill: colour(node.value) }));
      const name = node.move || t("root");
      if (width > 9 * name.length + 6) {
        const text = svgElement("text", { x: left + width / 2, y: level * ROW + 20 });
        text.textContent = name;
        box.append(text);
      }
      box.addEventListener("pointerenter", () => this.onPoint(path));
      box.addEventListener("pointerleave", () => this.onPoint(null));
      box.addEventListener("click", () => this.onChoose(path));
      picture.append(box);
      const total = Math.max(node.visits, node.children.reduce((sum, child) => sum + child.visits, 0));
      let at = left;
      for (const child of node.children) {
        const part = (width * child.visits) / Math.max(1, total);
        if (part < NARROWEST) break;
        draw(child, [...path, child.step], at, part, level + 1);
        at += part;
      }
    };
    draw(tree, [], 0, WIDTH, 0);
    picture.setAttribute("viewBox", `0 0 ${WIDTH} ${(deepest + 1) * ROW}`);
    return picture;
  }
}

// From orange (−1) over grey (0) to blue (+1).
function colour(value) {
  const strength = Math.min(1, Math.abs(value ?? 0));
  const [red, green, blue] = (value ?? 0) >= 0 ? [53, 110, 180] : [196, 112, 30];
  const mix = (full) => Math.round(150 + (full - 150) * strength);
  return `rgb(${mix(red)} ${mix(green)} ${mix(blue)})`;
}
