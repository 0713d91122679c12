// A game on this server: one user against a player, or two users at one board.

import { Board, stateText } from "./board.js";
import { games, showRules } from "./catalogue.js";
import { showDice } from "./dice.js";
import { announce, copyButton, h, notFound, percent, positionLink, swatch, winProbability } from "./dom.js";
import { request, subscribe, requestOrNotify, onReconnect } from "./socket.js";
import { remember, remembered } from "./theme.js";
import { t } from "./words.js";

export function showTable(place, table) {
  let state = null;
  let turned = remembered(`turned/${table}`);
  turned = turned === null ? null : turned === "true";
  let placingFrom = null;
  const holder = h("div", { class: "board-holder" });
  const board = new Board(holder, { onMove: (move) => act("move", { ply: state.ply, move }) });
  const dice = h("div", { class: "dice" });
  const status = h("div", { class: "status", role: "status" });
  const seats = h("div", { class: "seats" });
  const moves = h("div", { class: "moves", role: "group", "aria-label": t("Moves") });
  const plies = h("ol", { class: "plies", "aria-label": t("The game so far") });
  const advice = h("div", { class: "small advice" });
  const note = h("div", { class: "small warm advice", role: "status" });
  const button = (name, text, action, kind = "") => h("button", { "data-do": name, class: kind, onclick: action }, t(text));
  const buttons = {
    begin: button("begin", "Begin", () => act("begin"), "main"),
    again: button("again", "New game", () => { location.hash = "#/play"; }),
    rematch: button("rematch", "Rematch", () => act("rematch"), "main"),
    accept: button("accept", "Accept", () => act(state.request.what === "back" ? "back" : "rematch"), "main"),
    refuse: button("refuse", "Refuse", () => act("refuse")),
    review: button("review", "Review this game", () => { location.hash = `#/analyse/table/${table}`; }),
    back: button("back", "Take back", () => act("back")),
    hint: button("hint", "Hint", hint),
    hurry: button("hurry", "Move now", () => act("hurry")),
    resign: button("resign", "Resign", resign),
    turn: button("turn", "Turn the board", () => { turned = !turned; remember(`turned/${table}`, String(turned)); join(); }),
    rules: button("rules", "Rules", async () => showRules((await games()).find((game) => game.name === state.game))),
    save: button("save", "Save the game", save),
    link: copyButton(t("Copy the link"), () => location.href),
  };
  for (const later of [buttons.begin, buttons.hurry, buttons.resign, buttons.review, buttons.again, buttons.rematch, buttons.accept, buttons.refuse]) later.hidden = true;
  const record = h("div", { class: "sheet", hidden: true }, plies);
  const position = h("a", { class: "small faint position", title: t("Analyse this position") });
  const whole = h("div", { class: "columns table" }, h("div", { class: "stack" }, holder),
    h("div", { class: "stack" }, status, note, seats, dice, moves, advice, h("div", { class: "row" }, ...Object.values(buttons)), record, position));

  const act = (name, fields = {}) => requestOrNotify(name, { table, ...fields });
  const join = async () => {
    try {
      const { shown } = await request("join", { table, turned: turned ?? false });
      if (turned === null) {
        // The pieces of the user start at the bottom.
        const game = (await games()).find((one) => one.name === shown.game);
        turned = shown.yours.length === 1 && (game?.turned[shown.yours[0]] ?? false);
        if (turned) return join();
      }
      receive(shown);
    } catch (error) {
      if (state === null) place.replaceChildren(notFound(error.message, "#/play", t("New game")));
    }
  };
  subscribe("table", (message) => { if (message.table === table) receive(message); });
  const forget = onReconnect(join);
  join();
  const ticking = setInterval(tick, 200);

  function receive(message) {
    if (message.rematch && state && !state.rematch) location.hash = `#/play/${message.rematch}`;
    const news = state === null || state.ply !== message.ply || state.placing !== message.placing;
    if (state === null) place.replaceChildren(whole);
    state = { ...message, received: performance.now() };
    board.onSquare = state.placing && state.placement ? placeSquare : null;
    if (news) advice.textContent = "";
    board.show(state);
    showDice(dice, state, news);
    seatRows();
    const persons = [0, 1].map((side) => state.yours.includes(side));
    status.textContent = statusText(persons);
    note.textContent = noteText();
    announce([news ? lastMove() : "", status.textContent, state.die === null || state.over ? "" : `${state.rolls || state.coming.length ? t("die") : ""} ${state.die}`].join(" "));
    moves.replaceChildren(...state.moves.map((move) => h("button", { onclick: () => act("move", { ply: state.ply, move: move.text }) }, move.text)));
    plies.replaceChildren(...state.plies.map(plyRow));
    const player = state.yours.length > 0;
    plies.classList.toggle("rolled", state.plies.some((ply) => ply.roll));
    plies.scrollTop = plies.scrollHeight;
    record.hidden = !state.plies.length;
    const playing = !state.placing && !state.over;
    buttons.begin.hidden = !player || !state.placing || state.thinking;
    buttons.back.disabled = state.placing || !state.plies.length;
    buttons.hint.disabled = !state.moves.length;
    buttons.hint.hidden = !playing || !player;
    buttons.back.hidden = !player;
    buttons.hurry.hidden = !player || !state.thinking || state.placing;
    buttons.resign.hidden = !playing || !player;
    buttons.resign.textContent = t("Resign");
    buttons.save.disabled = state.placing;
    buttons.review.hidden = state.placing || !state.plies.length;
    // After the game, the review button comes first.
    buttons.review.style.order = playing ? "1" : "0";
    buttons.again.hidden = playing || state.placing;
    buttons.rematch.hidden = playing || state.placing || !player;
    const asked = player && state.request !== null && !state.yours.includes(state.request.side);
    buttons.accept.hidden = buttons.refuse.hidden = !asked;
    holder.classList.toggle("finished", state.over !== null);
    position.textContent = state.position;
    position.href = positionLink(state.game, state.position);
  }

  function statusText(persons) {
    if (state.failure) return `${t("The opponent failed")}: ${state.failure}`;
    if (state.placing && state.thinking) return t("Loading the opponent …");
    if (state.placing) return state.placement ? t("Click two of your pieces to exchange them, then begin.") : t("Ready?");
    const said = stateText(state);
    if (state.open) return t("Send the link to your opponent.");
    if (state.yours.length !== 1) return state.yours.length ? said : `${said} – ${t("you are watching")}`;
    if (state.over) return state.over.winner === null ? said : `${said} – ${t(persons[state.over.winner] ? "you win" : "you lose")}`;
    return persons[state.mover] ? `${said} – ${t("your turn")}` : `${said} – ${t("thinking …")}`;
  }

  // What the user should know besides whose turn it is.
  function noteText() {
    if (state.request) {
      const own = state.yours.includes(state.request.side);
      const what = state.request.what === "back" ? t("take a move back") : t("play again");
      return own ? t("Waiting for the answer of the other side …") : t("The other side wants to {what}.", { what });
    }
    const last = state.plies.at(-1);
    if (last?.passed) return t("{side} had no move and passed.", { side: t(state.sides[last.side]) });
    if (state.loading && !state.over) return t("The engine is being prepared; until then a quick search answers.");
    return "";
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
      const named = state.opponent?.startsWith("level ") ? t("Level {n}", { n: state.opponent.slice(6) }) : state.opponent;
      const who = state.opponent === null ? `${t(state.sides[side])}${state.yours.length === 1 && state.yours[0] === side ? ` (${t("You")})` : ""}` : side === state.side ? t("You") : named;
      const value = side !== state.side && state.opponent !== null ? state.plies.filter((ply) => ply.side === side).at(-1)?.value : null;
      const pieces = state.sides[0] === "black" ? h("b", {}, String(state.pieces[side])) : null;
      return h("div", { class: `seat${state.running === side ? " turn" : ""}` }, swatch(state.colours[side]),
        h("span", { class: "who" }, who, " ", h("span", { class: "small faint" }, value === null || value === undefined ? "" : t("expects to win with {chance}", { chance: percent(winProbability(value), 0) }))),
        pieces, state.clocks ? h("span", { class: "clock", "data-clock": String(side) }, "") : null);
    };
    seats.replaceChildren(row(0), row(1));
    tick();
  }

  function tick() {
    if (!state?.clocks) return;
    for (const clock of seats.querySelectorAll("[data-clock]")) {
      const side = Number(clock.dataset.clock);
      const used = state.running === side ? (performance.now() - state.received) / 1000 : 0;
      const left = Math.max(0, state.clocks[side] - used);
      clock.textContent = `${Math.floor(left / 60)}:${String(Math.floor(left % 60)).padStart(2, "0")}`;
      clock.classList.toggle("short", left < 15);
    }
  }

  function plyRow(ply, index) {
    const value = ply.value === null ? "" : percent(winProbability(ply.value), 0);
    return h("li", { title: ply.value === null ? "" : t("win probability of {side}: {chance}", { side: t(state.sides[ply.side]), chance: value }) }, h("span", { class: "faint number" }, `${index + 1}.`), swatch(state.colours[ply.side]),
      h("span", { class: "roll" }, ply.roll ? "⚀⚁⚂⚃⚄⚅"[ply.roll - 1] ?? String(ply.roll) : ""), h("b", {}, ply.move),
      h("span", { class: "faint small number" }, value), h("span", { class: "faint small number" }, ply.seconds > 0.005 ? `${ply.seconds.toFixed(2)} s` : ""));
  }

  async function hint() {
    advice.textContent = t("thinking …");
    const answer = await requestOrNotify("hint", { table, turned: turned ?? false });
    if (!answer || answer.ply !== state.ply) {
      advice.textContent = "";
      return;
    }
    advice.textContent = `${t("Hint")}: ${answer.move}${answer.wins === null ? "" : `, ${t("win probability of {side}: {chance}", { side: t(state.sides[state.mover]), chance: percent(answer.wins, 0) })}`}`;
    announce(advice.textContent);
    board.show({ ...state, svg: answer.svg }, { animate: false });
  }

  // The first click asks for confirmation, the second resigns.
  function resign() {
    if (buttons.resign.textContent === t("Resign")) buttons.resign.textContent = t("Confirm resignation");
    else act("resign");
  }

  async function save() {
    const answer = await requestOrNotify("save", { table });
    if (!answer) return;
    const link = h("a", { href: URL.createObjectURL(new Blob([answer.record], { type: "application/json" })), download: `${state.game}.json` });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  return () => {
    clearInterval(ticking);
    forget();
    request("leave", { table }).catch(() => {});
  };
}
