// A game on this server: one user against a player, or two users at one board.

import { Board, pieceTexts, showNotes, stateText } from "./board.js";
import { games, showRules } from "./catalogue.js";
import { LONG_MOVE, rollText, showDice } from "./dice.js";
import { announce, copyButton, h, notFound, percent, positionLink, swatch, winProbability } from "./dom.js";
import { request, subscribe, requestOrNotify, onReconnect } from "./socket.js";
import { playSound } from "./sound.js";
import { remember, remembered } from "./theme.js";
import { fromServer, t } from "./words.js";

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
  const moves = h("div", { class: "moves", role: "group", "aria-label": t("moves_title") });
  const plies = h("ol", { class: "plies", role: "listbox", "aria-label": t("the_game_so_far") });
  let past = null; // the number of plies before the earlier position on the board; null: the current one is shown
  const advice = h("div", { class: "small advice" });
  const note = h("div", { class: "small warm advice sentence", role: "status" });
  const button = (name, text, action, kind = "") => h("button", { "data-do": name, class: kind, onclick: action }, t(text));
  const buttons = {
    present: button("present", "return_to_the_game", () => look(state.plies.length), "main"),
    begin: button("begin", "begin", () => act("begin"), "main"),
    again: button("again", "new_game", () => { location.hash = "#/play"; }),
    rematch: button("rematch", "rematch", () => act("rematch"), "main"),
    accept: button("accept", "accept", () => act(state.request.what === "back" ? "back" : "rematch"), "main"),
    refuse: button("refuse", "refuse", () => act("refuse")),
    review: button("review", "review_this_game", () => { location.hash = `#/analyse/table/${table}`; }),
    back: button("back", "take_back", () => act("back")),
    hint: button("hint", "hint", hint),
    hurry: button("hurry", "move_now", () => act("hurry")),
    resign: button("resign", "resign", resign),
    turn: button("turn", "turn_the_board", () => { turned = !turned; remember(`turned/${table}`, String(turned)); join(); }),
    rules: button("rules", "rules", async () => showRules((await games()).find((game) => game.name === state.game))),
    save: button("save", "save_the_game", save),
    link: copyButton(t("copy_the_link"), () => location.href),
  };
  for (const later of [buttons.present, buttons.begin, buttons.hurry, buttons.resign, buttons.review, buttons.again, buttons.rematch, buttons.accept, buttons.refuse]) later.hidden = true;
  const record = h("div", { class: "sheet", hidden: true }, plies);
  const facts = h("div", { class: "small faint facts" });
  const position = h("a", { class: "small faint position", title: t("analyse_this_position") });
  const heading = h("h1", { class: "unseen" });
  const whole = h("div", { class: "columns table" }, heading, h("div", { class: "stack" }, holder, facts),
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
      if (state === null) place.replaceChildren(notFound(error.message, "#/play", t("new_game")));
    }
  };
  // Until the server answers, the view has a heading only.
  place.append(h("h1", { class: "unseen" }, t("a_game")));
  subscribe("table", (message) => { if (message.table === table) receive(message); });
  const forget = onReconnect(join);
  join();
  const ticking = setInterval(tick, 200);
  const keys = (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step || !state?.plies.length || event.target.closest?.("input, select, svg.board") || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    look((past ?? state.plies.length) + step);
  };
  document.addEventListener("keydown", keys);

  function receive(message) {
    if (message.rematch && state && !state.rematch) location.hash = `#/play/${message.rematch}`;
    const news = state === null || state.ply !== message.ply || state.placing !== message.placing || (state.over === null) !== (message.over === null);
    if (state === null) place.replaceChildren(whole);
    else if (news) sound(message);
    heading.textContent = fromServer(message.title);
    state = { ...message, received: performance.now() };
    board.onSquare = state.placing && state.placement ? placeSquare : null;
    if (news) advice.textContent = "";
    if (news) past = null;
    if (past === null) board.show(state);
    else look(past);
    showDice(dice, state, news);
    showNotes(facts, state);
    seatRows();
    const persons = [0, 1].map((side) => state.yours.includes(side));
    status.textContent = statusText(persons);
    const [own] = state.yours.length === 1 ? state.yours : [null];
    status.dataset.result = !state.over ? "" : own === null || state.over.winner === null ? "over" : state.over.winner === own ? "won" : "lost";
    note.textContent = noteText();
    announce([news ? lastMove() : "", status.textContent, state.die === null || state.over ? "" : `${state.rolls || state.coming.length ? t("die") : ""} ${state.die}`].join(" "));
    moves.replaceChildren(...state.moves.map((move) => h("button", { onclick: () => act("move", { ply: state.ply, move: move.text }) }, move.text)));
    plies.replaceChildren(...state.plies.map(plyRow));
    const player = state.yours.length > 0;
    plies.classList.toggle("long", state.plies.some((ply) => ply.move.length > LONG_MOVE));
    plies.classList.toggle("rolled", state.plies.some((ply) => ply.roll));
    markPly();
    if (past === null) plies.scrollTop = plies.scrollHeight;
    record.hidden = !state.plies.length;
    const playing = !state.placing && !state.over;
    buttons.begin.hidden = !player || !state.placing || state.thinking;
    buttons.back.disabled = state.placing || !state.plies.length;
    buttons.hint.disabled = !state.moves.length;
    buttons.hint.hidden = !playing || !player;
    buttons.back.hidden = !player;
    buttons.hurry.hidden = !player || !state.thinking || state.placing;
    buttons.resign.hidden = !playing || !player;
    buttons.resign.textContent = t("resign");
    buttons.save.disabled = state.placing;
    buttons.review.hidden = state.placing || !state.plies.length;
    // After the game, the buttons for the next step come first.
    buttons.rematch.style.order = "-3";
    buttons.review.style.order = playing ? "1" : "-2";
    buttons.again.style.order = "-1";
    buttons.again.hidden = playing || state.placing;
    buttons.rematch.hidden = playing || state.placing || !player;
    const asked = player && state.request !== null && !state.yours.includes(state.request.side);
    buttons.accept.hidden = buttons.refuse.hidden = !asked;
    const inviting = Boolean(state.open) && player;
    buttons.link.classList.toggle("main", inviting);
    buttons.link.style.order = inviting ? "-1" : "";
    holder.classList.toggle("finished", state.over !== null);
    position.textContent = state.position;
    position.href = positionLink(state.game, state.position);
  }

  // Show the position after a number of plies; after all of them the game goes on.
  async function look(number) {
    const wanted = Math.min(state.plies.length, Math.max(0, number));
    past = wanted === state.plies.length ? null : wanted;
    markPly();
    if (past === null) {
      board.show(state, { animate: false });
      return;
    }
    const answer = await requestOrNotify("step", { key: `table/${table}`, ply: wanted, best: null, turned: turned ?? false });
    if (answer && past === wanted) board.show({ ...answer.shown, moves: [] }, { animate: false });
  }

  function markPly() {
    const now = (past ?? state.plies.length) - 1;
    const focused = plies.contains(document.activeElement);
    [...plies.children].forEach((row, index) => {
      row.setAttribute("aria-current", String(past !== null && index === now));
      row.setAttribute("aria-selected", String(index === now));
      row.tabIndex = index === Math.max(0, now) ? 0 : -1;
      if (focused && row.tabIndex === 0) row.focus();
    });
    buttons.present.hidden = past === null;
  }

  function sound(message) {
    const pieces = (shown) => shown.svg.match(/class="piece/g)?.length ?? 0;
    if (message.over) playSound("end");
    else if (message.ply > state.ply) playSound(pieces(message) < pieces(state) ? "capture" : "move");
    if (!message.over && message.rolls && message.die !== null) setTimeout(() => playSound("roll"), 150);
  }

  function statusText(persons) {
    if (state.failure) return `${t("the_opponent_failed")}: ${state.failure}`;
    if (state.placing && state.thinking) return t("loading_the_opponent");
    if (state.placing) return state.placement ? t("exchange_pieces") : t("ready");
    const decided = state.yours.length === 1 && state.over !== null && state.over.winner !== null;
    const said = stateText(state, state.plies.length, decided ? t(persons[state.over.winner] ? "you_win" : "you_lose") : null);
    if (state.open) return t("send_the_link_to_your_opponent");
    if (state.yours.length !== 1) return state.yours.length ? said : `${said} – ${t("you_are_watching")}`;
    if (state.over) return said;
    return persons[state.mover] ? `${said} – ${t("your_turn")}` : `${said} – ${t("thinking")}`;
  }

  // Information for the user besides whose turn it is.
  function noteText() {
    if (state.request) {
      const own = state.yours.includes(state.request.side);
      const what = state.request.what === "back" ? t("take_a_move_back") : t("play_again");
      return own ? t("waiting_for_the_answer_of_the_other") : t("side_wants_to_what", { side: fromServer(state.sides[state.request.side]), what });
    }
    const last = state.plies.at(-1);
    if (last?.passed) return t("side_had_no_move_and_passed", { side: fromServer(state.sides[last.side]) });
    if (state.loading && !state.over) return t("engine_prepared");
    return "";
  }

  function lastMove() {
    const ply = state.plies.at(-1);
    return ply ? `${fromServer(state.sides[ply.side])} ${ply.move}.` : "";
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
      const named = state.opponent?.startsWith("level ") ? t("level_n", { n: state.opponent.slice(6) }) : state.opponent;
      const who = state.opponent === null ? state.yours.length === 1 && state.yours[0] === side ? t("side_you", { side: fromServer(state.sides[side]) }) : fromServer(state.sides[side]) : side === state.side ? t("you") : named;
      const value = side !== state.side && state.opponent !== null ? state.plies.filter((ply) => ply.side === side).at(-1)?.value : null;
      const pieces = state.pieces ? h("b", {}, String(state.pieces[side])) : null;
      return h("div", { class: `seat${state.running === side ? " turn" : ""}` }, swatch(state.colours[side]),
        h("span", { class: "who" }, who, " ", h("span", { class: "small faint" }, value === null || value === undefined ? "" : t("expects_to_win_with_chance", { chance: percent(winProbability(value), 0) }))),
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
    return h("li", { role: "option", onclick: () => look(index + 1), title: ply.value === null ? "" : t("win_probability_of_side_chance", { side: fromServer(state.sides[ply.side]), chance: value }) }, h("span", { class: "faint number" }, `${index + 1}.`), swatch(state.colours[ply.side]),
      h("span", { class: "roll" }, rollText(ply.roll)),
      ply.revealed ? h("span", {}, h("b", {}, ply.move), " ", ...pieceTexts(ply.revealed)) : h("b", {}, ply.move),
      h("span", { class: "faint small number" }, value), h("span", { class: "faint small number" }, ply.seconds > 0.005 ? `${ply.seconds.toFixed(2)} s` : ""));
  }

  async function hint() {
    advice.textContent = t("thinking");
    const answer = await requestOrNotify("hint", { table, turned: turned ?? false });
    if (!answer || answer.ply !== state.ply) {
      advice.textContent = "";
      return;
    }
    const chance = answer.wins === null ? [] : [t("win_probability_of_side_chance", { side: fromServer(state.sides[state.mover]), chance: percent(answer.wins, 0) })];
    advice.textContent = t("colon", { head: t("hint"), rest: [answer.move, ...chance].join(t("comma")) });
    announce(advice.textContent);
    board.show({ ...state, svg: answer.svg }, { animate: false });
  }

  // The first click asks for confirmation, the second resigns.
  function resign() {
    if (buttons.resign.textContent === t("resign")) buttons.resign.textContent = t("confirm_resignation");
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
    document.removeEventListener("keydown", keys);
    forget();
    request("leave", { table }).catch(() => {});
  };
}
