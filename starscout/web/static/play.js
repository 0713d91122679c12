// The Play tab: choose a game and an opponent.

import { INVITE, gameCards, games, levelFields, playerOptions, showRules } from "./catalogue.js";
import { h, showNotice } from "./dom.js";
import { requestOrNotify } from "./socket.js";
import { showTable } from "./table.js";
import { remember, remembered } from "./theme.js";
import { fromServer, t } from "./words.js";

export function show(place, [table]) {
  return table ? showTable(place, table) : showSetup(place);
}

function showSetup(place) {
  const sheet = h("div", { class: "stack" });
  place.append(h("h1", {}, t("play_a_game")), sheet);
  let gone = false;
  games().then((all) => { if (!gone) fill(all); }).catch((error) => showNotice(error.message));

  function fill(all) {
    const known = all.find((game) => game.name === remembered("game")) ?? all[0];
    const grid = h("div", { class: "games", role: "group", "aria-label": t("game_title") });
    const form = h("div", {});
    sheet.append(form, grid);
    const choose = (game) => {
      remember("game", game.name);
      for (const button of grid.children) button.setAttribute("aria-pressed", String(button.dataset.game === game.name));
      form.replaceChildren(setupForm(game));
    };
    grid.append(...gameCards(all, choose));
    choose(known);
  }
  return () => { gone = true; };
}

const SUGGESTED_LEVEL = 3;

function setupForm(game) {
  const level = h("input", { type: "range", id: "level", min: "1", max: String(game.levels.length), value: remembered("level") ?? String(SUGGESTED_LEVEL) });
  const said = h("output", { class: "level", for: "level" });
  const describe = () => {
    const one = game.levels[Number(level.value) - 1];
    said.replaceChildren(h("b", {}, t("level_n", { n: level.value })), ` – ${fromServer(one.description)} `, h("span", { class: "faint" }, rating(one)));
  };
  // The measured rating of a level, and whether it is rough; games of users have none.
  const rating = ({ elo, rough }) => {
    if (elo === null) return game.levels.some((one) => one.elo !== null) ? t("not_rated") : "";
    return t(rough ? "elo_from_few_games" : "elo_above_random_moves", { elo: `${elo < 0 ? "−" : elo > 0 ? "+" : ""}${Math.abs(elo)}` });
  };
  level.addEventListener("input", () => { remember("level", level.value); describe(); });
  describe();
  const play = h("button", { class: "main large", id: "play", onclick: () => start({ level: Number(level.value), side: Math.floor(Math.random() * 2) }, play) }, t("play"));
  return h("div", { class: "sheet stack" },
    h("div", { class: "row" }, h("h2", {}, fromServer(game.title)), h("button", { class: "quiet", "data-do": "rules", onclick: () => showRules(game) }, t("rules"))),
    h("div", { class: "row start" }, play, h("div", { class: "grow" }, h("label", { for: "level", class: "unseen" }, t("level")), level, said)),
    h("details", { class: "more", id: "more", ontoggle: (event) => { if (event.target.open && event.target.childElementCount === 1) event.target.append(expertForm(game)); } }, h("summary", {}, t("more"))));

  async function start(fields, button) {
    button.disabled = true;
    const answer = await requestOrNotify("new", { game: game.name, ...fields });
    button.disabled = false;
    if (answer) location.hash = `#/play/${answer.table}`;
  }

  // Opponents by name, limits, clocks, sides, placement, two users.
  function expertForm() {
    const opponent = h("select", { id: "opponent" }, ...playerOptions(game, { people: true }));
    const about = h("span", { class: "small faint" });
    const limit = levelFields();
    const limitRow = h("div", { class: "row" }, limit.amount, limit.kind);
    const limitLabel = h("span", { class: "label" }, t("limit_by"));
    const side = h("select", { id: "side" }, ...game.sides.map((name, number) => h("option", { value: String(number) }, fromServer(name))),
      h("option", { value: "any" }, t("either")));
    const sideLabel = h("label", { for: "side" }, t("you_are"));
    const fit = () => {
      const chosen = game.players.find((player) => player.name === opponent.value);
      about.textContent = chosen ? fromServer(chosen.description) : "";
      for (const part of [limitRow, limitLabel]) part.hidden = !chosen;
      for (const part of [side, sideLabel]) part.hidden = opponent.value === "";
    };
    opponent.addEventListener("change", fit);
    fit();
    const first = h("select", { id: "first" }, ...game.sides.map((name, number) => h("option", { value: String(number) }, fromServer(name))));
    const clock = h("select", { id: "clock" },
      h("option", { value: "" }, t("none")), ...[1, 3, 5, 10, 30].map((minutes) => h("option", { value: String(60 * minutes) }, t("n_min_per_side", { n: minutes }))));
    const placement = h("input", { type: "checkbox", id: "placement" });
    const begin = h("button", { id: "begin", onclick: () => {
      const number = side.value === "any" ? Math.floor(Math.random() * 2) : Number(side.value);
      const invite = opponent.value === INVITE;
      start({ opponent: invite ? null : opponent.value || null, invite, side: number, ...limit.read(), place: placement.checked,
        clock: clock.value ? Number(clock.value) : null, first: game.either_first ? Number(first.value) : null }, begin);
    } }, t("begin"));
    return h("div", { class: "form" },
      h("label", { for: "opponent" }, t("opponent_title")), h("div", { class: "row" }, opponent, about),
      limitLabel, limitRow, sideLabel, side,
      ...(game.either_first ? [h("label", { for: "first" }, t("first_to_move")), first] : []),
      h("label", { for: "clock" }, t("clock")), clock,
      ...(game.placement ? [h("span", { class: "label" }, t("placement")), h("label", { for: "placement" }, placement, t("i_arrange_my_own_pieces"))] : []),
      h("span", {}), h("div", {}, begin));
  }
}
