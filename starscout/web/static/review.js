// The review of a game: win probabilities ply by ply, luck, explained mistakes and variations.

import { endText } from "./board.js";
import { games, playerName } from "./catalogue.js";
import { curve } from "./chart.js";
import { LONG_MOVE, rollText } from "./dice.js";
import { lineButtons } from "./engine.js";
import { announce, h, notFound, percent, positionLink, showNotice, swatch, winProbability } from "./dom.js";
import { shareButtons } from "./share.js";
import { request, requestOrNotify, subscribe } from "./socket.js";
import { study } from "./study.js";
import { MoveTree } from "./tree.js";
import { fromServer, t } from "./words.js";

export function showReview(place, key, wanted) {
  const heading = h("h1", {}, t("a_game"));
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
  const loading = h("div", { class: "stack" }, h("h1", {}, t("a_game")), h("p", { class: "faint", role: "status" }, t("reviewing_the_game")));
  place.append(loading);
  Promise.all([request("review", { key }), games()]).then(([answer, all]) => { if (!gone) build(answer, all); }).catch((error) => { if (!gone) loading.replaceWith(notFound(error.message, "#/analyse", t("analyse_a_game_or_a_position"))); });

  subscribe("review", (message) => { if (message.key === key && !gone && parts) judged(message); });

  // Update the view with the losses judged by a player.
  function judged(message) {
    review = { ...message, names: review.names };
    const now = curve(review, go);
    chart.picture.replaceWith(now.picture);
    chart = now;
    const facts = summary();
    parts.summary.replaceWith(facts);
    parts.summary = facts;
    parts.list.replaceChildren(...review.moves.map((move, index) => plyRow(move, index)));
    go(ply);
  }

  function build(answer, all) {
    const game = key.startsWith("match/") ? null : all.find((one) => one.name === answer.game);
    review = { ...answer, names: answer.players.map((name, side) => playerName(name, game, side, answer.yours)) };
    loading.remove();
    heading.textContent = review.names.join(" – ");
    const studied = study(place, review.game, heading, true);
    parts = studied.parts;
    parts.plies = review.moves.length;
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
    const list = h("ol", { role: "listbox", class: `plies pick${review.dice ? " rolled" : ""}${review.moves.some((move) => move.move.length > LONG_MOVE) ? " long" : ""}`, "aria-label": t("the_game_so_far") }, ...review.moves.map((move, index) => plyRow(move, index)));
    const buttons = h("div", { class: "row" }, ...[["|◀", 0], ["◀", -1], ["▶", 1], ["▶|", null]].map(([sign, move], index) => h("button", { "aria-label": t(["first_ply", "back_one_ply", "forward_one_ply", "last_ply"][index]), "data-do": ["first", "previous", "next", "last"][index], onclick: () => go(move === 0 ? 0 : move === null ? review.moves.length : ply + move) }, sign)),
      h("button", { "data-do": "open-position", onclick: () => openPosition(null) }, t("analyse_this_position")));
    parts.list = list;
    parts.said = h("p", { class: "small said" });
    parts.why = h("div", { class: "sheet stack why", hidden: true, "aria-live": "polite" });
    const back = h("button", { "data-do": "return", onclick: () => parts.tree.select(parts.tree.mainNode) }, t("return_to_the_game"));
    const remove = h("button", { "data-do": "delete-branch", onclick: () => parts.tree.remove() }, t("delete_the_branch"));
    parts.variations = h("div", { class: "sheet stack", hidden: true }, h("h2", {}, t("variations")), parts.tree.element, parts.tree.comment, h("div", { class: "row" }, back, remove));
    parts.summary = summary();
    parts.below.replaceChildren(buttons, h("div", { class: "row now" }, parts.dice, h("div", {}, parts.status, parts.said)));
    const first = { side: fromServer(review.sides[0]) };
    const chances = t("win_probability_of_side_at_every_ply", first);
    const charted = review.dice ? t("semicolon", { head: chances, rest: t("luck_bars_of_side", first) }) : chances;
    const reference = h("p", { class: "small faint reference" }, charted);
    parts.side.append(parts.summary, reference, chart.picture, parts.why, parts.variations, h("div", { class: "sheet" }, list));
    parts.tools.after(parts.exact, parts.engines);
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
    parts.said.textContent = t("a_variation_the_game_went_on_differently");
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
    } }, t("explain"));
    const again = h("button", { "data-do": "try", onclick: () => {
      trying = mine;
      parts.said.textContent = t("find_a_better_move_for_side", { side: fromServer(review.sides[move.side]) });
      request("step", { key, ply: mine, best: null, turned: parts.turned }).then((answer) => parts.board.show({ ...answer.shown, svg: answer.shown.svg.replace(/<g class="arrow".*?<\/g>/g, "") }, { animate: false })).catch(() => {});
    } }, t("try_again"));
    parts.why.replaceChildren(h("div", { class: "row" }, h("b", {}, `${move.move} ${t("loses_chance", { chance: percent(move.loss) })}`), show, again));
  }

  function fillWhy(answer, move) {
    const side = fromServer(review.sides[move.side]);
    const row = (name, { line, wins }) => h("p", {}, h("b", {}, name), " ", lineButtons(line, (steps) => parts.playLine(steps), (steps) => parts.preview(steps)),
      wins === null ? "" : h("span", { class: "small faint" }, ` ${t("win_probability_of_side_chance", { side, chance: percent(wins, 0) })}`));
    const rolls = answer.played.rolls.length ? h("table", { class: "small" }, h("caption", {}, t("after_move_by_roll_of_the_other", { move: move.move, side })),
      h("tbody", {}, ...answer.played.rolls.map((roll) => h("tr", {}, h("td", { class: "roll" }, rollText(roll.die ?? roll.roll)), h("td", {}, reply(move, roll)), h("td", { class: "number" }, percent(roll.value === null ? null : 1 - winProbability(roll.value), 0)))))) : null;
    parts.why.append(row(t("better"), answer.best), row(t("refutation"), answer.played), ...(rolls ? [rolls] : []));
  }

  // The best reply after a roll, as a button that plays the mistake, the roll and the reply.
  function reply(move, { die, roll, best }) {
    if (!best) return "";
    const steps = [move.move, String(die ?? roll), best];
    return h("button", { type: "button", class: "tree-move", onclick: () => parts.playLine(steps), onmouseenter: () => parts.preview(steps), onmouseleave: () => parts.preview(null), onfocus: () => parts.preview(steps), onblur: () => parts.preview(null) }, best);
  }

  // A move of the user who tries to find a better one; true if it was judged.
  function attempt(move) {
    if (trying === null || trying !== ply) return false;
    const { best, loss } = review.moves[ply];
    const found = move === best;
    parts.said.textContent = found ? t("yes_move_is_the_best_move", { move }) : t("not_the_best_move", { move });
    announce(parts.said.textContent);
    if (found) trying = null;
    return loss >= 0;
  }

  function saidAbout(move) {
    const words = [`${fromServer(review.sides[move.side])} ${move.move}`];
    if (move.lucky) words.push(fromServer(move.lucky));
    if (review.dice) words.push(`${t("luck")} ${signed(move.luck)}`);
    const lost = t("loses_chance_move_is_better", { chance: percent(move.loss), move: move.best });
    if (move.loss > 0.0005) words.push(move.mistake ? t("colon", { head: fromServer(move.mistake), rest: lost }) : lost);
    else words.push(t("the_best_move"));
    const exact = review.exact?.[ply];
    if (exact !== null && exact !== undefined) words.push(t("colon", { head: t("exact_value"), rest: discs(exact) }));
    if (discsLost(ply)) words.push(t("loses_n_discs", { n: discsLost(ply) }));
    return words.join(" · ");
  }

  // The exact score from a ply on, in discs.
  function discs(difference) {
    return difference === 0 ? t("a_draw") : t("side_wins_by_n_discs", { side: fromServer(review.sides[difference > 0 ? 0 : 1]), n: Math.abs(difference) });
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
      h("span", { class: "roll" }, rollText(move.roll)), h("b", {}, `${move.move}${mark}`),
      h("span", { class: "small marks" }, discsLost(index) ? h("span", { class: "bad" }, `−${t("n_discs", { n: discsLost(index) })} `) : "",
        move.loss > 0.0005 ? h("span", { class: move.mistake ? "bad" : "faint" }, `−${percent(move.loss)} `) : "",
        move.lucky ? h("span", { class: move.luck > 0 ? "good" : "warm" }, fromServer(move.lucky)) : ""));
  }

  function summary() {
    const rows = review.totals.map((side, number) => h("tr", {}, h("td", {}, h("span", { class: "player" }, swatch(review.colours[number]), h("span", { class: "name", title: review.players[number] }, review.names[number]))),
      review.dice ? h("td", { class: `number ${side.luck >= 0 ? "good" : "bad"}` }, signed(side.luck)) : null,
      h("td", { class: "number" }, `−${percent(side.loss)}`), h("td", { class: "number" }, `−${percent(side.loss_per_move, 2)}`),
      h("td", { class: "number" }, ["doubtful", "bad", "very bad"].map((name) => side.mistakes[name]).join(" / "))));
    return h("div", { class: "sheet", "data-part": "summary" }, h("div", { class: "lead" }, ending()), review.detail ? h("p", { class: "small" }, review.detail) : null,
      h("div", { class: "scroll" }, h("table", {}, h("thead", {}, h("tr", {}, ...["", ...(review.dice ? ["luck"] : []), "loss_by_mistakes", "per_move", "mistake_marks"].map((name) => (name ? h("th", { class: "number" }, t(name)) : h("td", {}))))), h("tbody", {}, ...rows))),
      h("p", { class: "small sentence" }, verdict(), solvedFrom()), h("p", { class: "small faint sentence" }, measured()), shareButtons(review, key, ending));
  }

  function ending() {
    return endText({ winner: review.winner, reason: review.reason }, review.sides, review.moves.length);
  }

  // Who measured luck and losses; without chance there is no luck.
  function measured() {
    if (!review.judge) return t("semicolon", { head: t("losses_by_judge", { judge: review.meter }), rest: t("deeper_analysis_in_progress") });
    return review.dice ? t("luck_by_meter_losses_by_judge", { meter: review.meter, judge: review.judge }) : t("losses_by_judge", { judge: review.judge });
  }

  // In games with a score: the first ply with an exact score.
  function solvedFrom() {
    const first = review.exact?.findIndex((value) => value !== null) ?? -1;
    return first < 0 ? "" : ` ${t("solved_from_ply_n_result", { n: first + 1, result: discs(review.exact[first]) })}`;
  }

  // The balance of luck and skill.
  function verdict() {
    const [first, second] = review.totals;
    const luck = first.luck - second.luck;
    const skill = second.loss - first.loss;
    const who = (number) => fromServer(review.sides[number > 0 ? 0 : 1]);
    const skilled = t("side_gained_chance_through_better_moves", { side: who(skill), chance: percent(Math.abs(skill)) });
    return t("full_stop", { sentence: review.dice ? t("semicolon", { head: t("side_was_luckier_by_chance", { side: who(luck), chance: percent(Math.abs(luck)) }), rest: skilled }) : skilled });
  }

  return () => {
    gone = true;
    document.removeEventListener("keydown", keys);
    parts?.close();
  };
}

const signed = (chance) => `${chance >= 0 ? "+" : "−"}${percent(Math.abs(chance))}`;
