// The Play tab: choose a game and an opponent.

import { gameCards, games, levelFields, playerOptions, showRules } from "./catalogue.js";
import { h, showNotice } from "./dom.js";
import { requestOrNotify } from "./socket.js";
import { showTable } from "./table.js";
import { remember, remembered } from "./theme.js";
import { t } from "./words.js";

export function show(place, [table]) {
  return table ? showTable(place, table) : showSetup(place);
}

function showSetup(place) {
  const sheet = h("div", { class: "stack" });
  place.append(h("h1", {}, t("Play a game")), sheet);
  let gone = false;
  games().then((all) => { if (!gone) fill(all); }).catch((error) => showNotice(error.message));

  function fill(all) {
    const known = all.find((game) => game.name === remembered("game")) ?? all[0];
    const grid = h("div", { class: "games", role: "group", "aria-label": t("Game") });
    const form = h("div", {});
    sheet.append(grid, form);
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

function setupForm(game) {
  const opponent = h("select", { id: "opponent" }, ...playerOptions(game, { people: true }));
  const said = h("span", { class: "small faint" });
  const level = levelFields();
  const levelRow = h("div", { class: "row" }, level.amount, level.kind);
  const levelLabel = h("span", { class: "label" }, t("Level"));
  const side = h("select", { id: "side" }, ...game.sides.map((name, number) => h("option", { value: String(number) }, t(name))),
    h("option", { value: "any" }, t("either")));
  const sideLabel = h("label", { for: "side" }, t("You are"));
  const describe = () => {
    const chosen = game.players.find((player) => player.name === opponent.value);
    said.textContent = chosen ? t(chosen.description) : "";
    // Two users at one board need no level and no side.
    for (const part of [levelRow, levelLabel, side, sideLabel]) part.hidden = !chosen;
  };
  opponent.addEventListener("change", describe);
  describe();
  const first = h("select", { id: "first" }, ...game.sides.map((name, number) => h("option", { value: String(number) }, t(name))));
  const clock = h("select", { id: "clock" },
    h("option", { value: "" }, t("none")), ...[1, 3, 5, 10, 30].map((minutes) => h("option", { value: String(60 * minutes) }, t("{n} min per side", { n: minutes }))));
  const placement = h("input", { type: "checkbox", id: "placement" });
  const begin = h("button", { class: "main", id: "begin", onclick: async () => {
    begin.disabled = true;
    const number = side.value === "any" ? Math.floor(Math.random() * 2) : Number(side.value);
    const answer = await requestOrNotify("new", {
      game: game.name, opponent: opponent.value || null, side: number, ...level.read(), place: placement.checked,
      clock: clock.value ? Number(clock.value) : null, first: game.either_first ? Number(first.value) : null,
    });
    begin.disabled = false;
    if (answer) location.hash = `#/play/${answer.table}`;
  } }, t("Begin"));
  return h("div", { class: "sheet stack" },
    h("div", { class: "row" }, h("h2", {}, t(game.title)), h("button", { class: "small", "data-do": "rules", onclick: () => showRules(game) }, t("Rules"))),
    h("div", { class: "form" },
      h("label", { for: "opponent" }, t("Opponent")), h("div", { class: "row" }, opponent, said),
      levelLabel, levelRow, sideLabel, side,
      ...(game.either_first ? [h("label", { for: "first" }, t("First to move")), first] : []),
      h("label", { for: "clock" }, t("Clock")), clock,
      ...(game.placement ? [h("span", { class: "label" }, t("Placement")), h("label", { for: "placement" }, placement, t("I arrange my own pieces"))] : []),
      h("span", {}), h("div", {}, begin)));
}
