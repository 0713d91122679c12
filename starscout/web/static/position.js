// A position: moves, variations, editing, analyses by players.

import { pieceTexts, showsPieces } from "./board.js";
import { die, rollText } from "./dice.js";
import { h, positionLink } from "./dom.js";
import { request, requestOrNotify } from "./socket.js";
import { study } from "./study.js";
import { MoveTree } from "./tree.js";
import { t } from "./words.js";

export function showPosition(place, gameName, text) {
  const { parts, ready } = study(place, gameName, h("h1", {}, t("analyse_a_position")));
  const field = h("input", { type: "text", id: "position-text", size: 44, spellcheck: "false", onchange: () => load(field.value) });
  const palette = h("div", { class: "row", role: "group", "aria-label": t("pieces") });
  const rolls = h("div", { class: "row", role: "group", "aria-label": t("die") });
  let brush = null;
  const tree = parts.tree = new MoveTree((node) => reload(node));
  const undo = h("button", { "data-do": "undo", "aria-label": t("take_back"), title: t("take_back"), onclick: () => tree.step("ArrowLeft") }, "◀");
  const forward = h("button", { "data-do": "redo", "aria-label": t("forward_one_ply"), title: t("forward_one_ply"), onclick: () => tree.step("ArrowRight") }, "▶");
  const remove = h("button", { "data-do": "delete-branch", onclick: () => tree.remove() }, t("delete_the_branch"));
  const keep = h("button", { "data-do": "save-tree", onclick: () => saveRecord(tree.toRecord({ ...tree.root.shown, game: gameName })) }, t("save_the_game"));
  const history_ = h("div", { class: "sheet stack" }, tree.element, tree.comment, h("div", { class: "row" }, undo, forward, remove, keep));
  const keys = (event) => {
    if (event.target.closest?.("input, select, textarea, svg.board, [role=tree]") || event.altKey || event.ctrlKey || event.metaKey) return;
    if (tree.step(event.key)) event.preventDefault();
  };
  document.addEventListener("keydown", keys);
  parts.side.append(parts.status, rolls, parts.engines, parts.exact, history_,
    h("details", { class: "sheet" }, h("summary", {}, t("edit_the_position")), h("p", { class: "small faint" }, t("select_a_piece_and_click_squares_or")), palette, h("div", { class: "row" }, field, h("button", { onclick: () => load(field.value) }, t("show")))));
  // Begin a new tree at a position; a chosen die belongs to the next move.
  const load = async (position) => {
    const answer = await requestOrNotify("position", { game: gameName, position, turned: parts.turned });
    if (!answer) {
      // The position of a link may be invalid: the start position takes its place.
      if (!parts.shown && position !== null) load(null);
      return;
    }
    tree.reset({ shown: answer.shown, ply: answer.shown.ply });
    receive(answer.shown);
  };
  const reload = async (node) => {
    const answer = node.shown.turned === parts.turned ? node : await requestOrNotify("position", { game: gameName, position: node.shown.position, turned: parts.turned });
    if (!answer) return;
    node.shown = answer.shown;
    receive(node.shown);
  };
  const advance = async (fields) => {
    const answer = await requestOrNotify("advance", { game: gameName, position: parts.shown.position, turned: parts.turned, ...fields });
    if (!answer) return;
    if (fields.move) tree.play({ move: fields.move, roll: parts.shown.die, shown: answer.shown });
    else receive(answer.shown);
  };
  parts.onMove = async (move, roll) => {
    if (roll) await advance({ roll });
    if (move && !parts.shown.over) await advance({ move });
  };
  parts.refresh = () => reload(tree.current);
  // Another die in the same position.
  async function choose(position) {
    const answer = await requestOrNotify("position", { game: gameName, position, turned: parts.turned });
    if (answer) receive(answer.shown);
  }
  function receive(shown) {
    undo.disabled = !tree.current.parent;
    forward.disabled = !tree.current.children.length;
    remove.disabled = tree.current.main;
    keep.disabled = !tree.root.children.length;
    parts.present(shown, { think: true });
    field.value = shown.position;
    history.replaceState(null, "", positionLink(gameName, shown.position));
    const canRoll = shown.rolls && !shown.over;
    rolls.replaceChildren(...(canRoll ? Array.from({ length: parts.game.faces }, (_, n) => h("button", { class: "small", "aria-label": `${t("die")} ${n + 1}`, onclick: () => choose(shown.position.replace(/\S+$/, String(n + 1))) }, die(String(n + 1)))) : []));
    for (const button of rolls.children) button.firstChild.classList.add("tiny");
    // Events that reveal a piece.
    const pieces = showsPieces(shown.svg);
    if (!shown.over) rolls.append(...shown.events.map((event) => h("button", { class: rollText(event.text) === event.text ? "small" : "small roll", "data-event": event.text, "aria-label": event.text, title: t("weight_n", { n: event.weight }), onclick: () => advance({ roll: event.text }) }, ...(pieces ? pieceTexts(event.text) : [rollText(event.text)]))));
    if (rolls.childElementCount) rolls.prepend(h("span", { class: "small faint" }, t("choose_the_event")));
    fillPalette(shown);
  }
  function fillPalette(shown) {
    const [boardText] = shown.position.split(" ");
    const letters = boardText.replaceAll("/", "");
    const { rows, columns } = parts.game;
    if (letters.length !== rows * columns) return;
    if (!palette.dataset.kinds) {
      // A board may start empty: the server knows the pieces.
      palette.dataset.kinds = [...new Set(letters)].sort().join("");
      request("letters", { game: gameName }).then((answer) => {
        palette.dataset.kinds = [...new Set(palette.dataset.kinds + answer.letters)].sort().join("");
        fillPalette(parts.shown);
      }).catch(() => {});
    }
    const { kinds } = palette.dataset;
    const empty = kinds.includes(".") ? "." : "-";
    const single = kinds.length > 3;
    palette.replaceChildren(...[...kinds].map((kind) => h("button", { class: "small", "aria-pressed": String(brush === kind), onclick: () => { brush = brush === kind ? null : kind; fillPalette(parts.shown); } }, kind === empty ? t("empty") : kind)));
    parts.board.onSquare = brush === null ? null : (square) => {
      const squares = [...letters];
      if (single && brush !== empty) squares.forEach((letter, index) => { if (letter === brush) squares[index] = empty; });
      squares[square] = brush;
      const lines = boardText.includes("/") ? Array.from({ length: rows }, (_, row) => squares.slice(row * columns, (row + 1) * columns).join("")).join("/") : squares.join("");
      load(shown.position.replace(/^\S+/, lines));
    };
  }
  ready.then(() => load(text));
  return () => {
    document.removeEventListener("keydown", keys);
    parts.close();
  };
}

export function saveRecord(record) {
  const link = h("a", { href: URL.createObjectURL(new Blob([JSON.stringify(record)], { type: "application/json" })), download: `${record.game}.json` });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
