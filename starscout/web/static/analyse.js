// Understand: a game step by step with its curve, or any position, with players that think about it.

import { Board, sentence } from "./board.js";
import { curve } from "./chart.js";
import { die, showDice } from "./dice.js";
import { h, notice, percent } from "./dom.js";
import { EnginePanel } from "./engine.js";
import { games, showRules } from "./play.js";
import { ask, follow, tell } from "./socket.js";
import { t } from "./words.js";

export function show(place, path) {
  if (path[0] === "position") return showPosition(place, path[1], path[2] ?? null);
  if (path.length) return showGame(place, path.join("/"));
  return showChoice(place);
}

// What to look at.

function showChoice(place) {
  const grid = h("div", { class: "games" });
  place.append(h("h1", {}, t("Understand a game or a position")), dropZone(), h("h2", {}, t("Set up a position")), grid);
  games().then((all) => grid.append(...all.map((game) => h("button", { "data-game": game.name, onclick: () => { location.hash = `#/analyse/position/${game.name}`; } },
    h("b", {}, game.title), h("span", { class: "small faint" }, game.description)))));
}

function dropZone() {
  const list = h("div", {});
  const file = h("input", { type: "file", id: "record-file", onchange: () => file.files[0] && read(file.files[0]) });
  const zone = h("div", { class: "drop" }, h("p", {}, t("Drop a game record here: any format that StarScout reads.")),
    h("label", { for: "record-file" }, t("or choose a file"), file), list);
  zone.addEventListener("dragover", (event) => { event.preventDefault(); zone.classList.add("over"); });
  zone.addEventListener("dragleave", () => zone.classList.remove("over"));
  zone.addEventListener("drop", (event) => {
    event.preventDefault();
    zone.classList.remove("over");
    if (event.dataTransfer.files[0]) read(event.dataTransfer.files[0]);
  });
  async function read(dropped) {
    const answer = await tell("drop", { text: await dropped.text() });
    if (!answer) return;
    const legal = answer.games.filter((game) => game.key);
    if (answer.games.length === 1 && legal.length === 1) {
      location.hash = `#/analyse/${legal[0].key}`;
      return;
    }
    list.replaceChildren(h("ul", {}, ...answer.games.map((game) => h("li", {}, game.key
      ? h("a", { href: `#/analyse/${game.key}` }, `${game.game}: ${game.players.join(" – ")}, ${t(game.reason)}, ${t("{n} plies", { n: game.plies })}`)
      : h("span", { class: "bad" }, game.error)))));
  }
  return zone;
}

// The parts that both views share: a board, the players that think, and what is said about the position.

