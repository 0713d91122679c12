// A tree of search nodes as nested lists, whose levels are created when they are opened.

import { h } from "./dom.js";

const MOST_SHOWN = 60;

export class NodeList {
  // describe(node) → {label, facts, dead}; children(node) → nodes; the events are called with the path of a node.
  constructor({ describe, children, onPoint, onChoose, label }) {
    this.describe = describe;
    this.children = children;
    this.onPoint = onPoint;
    this.onChoose = onChoose;
    this.items = new Map(); // node → {row, path, open}
    this.element = h("ul", { class: "tree", "aria-label": label });
  }

  show(root) {
    this.items.clear();
    this.element.replaceChildren(this.item(root, [], true));
  }

  // The item of a node; `path` are the moves and events that lead to it.
  item(node, path, open) {
    const kids = this.children(node);
    const events = { onclick: () => this.onChoose(path), onmouseenter: () => this.onPoint(path), onmouseleave: () => this.onPoint(null), onfocus: () => this.onPoint(path), onblur: () => this.onPoint(null) };
    const entry = { node, path, row: null, open: () => {} };
    this.items.set(node, entry);
    if (!kids.length) {
      entry.row = h("button", { type: "button", class: "leaf", ...events });
      this.fill(entry);
      return h("li", {}, entry.row);
    }
    const below = h("ul", {});
    entry.row = h("summary", events);
    const details = h("details", { open }, entry.row, below);
    const fill = () => {
      if (!below.childElementCount) below.append(...kids.slice(0, MOST_SHOWN).map((child) => this.item(child, [...path, child.step], false)));
    };
    entry.open = () => { details.open = true; fill(); };
    if (open) fill();
    details.addEventListener("toggle", fill);
    this.fill(entry);
    return h("li", {}, details);
  }

  fill(entry) {
    const { label, facts, dead } = this.describe(entry.node);
    entry.row.classList.toggle("pruned", dead);
    entry.row.replaceChildren(h("span", { class: "move" }, label), ...facts);
  }

  // Describe all nodes again, after what is known about them has changed.
  refresh() {
    for (const entry of this.items.values()) this.fill(entry);
  }

  // Open the nodes down to one and mark it; `line` are the nodes from the root to it.
  mark(line) {
    for (const node of line.slice(0, -1)) this.items.get(node)?.open();
    for (const entry of this.items.values()) entry.row.classList.toggle("current", entry.node === line.at(-1));
    this.items.get(line.at(-1))?.row.scrollIntoView({ block: "nearest" });
  }
}
