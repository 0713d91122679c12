// The Analyse tab: a game step by step with its win probabilities, or a position, with analyses by players.

import { Board, stateText } from "./board.js";
import { curve } from "./chart.js";
import { die, showDice } from "./dice.js";
import { announce, copyButton, h, showNotice, notFound, percent, positionLink, swatch, winProbability } from "./dom.js";
import { EnginePanel, lineButtons } from "./engine.js";
import { gameCards, games, showRules } from "./catalogue.js";
import { request, subscribe, requestOrNotify } from "./socket.js";
import { MoveTree } from "./tree.js";
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
  const bar = h("div", { class: "evalbar", hidden: true }, h("i", {}), h("span", {}));
  place.append(heading, h("div", { class: "columns" }, h("div", { class: "stack" }, bar, holder, below, tools), side));
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
      onLine: (steps) => parts.playLine(steps),
      onPreview: (steps) => parts.preview(steps),
      onValue: (wins) => { if (name === "first") showBar(wins); },
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
  // The win probability of both sides, with the name of the one that is ahead.
  function showBar(wins) {
    bar.hidden = wins === null || wins === undefined;
    if (bar.hidden) return;
    const first = parts.shown.mover === 0 ? wins : 1 - wins;
    const [fill, text] = bar.children;
    fill.style.width = `${100 * first}%`;
    fill.style.background = parts.shown.colours[0];
    bar.style.background = parts.shown.colours[1];
    const ahead = first >= 0.5 ? 0 : 1;
    text.textContent = `${t(parts.shown.sides[ahead])} ${percent(ahead === 0 ? first : 1 - first, 0)}`;
    bar.setAttribute("role", "img");
    bar.setAttribute("aria-label", t("win probability of {side}: {chance}", { side: t(parts.shown.sides[0]), chance: percent(first, 0) }));
  }
  // Show the end of a line while the pointer is on it.
  let previewed = 0;
  parts.preview = async (steps) => {
    previewed += 1;
    const mine = previewed;
    const before = parts.shown;
    if (steps === null) {
      if (before) board.show(before, { animate: false });
      return;
    }
    const answer = await request("line", { game: before.game, position: before.position, line: steps, turned: parts.turned }).catch(() => null);
    const last = answer?.steps.at(-1);
    if (last && mine === previewed && parts.shown === before) board.show({ ...last.shown, moves: [] }, { animate: false });
  };
  // Add a line to the tree, and go to its end.
  parts.playLine = async (steps) => {
    previewed += 1;
    const answer = await requestOrNotify("line", { game: parts.shown.game, position: parts.shown.position, line: steps, turned: parts.turned });
    for (const step of answer?.steps ?? []) parts.tree.current = parts.tree.append(parts.tree.current, step);
    if (answer?.steps.length) parts.tree.select(parts.tree.current);
  };
  parts.showBar = showBar;
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
  const tree = parts.tree = new MoveTree((node) => reload(node));
  const undo = h("button", { "data-do": "undo", onclick: () => tree.step("ArrowLeft") }, t("Take back"));
  const forward = h("button", { "data-do": "redo", onclick: () => tree.step("ArrowRight") }, t("Forward one ply"));
  const remove = h("button", { "data-do": "delete-branch", onclick: () => tree.remove() }, t("Delete the branch"));
  const keep = h("button", { "data-do": "save-tree", onclick: () => saveRecord(tree.toRecord({ ...tree.root.shown, game: gameName })) }, t("Save the game"));
  const history_ = h("div", { class: "sheet stack" }, tree.element, tree.comment, h("div", { class: "row" }, undo, forward, remove, keep));
  const keys = (event) => {
    if (event.target.closest?.("input, select, textarea, svg.board, [role=tree]") || event.altKey || event.ctrlKey || event.metaKey) return;
    if (tree.step(event.key)) event.preventDefault();
  };
  document.addEventListener("keydown", keys);
  parts.side.append(parts.status, rolls, parts.engines, parts.exact, history_,
    h("details", { class: "sheet" }, h("summary", {}, t("Edit the position")), h("p", { class: "small faint" }, t("Select a piece and click squares, or enter the position as text.")), palette, h("div", { class: "row" }, field, h("button", { onclick: () => load(field.value) }, t("Show")))));
  // Begin a new tree at a position; a chosen die belongs to the next move.
  const load = async (position) => {
    const answer = await requestOrNotify("position", { game: gameName, position, turned: parts.turned });
    if (!answer) return;
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
    if (!shown.over) rolls.append(...shown.events.map((event) => h("button", { class: "small", "data-event": event.text, title: t("weight {n}", { n: event.weight }), onclick: () => advance({ roll: event.text }) }, event.text)));
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

function saveRecord(record) {
  const link = h("a", { href: URL.createObjectURL(new Blob([JSON.stringify(record)], { type: "application/json" })), download: `${record.game}.json` });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
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
    if (event.target.closest?.("input, select, textarea, svg.board, [role=tree]") || event.altKey || event.ctrlKey || event.metaKey || !parts) return;
    if (parts.tree.step(event.key)) event.preventDefault();
    else if (event.key === "Home" || event.key === "End") go(event.key === "Home" ? 0 : review.moves.length);
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
    parts.refresh = () => (parts.tree.current.main ? go(ply) : showNode(parts.tree.current));
    parts.tree = new MoveTree((node) => (node.main ? go(node.index) : showNode(node)));
    parts.tree.reset({ index: 0 }, review.moves.map((move, index) => ({ index: index + 1, move: move.move, roll: move.roll || null })));
    parts.onMove = async (move, roll) => {
      let { position } = parts.shown;
      if (roll) position = (await request("advance", { game: review.game, position, roll })).shown.position;
      const answer = await requestOrNotify("advance", { game: review.game, position, move, turned: parts.turned });
      if (answer && attempt(move)) return;
      if (answer) parts.tree.play({ move, roll: parts.shown.die, shown: answer.shown });
    };
    chart = curve(review, go);
    const list = h("ol", { role: "listbox", class: `plies pick${review.dice ? " rolled" : ""}`, "aria-label": t("The game so far") }, ...review.moves.map((move, index) => plyRow(move, index)));
    const buttons = h("div", { class: "row" }, ...[["|◀", 0], ["◀", -1], ["▶", 1], ["▶|", null]].map(([sign, move], index) => h("button", { "aria-label": t(["First ply", "Back one ply", "Forward one ply", "Last ply"][index]), "data-do": ["first", "previous", "next", "last"][index], onclick: () => go(move === 0 ? 0 : move === null ? review.moves.length : ply + move) }, sign)),
      h("button", { "data-do": "open-position", onclick: () => openPosition(null) }, t("Analyse this position")));
    parts.list = list;
    parts.said = h("p", { class: "small said" });
    parts.why = h("div", { class: "sheet stack why", hidden: true, "aria-live": "polite" });
    const back = h("button", { "data-do": "return", onclick: () => parts.tree.select(parts.tree.mainNode) }, t("Return to the game"));
    const remove = h("button", { "data-do": "delete-branch", onclick: () => parts.tree.remove() }, t("Delete the branch"));
    parts.variations = h("div", { class: "sheet stack", hidden: true }, h("h2", {}, t("Variations")), parts.tree.element, parts.tree.comment, h("div", { class: "row" }, back, remove));
    parts.summary = summary();
    parts.below.replaceChildren(buttons, h("div", { class: "row now" }, parts.dice, h("div", {}, parts.status, parts.said)));
    parts.side.append(parts.summary, chart.picture, parts.why, h("div", { class: "sheet" }, list), parts.variations, parts.engines, parts.exact);
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
    let node = parts.tree.root;
    for (let index = 0; index < ply; index += 1) node = node.children[0];
    parts.tree.select(node, { tell: false });
    parts.variations.hidden = parts.tree.element.hidden;
    const mine = ply;
    const move = review.moves[ply];
    chart.move(ply);
    history.replaceState(null, "", `#/analyse/${key}@${ply}`);
    for (const [index, row] of [...parts.list.children].entries()) {
      row.setAttribute("aria-current", String(index === ply));
      row.setAttribute("aria-selected", String(index === ply));
      row.tabIndex = index === Math.min(ply, review.moves.length - 1) ? 0 : -1;
      if (parts.list.contains(document.activeElement) && row.tabIndex === 0) row.focus({ preventScroll: true });
    }
    const row = parts.list.children[ply];
    if (row) parts.list.scrollTop = row.offsetTop - parts.list.offsetTop - 60;
    parts.said.textContent = move ? saidAbout(move) : "";
    explain(move);
    const answer = await requestOrNotify("step", { key, ply, best: move?.best ?? null, turned: parts.turned });
    if (answer && mine === ply && !gone) parts.present({ ...answer.shown, moves: answer.shown.moves });
  }

  // A position of a variation.
  async function showNode(node) {
    parts.variations.hidden = false;
    parts.why.hidden = true;
    parts.said.textContent = t("A variation; the game went on differently.");
    if (node.shown.turned !== parts.turned) {
      const answer = await requestOrNotify("position", { game: review.game, position: node.shown.position, turned: parts.turned });
      if (!answer) return;
      node.shown = answer.shown;
    }
    parts.present(node.shown, { think: true });
  }

  // Why a move was a mistake: the better line and the refutation, both playable.
  let explained = null;
  let trying = null;
  function explain(move) {
    trying = null;
    parts.why.hidden = !move?.mistake;
    if (!move?.mistake) return;
    const mine = ply;
    const show = h("button", { "data-do": "explain", onclick: async () => {
      show.disabled = true;
      const answer = explained?.ply === mine ? explained : await requestOrNotify("explain", { key, ply: mine });
      if (answer) explained = { ...answer, ply: mine };
      if (answer && mine === ply && !gone) fillWhy(explained, move);
    } }, t("Explain"));
    const again = h("button", { "data-do": "try", onclick: () => {
      trying = mine;
      parts.said.textContent = t("Find a better move for {side}.", { side: t(review.sides[move.side]) });
      request("step", { key, ply: mine, best: null, turned: parts.turned }).then((answer) => parts.board.show({ ...answer.shown, svg: answer.shown.svg.replace(/<g class="arrow".*?<\/g>/g, "") }, { animate: false })).catch(() => {});
    } }, t("Try again"));
    parts.why.replaceChildren(h("div", { class: "row" }, h("b", {}, `${move.move} ${t("loses {chance}", { chance: percent(move.loss) })}`), show, again));
  }

  function fillWhy(answer, move) {
    const side = t(review.sides[move.side]);
    const row = (name, { line, wins }) => h("p", {}, h("b", {}, name), " ", lineButtons(line, (steps) => parts.playLine(steps), (steps) => parts.preview(steps)),
      wins === null ? "" : h("span", { class: "small faint" }, ` ${t("win probability of {side}: {chance}", { side, chance: percent(wins, 0) })}`));
    const rolls = answer.played.rolls.length ? h("table", { class: "small" }, h("caption", {}, t("After {move}, by roll of the other side", { move: move.move })),
      h("tbody", {}, ...answer.played.rolls.map((roll) => h("tr", {}, h("td", {}, String(roll.die ?? roll.roll)), h("td", {}, roll.best ?? ""), h("td", { class: "number" }, percent(roll.value === null ? null : 1 - winProbability(roll.value), 0)))))) : null;
    parts.why.append(row(t("Better:"), answer.best), row(t("Refutation:"), answer.played), ...(rolls ? [rolls] : []));
  }

  // A move of the user who tries to find a better one; true if it was judged.
  function attempt(move) {
    if (trying === null || trying !== ply) return false;
    const { best, loss } = review.moves[ply];
    const found = move === best;
    parts.said.textContent = found ? t("Yes, {move} is the best move.", { move }) : t("{move} is not the best move: try again, or ask for an explanation.", { move });
    announce(parts.said.textContent);
    if (found) trying = null;
    return loss >= 0;
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
    return h("li", { role: "option", tabindex: index === 0 ? "0" : "-1", onclick: () => go(index), onkeydown: (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); go(index); } } }, h("span", { class: "faint number" }, `${index + 1}.`), swatch(review.colours[move.side]),
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
