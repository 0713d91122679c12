// Play: choose a game and an opponent, then the table.

import { Board, sentence } from "./board.js";
import { showDice } from "./dice.js";
import { announce, h, notice, percent } from "./dom.js";
import { rules } from "./rules.js";
import { ask, follow, tell, whenBack } from "./socket.js";
import { t } from "./words.js";

let catalogue = null;

export async function games() {
  catalogue ??= (await ask("catalogue")).games;
  return catalogue;
}

export function show(place, [table]) {
  return table ? showTable(place, table) : showSetup(place);
}

export function showRules(game) {
  const dialog = h("dialog", { "aria-label": t("Rules") },
    h("h1", {}, game.title), h("p", { class: "faint" }, game.description),
    ...rules(game).map((line) => h("p", {}, line)),
    h("button", { class: "main", onclick: () => dialog.close() }, t("Close")));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

// Choosing a game.

function showSetup(place) {
  const sheet = h("div", { class: "stack" });
  place.append(h("h1", {}, t("Play a game")), sheet);
  let gone = false;
  games().then((all) => { if (!gone) fill(all); }).catch((error) => notice(error.message));

  function fill(all) {
    const known = all.find((game) => game.name === localStorage.getItem("game")) ?? all[0];
    const grid = h("div", { class: "games", role: "group", "aria-label": t("Game") });
    const form = h("div", {});
    sheet.append(grid, form);
    const choose = (game) => {
      localStorage.setItem("game", game.name);
      for (const button of grid.children) button.setAttribute("aria-pressed", String(button.dataset.game === game.name));
      form.replaceChildren(setupForm(game));
    };
    for (const game of all) {
      grid.append(h("button", { "data-game": game.name, onclick: () => choose(game) },
        h("b", {}, game.title), h("span", { class: "small faint" }, game.description)));
    }
    choose(known);
  }
  return () => { gone = true; };
}

export function playerOptions(game, { people = false, local = false } = {}) {
  const options = game.players.filter((player) => !local || player.local)
    .map((player) => h("option", { value: player.name, selected: player.name === game.default, title: player.description }, player.name));
  if (people) options.push(h("option", { value: "" }, t("two people at this board")));
  return options;
}

export function levelFields() {
  const amount = h("input", { type: "number", min: "0.05", max: "60", step: "any", value: "1", "aria-label": t("How much") });
  const kind = h("select", { "aria-label": t("Level by"), onchange: () => {
    const presets = { time: ["0.05", "60", "1"], simulations: ["1", "1000000", "2000"], depth: ["1", "20", "4"] };
    [amount.min, amount.max, amount.value] = presets[kind.value];
  } },
    h("option", { value: "time" }, t("seconds per move")),
    h("option", { value: "simulations" }, t("simulations")),
    h("option", { value: "depth" }, t("plies deep")));
  const read = () => ({ [kind.value]: kind.value === "time" ? Number(amount.value) : Math.round(Number(amount.value)) });
  return { amount, kind, read };
}

function setupForm(game) {
  const opponent = h("select", { id: "opponent" }, ...playerOptions(game, { people: true }));
  const said = h("span", { class: "small faint" });
  const describe = () => { said.textContent = game.players.find((player) => player.name === opponent.value)?.description ?? ""; };
  opponent.addEventListener("change", describe);
  describe();
  const side = h("select", { id: "side" }, ...game.sides.map((name, number) => h("option", { value: String(number) }, t(name))),
    h("option", { value: "any" }, t("either")));
  const first = h("select", { id: "first" }, ...game.sides.map((name, number) => h("option", { value: String(number) }, t(name))));
  const level = levelFields();
  const clock = h("select", { id: "clock" },
    h("option", { value: "" }, t("none")), ...[1, 3, 5, 10, 30].map((minutes) => h("option", { value: String(60 * minutes) }, t("{n} min per side", { n: minutes }))));
  const placement = h("input", { type: "checkbox", id: "placement" });
  const begin = h("button", { class: "main", id: "begin", onclick: async () => {
    begin.disabled = true;
    const number = side.value === "any" ? Math.floor(Math.random() * 2) : Number(side.value);
    const answer = await tell("new", {
      game: game.name, opponent: opponent.value || null, side: number, ...level.read(), place: placement.checked,
      clock: clock.value ? Number(clock.value) : null, first: game.either_first ? Number(first.value) : null,
    });
    begin.disabled = false;
    if (answer) location.hash = `#/play/${answer.table}`;
  } }, t("Begin"));
  return h("div", { class: "sheet stack" },
    h("div", { class: "row" }, h("h2", {}, game.title), h("button", { class: "small", onclick: () => showRules(game) }, t("Rules"))),
    h("div", { class: "form" },
      h("label", { for: "opponent" }, t("Opponent")), h("div", { class: "row" }, opponent, said),
      h("label", {}, t("Level")), h("div", { class: "row" }, level.amount, level.kind),
      h("label", { for: "side" }, t("You are")), side,
      ...(game.either_first ? [h("label", { for: "first" }, t("First to move")), first] : []),
      h("label", { for: "clock" }, t("Clock")), clock,
      ...(game.placement ? [h("label", { for: "placement" }, t("Placement")), h("label", { for: "placement" }, placement, t("I choose where my numbers go"))] : [])),
    h("div", {}, begin));
}

// The table.

function showTable(place, table) {
  let state = null;
  let turned = false;
  let placingFrom = null;
  const holder = h("div", { class: "board-holder" });
  const board = new Board(holder, { onMove: (move) => act("move", { ply: state.ply, move }) });
  const dice = h("div", { class: "dice" });
  const status = h("div", { class: "status", role: "status" });
  const seats = h("div", { class: "seats" });
  const moves = h("div", { class: "moves", role: "group", "aria-label": t("Moves") });
  const plies = h("ol", { class: "plies" });
  const advice = h("div", { class: "small" });
  const button = (name, text, action) => h("button", { "data-do": name, onclick: action }, t(text));
  const buttons = {
    begin: button("begin", "Begin", () => act("begin")),
    back: button("back", "Take back", () => act("back")),
    hint: button("hint", "Hint", hint),
    hurry: button("hurry", "Move now", () => act("hurry")),
    resign: button("resign", "Resign", () => act("resign")),
    turn: button("turn", "Turn the board", () => { turned = !turned; join(); }),
    rules: button("rules", "Rules", async () => showRules((await games()).find((game) => game.name === state.game))),
    save: button("save", "Save the game", save),
    review: button("review", "Understand this game", () => { location.hash = `#/analyse/table/${table}`; }),
    again: button("again", "New game", () => { location.hash = "#/play"; }),
  };
  for (const later of [buttons.begin, buttons.hurry, buttons.resign, buttons.review, buttons.again]) later.hidden = true;
  const last = h("p", { class: "small faint" });
  place.append(h("div", { class: "columns" }, h("div", {}, holder),
    h("div", { class: "stack" }, status, seats, dice, moves, h("div", { class: "row" }, ...Object.values(buttons)), advice,
      h("div", { class: "sheet" }, plies), last)));

  const act = (name, fields = {}) => tell(name, { table, ...fields });
  const join = async () => {
    const answer = await tell("join", { table, turned });
    if (!answer) return;
    receive(answer.shown);
  };
  follow("table", (message) => { if (message.table === table) receive(message); });
  const forget = whenBack(join);
  join();
  const ticking = setInterval(tick, 200);

  function receive(message) {
    const news = state === null || state.ply !== message.ply || state.placing !== message.placing;
    state = { ...message, received: performance.now() };
    board.onSquare = state.placing && state.placement ? placeSquare : null;
    if (news) advice.textContent = "";
    board.show(state);
    showDice(dice, state, news);
    seatRows();
    const persons = state.opponent === null ? [true, true] : [state.side === 0, state.side === 1];
    status.textContent = statusText(persons);
    announce(news ? `${lastMove()} ${status.textContent}` : status.textContent);
    moves.replaceChildren(...state.moves.map((move) => h("button", { onclick: () => act("move", { ply: state.ply, move: move.text }) }, move.text)));
    plies.replaceChildren(...state.plies.map(plyRow));
    plies.scrollTop = plies.scrollHeight;
    const playing = !state.placing && !state.over;
    buttons.begin.hidden = !state.placing || state.thinking;
    buttons.back.disabled = state.placing || !state.plies.length;
    buttons.hint.disabled = !state.moves.length;
    buttons.hurry.hidden = !state.thinking || state.placing;
    buttons.resign.hidden = !playing;
    buttons.save.disabled = state.placing;
    buttons.review.hidden = state.placing || !state.plies.length;
    buttons.again.hidden = playing || state.placing;
    last.textContent = state.position;
  }

  function statusText(persons) {
    if (state.failure) return `${t("The opponent cannot go on")}: ${state.failure}`;
    if (state.placing && state.thinking) return t("The opponent is getting ready …");
    if (state.placing) return state.placement ? t("Exchange your numbers: click two of your cubes, then begin.") : t("Ready?");
    const said = sentence(state);
    if (state.over || state.opponent === null) return said;
    return persons[state.mover] ? `${said} – ${t("your turn")}` : `${said} – ${t("thinking …")}`;
  }

  function lastMove() {
    const ply = state.plies.at(-1);
    return ply ? `${t(state.sides[ply.side])} ${ply.move}.` : "";
  }

  function placeSquare(square) {
    if (placingFrom === null) {
      placingFrom = square;
      board.choose(square);
    } else {
      act("place", { first: placingFrom, second: square });
      placingFrom = null;
      board.choose(null);
    }
  }

  function seatRows() {
    const row = (side) => {
      const who = state.opponent === null ? t(state.sides[side]) : side === state.side ? t("You") : state.opponent;
      const swatch = h("span", { class: "swatch" });
      swatch.style.background = state.colours[side];
      const value = side !== state.side && state.opponent !== null ? state.plies.filter((ply) => ply.side === side).at(-1)?.value : null;
      const pieces = state.sides[0] === "black" ? h("b", {}, String(state.pieces[side])) : null;
      return h("div", { class: `seat${state.running === side ? " turn" : ""}` }, swatch,
        h("span", { class: "who" }, who, " ", h("span", { class: "small faint" }, value === null || value === undefined ? "" : t("expects to win {chance}", { chance: percent((value + 1) / 2, 0) }))),
        pieces, state.clocks ? h("span", { class: "clock", "data-clock": String(side) }, "") : null);
    };
    seats.replaceChildren(row(0), row(1));
    tick();
  }

  function tick() {
    if (!state?.clocks) return;
    for (const place of seats.querySelectorAll("[data-clock]")) {
      const side = Number(place.dataset.clock);
      const used = state.running === side ? (performance.now() - state.received) / 1000 : 0;
      const left = Math.max(0, state.clocks[side] - used);
      place.textContent = `${Math.floor(left / 60)}:${String(Math.floor(left % 60)).padStart(2, "0")}`;
    }
  }

  function plyRow(ply, index) {
    const swatch = h("span", { class: "swatch" });
    swatch.style.background = state.colours[ply.side];
    const value = ply.value === null ? "" : percent((ply.value + 1) / 2, 0);
    return h("li", {}, h("span", { class: "faint number" }, `${index + 1}.`), swatch,
      h("span", { class: "faint" }, ply.roll ? `⚀⚁⚂⚃⚄⚅`[ply.roll - 1] ?? String(ply.roll) : ""), h("b", {}, ply.move),
      h("span", { class: "faint small" }, value, ply.seconds > 0.005 ? `  ${ply.seconds.toFixed(2)} s` : ""));
  }

  async function hint() {
    advice.textContent = t("thinking …");
    const answer = await tell("hint", { table, turned });
    if (!answer || answer.ply !== state.ply) {
      advice.textContent = "";
      return;
    }
    advice.textContent = `${t("Hint")}: ${answer.move}${answer.wins === null ? "" : `, ${t("which wins {chance}", { chance: percent(answer.wins, 0) })}`}`;
    announce(advice.textContent);
    board.show({ ...state, svg: answer.svg }, { animate: false });
  }

  async function save() {
    const answer = await tell("save", { table });
    if (!answer) return;
    const link = h("a", { href: URL.createObjectURL(new Blob([answer.record], { type: "application/json" })), download: `${state.game}.json` });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  return () => {
    clearInterval(ticking);
    forget();
    ask("leave", { table }).catch(() => {});
  };
}
