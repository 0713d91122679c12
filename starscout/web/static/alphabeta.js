// Alpha-beta, step by step: every node with its window, its value and why it ended.

import { h, svgElement } from "./dom.js";
import { NodeList } from "./nodes.js";
import { Stepper } from "./stepper.js";
import { t } from "./words.js";

export class AlphaBeta {
  constructor({ onPoint, onChoose }) {
    this.onChoose = onChoose;
    this.stepper = new Stepper((number) => this.show(number));
    this.said = h("p", { class: "said", "aria-live": "polite" });
    this.list = new NodeList({ describe: (node) => this.describe(node), children: (node) => node.children, onPoint, onChoose, label: t("tree") });
    this.element = h("div", { class: "stack" }, this.stepper.element, this.said, h("div", { class: "scroll tall" }, this.list.element));
  }

  get legend() {
    return t("alpha_beta_legend");
  }

  begin(root, ready) {
    this.ready = ready;
    this.steps = null;
  }

  stop() {
    this.stepper.pause();
  }

  // A finished tree: the steps are the first and the last visit of each node, in the order of the search.
  finish(root) {
    this.steps = [];
    const visit = (node, above) => {
      node.line = [...above, node];
      // Events of several faces are labelled with their weight.
      node.step = node.label.replace(/ \(×\d+\)$/, "");
      node.entered = node.left = Infinity;
      if (node.fate === "skipped") {
        node.entered = node.left = this.steps.length;
        return;
      }
      node.entered = this.steps.length;
      if (node.children.length) {
        this.steps.push({ node, entering: true });
        for (const child of node.children) visit(child, node.line);
      }
      node.left = this.steps.length;
      this.steps.push({ node, entering: false });
    };
    visit(root, []);
    this.ready();
    this.now = this.steps.length - 1;
    this.list.show(root);
    this.stepper.reset();
    this.stepper.extend(this.steps.length - 1);
  }

  show(number) {
    if (!this.steps?.length) return;
    const before = this.now;
    this.now = number;
    const { node, entering } = this.steps[number];
    this.list.refresh();
    this.said.textContent = `${number + 1} / ${this.steps.length}: ${this.sentence(node, entering)}`;
    // The complete tree is shown first: no node of it is the current one.
    if (before === number && number === this.steps.length - 1) return;
    this.list.mark(node.line);
    this.onChoose(node.line.slice(1).map((one) => one.step));
  }

  // What happens in a step.
  sentence(node, entering) {
    const name = node.label || t("root");
    const window = `[${signed(node.alpha)}, ${signed(node.beta)}]`;
    if (entering) return t(node.kind === "chance" ? "step_chance_entered" : "step_entered", { name, window });
    const value = signed(node.value);
    const skipped = node.children.filter((child) => child.fate === "skipped").length;
    if (node.fate === "leaf") return t("step_evaluation", { name, value });
    if (node.fate === "over") return t("step_game_over", { name, value });
    if (node.fate === "cut" && node.bound === "≤") return t("step_events_cut", { name, n: skipped });
    if (node.fate === "cut") return t("step_cutoff", { name, value, beta: signed(node.beta), n: skipped });
    if (node.bound === "≤") return t("step_fail_low", { name, value, alpha: signed(node.alpha) });
    return t("step_value", { name, value });
  }

  describe(node) {
    const known = this.now >= node.left;
    const name = node.label || t("root");
    const facts = node.kind === "chance" ? [h("span", { class: "tag" }, t("die"))] : [];
    if (this.now < node.entered) return { label: name, facts: [h("span", { class: "faint small" }, t("not_reached_yet"))], dead: false };
    if (node.fate === "skipped") return { label: name, facts: [...facts, h("span", { class: "tag" }, t("not_searched_cutoff_in_the_parent"))], dead: true };
    const value = known ? node.value : null;
    facts.push(windowBar(node, value), h("b", {}, known ? `${node.bound === "=" ? "" : node.bound}${signed(node.value)}` : "…"), h("span", { class: "faint small" }, `[${signed(node.alpha)}, ${signed(node.beta)}]`));
    if (known && node.fate === "cut") facts.push(h("span", { class: "tag bad" }, node.bound === "≤" ? t("cutoff_is_out_of_reach") : t("cutoff_value")));
    if (node.fate === "leaf") facts.push(h("span", { class: "tag" }, t("evaluation")));
    if (node.fate === "over") facts.push(h("span", { class: "tag" }, t("game_over")));
    return { label: name, facts, dead: false };
  }
}

// The window and the value of a node on a scale from −1 to +1.
function windowBar(node, value) {
  const x = (number) => 2 + 36 * (1 + Math.min(1, Math.max(-1, number)));
  const mark = value === null ? [] : [svgElement("circle", { class: node.fate === "cut" ? "mark cut" : "mark", cx: x(value), cy: 7, r: 3.5 })];
  return svgElement("svg", { class: "window", viewBox: "0 0 76 14", "aria-hidden": "true" },
    svgElement("rect", { class: "track", x: 2, y: 5, width: 72, height: 4, rx: 2 }),
    svgElement("rect", { class: "open", x: x(node.alpha), y: 3, width: Math.max(1.5, x(node.beta) - x(node.alpha)), height: 8, rx: 2 }), ...mark);
}

const signed = (value) => (value === null ? "?" : `${value >= 0 ? "+" : "−"}${Math.abs(value).toFixed(3)}`);