function study(place, gameName, heading) {
  const holder = h("div", {});
  const status = h("div", { class: "status", role: "status" });
  const dice = h("div", { class: "dice" });
  const tools = h("div", { class: "row" });
  const engines = h("div", { class: "stack" });
  const exact = h("div", { class: "small", role: "status" });
  const side = h("div", { class: "stack" });
  const board = new Board(holder, { onMove: (move) => parts.onMove(move) });
  place.append(heading, h("div", { class: "columns" }, h("div", { class: "stack" }, holder, dice, tools), side));
  const parts = { board, status, dice, tools, engines, exact, side, panels: [], shown: null, turned: false, onMove: () => {}, game: null };
  const compare = h("button", { "data-do": "compare", onclick: () => { addEngine("second"); compare.hidden = true; parts.panels[1].show(parts.shown.game, parts.shown.position, { turned: parts.turned, think: true }); } }, t("Compare two engines"));
  const solve = h("button", { "data-do": "solve", onclick: () => solveExactly() }, t("Solve exactly"));
  const ready = games().then((all) => {
    parts.game = all.find((game) => game.name === gameName) ?? { name: gameName, title: gameName, description: "", dice: "", players: [{ name: "strong", local: true }, { name: "negascout", local: true }, { name: "mcts", local: true }], default: "negascout", rows: 0, columns: 0, faces: 1, sides: [] };
    addEngine("first");
    tools.append(h("button", { onclick: () => showRules(parts.game) }, t("Rules")), h("button", { "data-do": "turn", onclick: () => { parts.turned = !parts.turned; parts.refresh(); } }, t("Turn the board")), compare, solve);
  });
  function addEngine(name) {
    const panel = new EnginePanel(name, parts.game, {
      onPicture: (svg) => { if (name === "first" && parts.shown) board.show({ ...parts.shown, svg }, { animate: false }); },
      onMove: (move, roll) => parts.onMove(move, roll),
    });
    parts.panels.push(panel);
    engines.append(panel.element);
  }
  async function solveExactly() {
    exact.textContent = t("thinking …");
    const answer = await tell("solve", { game: parts.shown.game, position: parts.shown.position });
    if (!answer) exact.textContent = "";
    else if (!answer.exact) exact.textContent = t("Not solved: {n} plies deep the game is still not over.", { n: answer.depth });
    else {
      const discs = answer.discs === null ? "" : `, ${t("{n} discs", { n: `${answer.discs > 0 ? "+" : ""}${answer.discs}` })}`;
      exact.textContent = `${t("Exactly")}: ${t("wins {chance}", { chance: percent(answer.wins, answer.discs === null ? 4 : 0) })}${discs}${answer.best ? `, ${answer.line.join(" ") || answer.best}` : ""}`;
    }
  }
  parts.present = (shown, { think = false } = {}) => {
    parts.shown = shown;
    board.show(shown);
    showDice(dice, shown, false);
    status.textContent = sentence(shown);
    exact.textContent = "";
    if (shown.over) return parts.panels.forEach((panel) => panel.clear());
    return parts.panels.forEach((panel) => panel.show(shown.game, shown.position, { turned: parts.turned, think }));
  };
  parts.close = () => parts.panels.forEach((panel) => panel.close());
  return { parts, ready };
}

// A position.

