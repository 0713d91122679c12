// The Analyse tab: a game step by step with its win probabilities, or a position, with analyses by players.

import { Board, stateText } from "./board.js";
import { curve } from "./chart.js";
import { die, showDice } from "./dice.js";
import { copyButton, h, showNotice, notFound, percent, positionLink, swatch } from "./dom.js";
import { EnginePanel } from "./engine.js";
import { gameCards, games, showRules } from "./catalogue.js";
import { request, subscribe, requestOrNotify } from "./socket.js";
import { t } from "./words.js";

const LARGEST = 900_000;

export function show(place, path) {
  if (path[0] === "position") return showPosition(place, path[1], path[2] ?? null);
  if (path.length) {
    const [key, ply] = path.join("/").split("@");
    return showGame(place, key, ply === undefined ? null : Number(ply));
  }
  return showChoice(place);
}

// The start page of the tab.

function showChoice(place) {
  const grid = h("div", { class: "games" });
  const { zone, stop } = dropZone();
  place.append(h("h1", {}, t("Analyse a game or a position")), zone, h("h2", {}, t("Set up a position")), grid);
  games().then((all) => grid.append(...gameCards(all, (game) => { location.hash = `#/analyse/position/${encodeURIComponent(game.name)}`; })))
    .catch((error) => showNotice(error.message));
  return stop;
}

