// A tree of moves: the line on the board, with branches, comments and deletion.

import { rollText } from "./dice.js";
import { h } from "./dom.js";
import { t } from "./words.js";

let count = 0;

export class MoveTree {
  // onSelect(node) shows the position of a node. Nodes of a recorded game are `main`: listed elsewhere, and never removed.
  constructor(onSelect) {
    this.onSelect = onSelect;
    this.element = h("div", { class: "move-tree", role: "tree", "aria-label": t("variations"), onkeydown: (event) => this.key(event) });
    this.comment = h("input", { type: "text", class: "comment", "aria-label": t("comment"), placeholder: t("comment"), maxlength: "500",
      onchange: () => { this.current.comment = this.comment.value; this.render(); } });
    this.reset({});
  }

  // Begin with this root; `line` are the following nodes of a recorded game.
  reset(root, line = []) {
    this.root = this.node(null, { ...root, main: true });
    this.current = this.root;
    let last = this.root;
    for (const entry of line) last = this.append(last, { ...entry, main: true });
    this.render();
  }

  node(parent, fields) {
    count += 1;
    return { id: count, parent, children: [], comment: "", ...fields };
  }

  append(parent, fields) {
    // The first move of a line comes without its roll, which the position has already.
    const roll = fields.roll ?? null;
    const known = parent.children.find((child) => child.move === fields.move && (roll === null || String(child.roll ?? "") === String(roll)));
    if (known) return known;
    const made = this.node(parent, fields);
    parent.children.push(made);
    return made;
  }

  // Add a move after the current node, or find it, and go there.
  play(fields) {
    this.select(this.append(this.current, fields));
  }

  select(node, { tell = true } = {}) {
    this.current = node;
    this.render();
    if (tell) this.onSelect(node);
  }

  remove() {
    const gone = this.current;
    if (gone.main) return;
    gone.parent.children = gone.parent.children.filter((child) => child !== gone);
    this.select(gone.parent);
  }

  // The nearest node of the recorded game.
  get mainNode() {
    let node = this.current;
    while (!node.main) node = node.parent;
    return node;
  }

  // A key on the page; true if it was used.
  step(key) {
    const node = this.current;
    const siblings = node.parent?.children ?? [node];
    const at = siblings.indexOf(node);
    const to = { ArrowLeft: node.parent, ArrowRight: node.children[0], ArrowUp: siblings[at - 1], ArrowDown: siblings[at + 1] }[key];
    if (key === "Delete" && !node.main) this.remove();
    else if (to) this.select(to);
    else return false;
    return true;
  }

  key(event) {
    if (!this.step(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
    this.element.querySelector("[aria-selected=true]")?.focus();
  }

  depth(node) {
    let depth = 0;
    for (let up = node; up.parent; up = up.parent) depth += 1;
    return depth + (this.root.ply ?? 0);
  }

  render() {
    this.comment.value = this.current.comment;
    this.comment.hidden = this.current === this.root;
    this.element.replaceChildren(...this.lines(this.root));
    this.element.hidden = !this.element.childElementCount;
  }

  // The moves after a node: its first child in line, then the other children as indented lines.
  lines(node) {
    const shown = [];
    let at = node;
    while (at) {
      const [first, ...others] = at.children;
      if (first && !first.main) shown.push(this.button(first, shown.length === 0));
      for (const other of others) shown.push(h("div", { class: "variation", role: "group" }, this.button(other, true), ...this.lines(other)));
      at = first;
    }
    return shown;
  }

  button(node, numbered) {
    const number = numbered || node.roll ? `${this.depth(node)}. ` : "";
    const roll = node.roll ? [h("span", { class: "roll" }, rollText(node.roll)), " "] : [];
    return h("span", {}, h("button", { type: "button", class: "tree-move", role: "treeitem", "aria-selected": String(node === this.current), tabindex: node === this.current ? "0" : "-1", "data-node": String(node.id), onclick: () => this.select(node) }, number, ...roll, node.move),
      node.comment ? h("span", { class: "small faint" }, ` ${node.comment} `) : "");
  }

  // The tree as a game record with variations (GameTree.from_json).
  toRecord({ game, sides, rolls, position }) {
    const ply = (node) => ({ ...(node.roll ? { [rolls ? "roll" : "event"]: rolls ? Number(node.roll) : node.roll } : {}), move: node.move, ...(node.comment ? { comment: node.comment } : {}) });
    const line = (node) => {
      const plies = [];
      let at = node;
      while (at.children.length) {
        const [first, ...others] = at.children;
        plies.push({ ...ply(first), ...(others.length ? { variations: others.map((other) => [ply(other), ...line(other)]) } : {}) });
        at = first;
      }
      return plies;
    };
    let end = this.root;
    while (end.children.length) [end] = end.children;
    const over = end.shown?.over;
    // The die of the first move is part of its ply.
    const start = rolls ? position.replace(/\S+$/, "-") : position;
    return { format: "starscout game 1", game, start, players: sides, plies: line(this.root), winner: over?.winner ?? null, reason: over?.reason ?? "adjourned" };
  }
}