function showPosition(place, gameName, text) {
  const { parts, ready } = study(place, gameName, h("h1", {}, t("Analyse a position")));
  const field = h("input", { type: "text", id: "position-text", size: 44, spellcheck: "false", onchange: () => load(field.value) });
  const palette = h("div", { class: "row", role: "group", "aria-label": t("Pieces") });
  const rolls = h("div", { class: "row", role: "group", "aria-label": t("die") });
  let brush = null;
  parts.side.append(parts.status, rolls, parts.engines, parts.exact,
    h("details", { class: "sheet" }, h("summary", {}, t("Set up by hand")), h("p", { class: "small faint" }, t("Choose a piece, then click squares; or write the position.")), palette, h("div", { class: "row" }, field, h("button", { onclick: () => load(field.value) }, t("Show")))));
  const load = async (position) => {
    const answer = await tell("position", { game: gameName, position, turned: parts.turned });
    if (answer) receive(answer.shown);
  };
  const advance = async (fields) => {
    const answer = await tell("advance", { game: gameName, position: parts.shown.position, turned: parts.turned, ...fields });
    if (answer) receive(answer.shown);
  };
  parts.onMove = async (move, roll) => {
    if (roll) await advance({ roll: Number(roll) });
    if (!parts.shown.over) await advance({ move });
  };
  parts.refresh = () => load(parts.shown.position);
  function receive(shown) {
    parts.present(shown, { think: true });
    field.value = shown.position;
    history.replaceState(null, "", `#/analyse/position/${encodeURIComponent(gameName)}/${encodeURIComponent(shown.position)}`);
    const canRoll = shown.rolls && !shown.over;
    rolls.replaceChildren(...(canRoll ? Array.from({ length: parts.game.faces }, (_, n) => h("button", { class: "small", "aria-label": `${t("die")} ${n + 1}`, onclick: () => load(shown.position.replace(/\S+$/, String(n + 1))) }, die(String(n + 1)))) : []));
    for (const button of rolls.children) button.firstChild.classList.add("tiny");
    fillPalette(shown);
  }
  function fillPalette(shown) {
    const [boardText] = shown.position.split(" ");
    const letters = boardText.replaceAll("/", "");
    const { rows, columns } = parts.game;
    if (letters.length !== rows * columns) return;
    const kinds = palette.dataset.kinds ?? [...new Set(letters)].sort().join("");
    if (!palette.dataset.kinds) palette.dataset.kinds = kinds;
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
  ready.then(() => load(null)).then(() => { if (text) load(text); });
  return () => parts.close();
}

// A game.

function showGame(place, key) {
  const heading = h("h1", {}, t("A game"));
  let parts = null;
  let review = null;
  let ply = 0;
  let chart = null;
  let gone = false;
  const keys = (event) => {
    if (event.target.closest?.("input, select, textarea, svg.board")) return;
    if (event.key === "ArrowLeft") go(ply - 1);
    else if (event.key === "ArrowRight") go(ply + 1);
  };
  document.addEventListener("keydown", keys);
  const loading = h("p", { class: "faint" }, t("thinking …"));
  place.append(loading);
  ask("review", { key }).then((answer) => { if (!gone) build(answer); }).catch((error) => { loading.textContent = error.message; notice(error.message); });

  follow("review", (message) => { if (message.key === key && !gone && parts) judged(message); });

  // The judge has looked deeper: the same view with its numbers.
  function judged(message) {
    review = message;
    const now = curve(review, go);
    chart.picture.replaceWith(now.picture);
    chart = now;
    const facts = summary();
    parts.summary.replaceWith(facts);
    parts.summary = facts;
    parts.list.replaceChildren(...review.moves.map((move, index) => plyRow(move, index)));
    go(ply);
  }

  function build(answer) {
    review = answer;
    loading.remove();
    heading.textContent = `${review.players[0]} – ${review.players[1]}`;
    const studied = study(place, review.game, heading);
    parts = studied.parts;
    parts.refresh = () => go(ply);
    parts.onMove = (move) => openPosition(move);
    chart = curve(review, go);
    const list = h("ol", { class: "plies pick" }, ...review.moves.map((move, index) => plyRow(move, index)));
    const buttons = h("div", { class: "row" }, ...[["|◀", 0], ["◀", -1], ["▶", 1], ["▶|", null]].map(([sign, move], index) => h("button", { "aria-label": t(["First ply", "Back one ply", "Forward one ply", "Last ply"][index]), "data-do": ["first", "previous", "next", "last"][index], onclick: () => go(move === 0 ? 0 : move === null ? review.moves.length : ply + move) }, sign)),
      h("button", { "data-do": "open-position", onclick: () => openPosition(null) }, t("Analyse this position")));
    parts.list = list;
    parts.said = h("p", { class: "small said" });
    parts.summary = summary();
    parts.side.append(parts.summary, chart.picture, buttons, parts.status, parts.said, h("div", { class: "sheet" }, list), parts.engines, parts.exact);
    studied.ready.then(() => go(worst()));
  }

  // The first ply to look at: the largest loss.
  function worst() {
    let found = 0;
    review.moves.forEach((move, index) => { if (move.loss > review.moves[found].loss) found = index; });
    return review.moves.length && review.moves[found].loss > 0 ? found : 0;
  }

  async function go(wanted) {
    if (!parts) return;
    ply = Math.min(review.moves.length, Math.max(0, wanted));
    const mine = ply;
    const move = review.moves[ply];
    chart.move(ply);
    for (const [index, row] of [...parts.list.children].entries()) row.setAttribute("aria-current", String(index === ply));
    const row = parts.list.children[ply];
    if (row) parts.list.scrollTop = row.offsetTop - parts.list.offsetTop - 60;
    parts.said.textContent = move ? saidAbout(move) : "";
    const answer = await tell("step", { key, ply, best: move?.best ?? null, turned: parts.turned });
    if (answer && mine === ply && !gone) parts.present({ ...answer.shown, moves: answer.shown.moves });
  }

  function saidAbout(move) {
    const words = [`${t(review.sides[move.side])} ${move.move}`];
    if (move.lucky) words.push(t(move.lucky));
    if (review.dice) words.push(`${t("luck")} ${signed(move.luck)}`);
    if (move.loss > 0.0005) words.push(`${move.mistake ? `${t(move.mistake)}: ` : ""}${t("loses {chance}, better is {move}", { chance: percent(move.loss), move: move.best })}`);
    else words.push(t("the best move"));
    return words.join(" · ");
  }

  function openPosition(move) {
    const target = `#/analyse/position/${encodeURIComponent(review.game)}/${encodeURIComponent(parts.shown.position)}`;
    if (move === null) location.hash = target;
    else ask("advance", { game: review.game, position: parts.shown.position, move }).then((answer) => { location.hash = `#/analyse/position/${encodeURIComponent(review.game)}/${encodeURIComponent(answer.shown.position)}`; }).catch((error) => notice(error.message));
  }

  function plyRow(move, index) {
    const mark = { doubtful: "?!", bad: "?", "very bad": "??" }[move.mistake] ?? "";
    return h("li", { onclick: () => go(index) }, h("span", { class: "faint number" }, `${index + 1}.`), h("span", { class: "swatch", "data-side": String(move.side) }),
      h("span", { class: "faint" }, move.roll ? String(move.roll) : ""), h("b", {}, `${move.move}${mark}`),
      h("span", { class: "small" }, move.loss > 0.0005 ? h("span", { class: move.mistake ? "bad" : "faint" }, `−${percent(move.loss)} `) : "",
        move.lucky ? h("span", { class: move.luck > 0 ? "good" : "warm" }, t(move.lucky)) : ""));
  }

  function summary() {
    const rows = review.sides_review.map((side, number) => h("tr", {}, h("td", {}, `${t(review.sides[number])}: ${review.players[number]}`),
      review.dice ? h("td", { class: `number ${side.luck >= 0 ? "good" : "bad"}` }, signed(side.luck)) : null,
      h("td", { class: "number" }, `−${percent(side.loss)}`), h("td", { class: "number" }, `−${percent(side.loss_per_move, 2)}`),
      h("td", { class: "number" }, ["doubtful", "bad", "very bad"].map((name) => side.mistakes[name]).join(" / "))));
    const winner = review.winner === null ? t("nobody wins") : t("{side} wins", { side: t(review.sides[review.winner]) });
    return h("div", { class: "sheet", "data-part": "summary" }, h("b", {}, `${winner}: ${t(review.reason)}`), review.detail ? h("p", { class: "small" }, review.detail) : null,
      h("div", { class: "scroll" }, h("table", {}, h("thead", {}, h("tr", {}, ...["", ...(review.dice ? ["luck"] : []), "lost by moves", "per move", "?! / ? / ??"].map((name) => h("th", { class: name ? "number" : "" }, t(name))))), h("tbody", {}, ...rows))),
      h("p", { class: "small" }, verdict()), h("p", { class: "small faint" }, review.judge ? t("luck by {meter}, losses by {judge}", { meter: review.meter, judge: review.judge }) : `${t("measured by")} ${review.meter}; ${t("a player looks deeper …")}`));
  }

  // How much was luck, how much was skill.
  function verdict() {
    const [first, second] = review.sides_review;
    const luck = first.luck - second.luck;
    const skill = second.loss - first.loss;
    const who = (number) => t(review.sides[number > 0 ? 0 : 1]);
    const skilled = t("{side} gained {chance} by better moves", { side: who(skill), chance: percent(Math.abs(skill)) });
    return review.dice ? `${t("{side} was luckier by {chance}", { side: who(luck), chance: percent(Math.abs(luck)) })}; ${skilled}.` : `${skilled}.`;
  }

  return () => {
    gone = true;
    document.removeEventListener("keydown", keys);
    parts?.close();
  };
}

const signed = (chance) => `${chance >= 0 ? "+" : "−"}${percent(Math.abs(chance))}`;