function dropZone() {
  const list = h("div", {});
  const file = h("input", { type: "file", id: "record-file", class: "unseen", onchange: () => file.files[0] && read(file.files[0]) });
  const zone = h("div", { class: "drop" }, h("p", {}, t("Drop a game record here, in any format that StarScout reads.")),
    h("p", {}, file, h("label", { for: "record-file", class: "button" }, t("Select a file"))),
    h("p", { class: "small faint" }, t("Saved games of this page, games of the course server, Othello GGF, or move lists such as f5 d6 c3.")), list);
  // A file may be dropped anywhere on the page.
  const over = (event) => { event.preventDefault(); zone.classList.add("over"); };
  const away = (event) => { if (event.relatedTarget === null) zone.classList.remove("over"); };
  const drop = (event) => {
    event.preventDefault();
    zone.classList.remove("over");
    if (event.dataTransfer.files[0]) read(event.dataTransfer.files[0]);
  };
  const listeners = { dragover: over, dragleave: away, drop };
  for (const [name, listener] of Object.entries(listeners)) document.body.addEventListener(name, listener);
  async function read(dropped) {
    if (dropped.size > LARGEST) {
      showNotice(t("File too large: the maximum is {n} kB.", { n: LARGEST / 1000 }));
      return;
    }
    const answer = await requestOrNotify("upload", { text: await dropped.text() });
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
  const stop = () => { for (const [name, listener] of Object.entries(listeners)) document.body.removeEventListener(name, listener); };
  return { zone, stop };
}

// The parts that both views share: the board, the analyses and the status.

function study(place, gameName, heading, quiet = false) {
  const holder = h("div", {});
  const status = h("div", { class: "status", role: "status" });
  const dice = h("div", { class: "dice" });
  const tools = h("div", { class: "row" });
  const engines = h("div", { class: "stack engines" });
  const exact = h("div", { class: "small", role: "status" });
  const side = h("div", { class: "stack" });
  const board = new Board(holder, { onMove: (move) => parts.onMove(move), quiet });
  const below = h("div", { class: "stack" }, dice);
  place.append(heading, h("div", { class: "columns" }, h("div", { class: "stack" }, holder, below, tools), side));
  const parts = { board, status, dice, below, tools, engines, exact, side, panels: [], shown: null, turned: false, onMove: () => {}, game: null };
  const compare = h("button", { "data-do": "compare", onclick: () => { addEngine("second"); compare.hidden = true; engines.classList.add("two"); parts.panels[1].show(parts.shown.game, parts.shown.position, { turned: parts.turned, think: true, mover: parts.shown.sides[parts.shown.mover] }); } }, t("Compare two engines"));
  const solve = h("button", { "data-do": "solve", onclick: () => solveExactly() }, t("Solve exactly"));
  const ready = games().then((all) => {
    parts.game = all.find((game) => game.name === gameName) ?? { name: gameName, title: gameName, description: "", dice: "", players: ["strong", "negascout", "mcts"].map((name) => ({ name, local: true, description: "" })), default: "negascout", rows: 0, columns: 0, faces: 1, sides: [] };
    addEngine("first");
    tools.append(h("button", { onclick: () => showRules(parts.game) }, t("Rules")), h("button", { "data-do": "turn", onclick: () => { parts.turned = !parts.turned; parts.refresh(); } }, t("Turn the board")), compare, solve, copyButton(t("Copy the link"), () => location.href));
  });
  function addEngine(name) {
    const panel = new EnginePanel(name, parts.game, {
      onPicture: (svg) => { if (name === "first" && parts.shown) board.show({ ...parts.shown, svg }, { animate: false }); },
      onMove: (move, roll) => parts.onMove(move, roll),
      order: name === "second" ? () => parts.panels[0].listed : null,
    });
    parts.panels.push(panel);
    engines.append(panel.element);
  }
  async function solveExactly() {
    exact.textContent = t("thinking …");
    const answer = await requestOrNotify("solve", { game: parts.shown.game, position: parts.shown.position });
    if (!answer) exact.textContent = "";
    else if (answer.error) exact.textContent = `${t("Not solved")}: ${t("win probability of {side}: {chance}", { side: t(parts.shown.sides[parts.shown.mover]), chance: percent(answer.win_probability, 2) })} ± ${percent(answer.error / 2, 2)}`;
    else if (!answer.exact) exact.textContent = t("Not solved: the search reached depth {n}.", { n: answer.depth });
    else {
      const counted = answer.discs !== null && answer.discs !== undefined;
      const discs = counted ? `, ${t("{n} discs", { n: `${answer.discs > 0 ? "+" : ""}${answer.discs}` })}` : "";
      exact.textContent = `${t("Exact value")}: ${t("win probability of {side}: {chance}", { side: t(parts.shown.sides[parts.shown.mover]), chance: percent(answer.win_probability, counted ? 0 : 4) })}${discs}${answer.best ? `, ${answer.pv?.join(" ") || answer.best}` : ""}`;
    }
  }
  parts.present = (shown, { think = false } = {}) => {
    parts.shown = shown;
    board.show(shown);
    showDice(dice, shown, false);
    status.textContent = stateText(shown);
    exact.textContent = "";
    if (shown.over) return parts.panels.forEach((panel) => panel.clear());
    return parts.panels.forEach((panel) => panel.show(shown.game, shown.position, { turned: parts.turned, think, mover: shown.sides[shown.mover] }));
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
    h("details", { class: "sheet" }, h("summary", {}, t("Edit the position")), h("p", { class: "small faint" }, t("Select a piece and click squares, or enter the position as text.")), palette, h("div", { class: "row" }, field, h("button", { onclick: () => load(field.value) }, t("Show")))));
  const load = async (position) => {
    const answer = await requestOrNotify("position", { game: gameName, position, turned: parts.turned });
    if (answer) receive(answer.shown);
  };
  const advance = async (fields) => {
    const answer = await requestOrNotify("advance", { game: gameName, position: parts.shown.position, turned: parts.turned, ...fields });
    if (answer) receive(answer.shown);
  };
  parts.onMove = async (move, roll) => {
    if (roll) await advance({ roll });
    if (move && !parts.shown.over) await advance({ move });
  };
  parts.refresh = () => load(parts.shown.position);
  function receive(shown) {
    parts.present(shown, { think: true });
    field.value = shown.position;
    history.replaceState(null, "", positionLink(gameName, shown.position));
    const canRoll = shown.rolls && !shown.over;
    rolls.replaceChildren(...(canRoll ? Array.from({ length: parts.game.faces }, (_, n) => h("button", { class: "small", "aria-label": `${t("die")} ${n + 1}`, onclick: () => load(shown.position.replace(/\S+$/, String(n + 1))) }, die(String(n + 1)))) : []));
    for (const button of rolls.children) button.firstChild.classList.add("tiny");
    if (!shown.over) rolls.append(...shown.events.map((event) => h("button", { class: "small", "data-event": event.text, title: t("weight {n}", { n: event.weight }), onclick: () => advance({ roll: event.text }) }, event.text)));
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

function showGame(place, key, wanted) {
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
  request("review", { key }).then((answer) => { if (!gone) build(answer); }).catch((error) => { if (!gone) loading.replaceWith(notFound(error.message, "#/analyse", t("Analyse a game or a position"))); });

  subscribe("review", (message) => { if (message.key === key && !gone && parts) judged(message); });

  // Update the view with the losses judged by a player.
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
    const studied = study(place, review.game, heading, true);
    parts = studied.parts;
    parts.refresh = () => go(ply);
    parts.onMove = (move) => openPosition(move);
    chart = curve(review, go);
    const list = h("ol", { class: `plies pick${review.dice ? " rolled" : ""}`, "aria-label": t("The game so far") }, ...review.moves.map((move, index) => plyRow(move, index)));
    const buttons = h("div", { class: "row" }, ...[["|◀", 0], ["◀", -1], ["▶", 1], ["▶|", null]].map(([sign, move], index) => h("button", { "aria-label": t(["First ply", "Back one ply", "Forward one ply", "Last ply"][index]), "data-do": ["first", "previous", "next", "last"][index], onclick: () => go(move === 0 ? 0 : move === null ? review.moves.length : ply + move) }, sign)),
      h("button", { "data-do": "open-position", onclick: () => openPosition(null) }, t("Analyse this position")));
    parts.list = list;
    parts.said = h("p", { class: "small said" });
    parts.summary = summary();
    parts.below.replaceChildren(buttons, h("div", { class: "row now" }, parts.dice, h("div", {}, parts.status, parts.said)));
    parts.side.append(parts.summary, chart.picture, h("div", { class: "sheet" }, list), parts.engines, parts.exact);
    studied.ready.then(() => go(wanted ?? worst()));
  }

  // The ply with the largest loss, which is shown first.
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
    history.replaceState(null, "", `#/analyse/${key}@${ply}`);
    for (const [index, row] of [...parts.list.children].entries()) row.setAttribute("aria-current", String(index === ply));
    const row = parts.list.children[ply];
    if (row) parts.list.scrollTop = row.offsetTop - parts.list.offsetTop - 60;
    parts.said.textContent = move ? saidAbout(move) : "";
    const answer = await requestOrNotify("step", { key, ply, best: move?.best ?? null, turned: parts.turned });
    if (answer && mine === ply && !gone) parts.present({ ...answer.shown, moves: answer.shown.moves });
  }

  function saidAbout(move) {
    const words = [`${t(review.sides[move.side])} ${move.move}`];
    if (move.lucky) words.push(t(move.lucky));
    if (review.dice) words.push(`${t("luck")} ${signed(move.luck)}`);
    if (move.loss > 0.0005) words.push(`${move.mistake ? `${t(move.mistake)}: ` : ""}${t("loses {chance}; {move} is better", { chance: percent(move.loss), move: move.best })}`);
    else words.push(t("the best move"));
    const exact = review.exact?.[ply];
    if (exact !== null && exact !== undefined) words.push(`${t("exact value")}: ${discs(exact)}`);
    const lost = discsLost(ply);
    if (lost) words.push(t("loses {n} discs", { n: lost }));
    return words.join(" · ");
  }

  // The exact score from a ply on, in discs.
  function discs(difference) {
    return difference === 0 ? t("A draw") : t("{side} wins by {n} discs", { side: t(review.sides[difference > 0 ? 0 : 1]), n: Math.abs(difference) });
  }

  function discsLost(index) {
    const [before, after] = [review.exact?.[index], review.exact?.[index + 1]];
    if (before === null || before === undefined || after === null || after === undefined) return 0;
    return review.moves[index].side === 0 ? before - after : after - before;
  }

  function openPosition(move) {
    if (move === null) location.hash = positionLink(review.game, parts.shown.position);
    else request("advance", { game: review.game, position: parts.shown.position, move }).then((answer) => { location.hash = positionLink(review.game, answer.shown.position); }).catch((error) => showNotice(error.message));
  }

  function plyRow(move, index) {
    const mark = { doubtful: "?!", bad: "?", "very bad": "??" }[move.mistake] ?? "";
    return h("li", { onclick: () => go(index) }, h("span", { class: "faint number" }, `${index + 1}.`), swatch(review.colours[move.side]),
      h("span", { class: "roll" }, move.roll ? "⚀⚁⚂⚃⚄⚅"[move.roll - 1] ?? String(move.roll) : ""), h("b", {}, `${move.move}${mark}`),
      h("span", { class: "small marks" }, discsLost(index) ? h("span", { class: "bad" }, `−${t("{n} discs", { n: discsLost(index) })} `) : "",
        move.loss > 0.0005 ? h("span", { class: move.mistake ? "bad" : "faint" }, `−${percent(move.loss)} `) : "",
        move.lucky ? h("span", { class: move.luck > 0 ? "good" : "warm" }, t(move.lucky)) : ""));
  }

  function summary() {
    const rows = review.totals.map((side, number) => h("tr", {}, h("td", {}, h("span", { class: "player" }, swatch(review.colours[number]), h("span", { class: "name", title: review.players[number] }, review.players[number]))),
      review.dice ? h("td", { class: `number ${side.luck >= 0 ? "good" : "bad"}` }, signed(side.luck)) : null,
      h("td", { class: "number" }, `−${percent(side.loss)}`), h("td", { class: "number" }, `−${percent(side.loss_per_move, 2)}`),
      h("td", { class: "number" }, ["doubtful", "bad", "very bad"].map((name) => side.mistakes[name]).join(" / "))));
    const winner = review.winner === null ? t("no winner") : t("{side} wins", { side: t(review.sides[review.winner]) });
    return h("div", { class: "sheet", "data-part": "summary" }, h("div", { class: "lead" }, `${winner}: ${t(review.reason)}`), review.detail ? h("p", { class: "small" }, review.detail) : null,
      h("div", { class: "scroll" }, h("table", {}, h("thead", {}, h("tr", {}, ...["", ...(review.dice ? ["luck"] : []), "loss by mistakes", "per move", "?! / ? / ??"].map((name) => h("th", { class: name ? "number" : "" }, t(name))))), h("tbody", {}, ...rows))),
      h("p", { class: "small" }, verdict(), solvedFrom()), h("p", { class: "small faint" }, measured()));
  }

  // Who measured luck and losses; without chance there is no luck.
  function measured() {
    if (!review.judge) return `${t("losses by {judge}", { judge: review.meter })}; ${t("deeper analysis in progress …")}`;
    return review.dice ? t("luck by {meter}, losses by {judge}", { meter: review.meter, judge: review.judge }) : t("losses by {judge}", { judge: review.judge });
  }

  // In games with a score: the first ply with an exact score.
  function solvedFrom() {
    const first = review.exact?.findIndex((value) => value !== null) ?? -1;
    return first < 0 ? "" : ` ${t("Solved from ply {n}: {result}.", { n: first + 1, result: discs(review.exact[first]) })}`;
  }

  // The balance of luck and skill.
  function verdict() {
    const [first, second] = review.totals;
    const luck = first.luck - second.luck;
    const skill = second.loss - first.loss;
    const who = (number) => t(review.sides[number > 0 ? 0 : 1]);
    const skilled = t("{side} gained {chance} through better moves", { side: who(skill), chance: percent(Math.abs(skill)) });
    return review.dice ? `${t("{side} was luckier by {chance}", { side: who(luck), chance: percent(Math.abs(luck)) })}; ${skilled}.` : `${skilled}.`;
  }

  return () => {
    gone = true;
    document.removeEventListener("keydown", keys);
    parts?.close();
  };
}

const signed = (chance) => `${chance >= 0 ? "+" : "−"}${percent(Math.abs(chance))}`;
