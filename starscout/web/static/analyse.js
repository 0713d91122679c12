// The Analyse tab: its start page, which reads game records and offers boards to set up.

import { gameCards, games } from "./catalogue.js";
import { h, showNotice } from "./dom.js";
import { showPosition } from "./position.js";
import { showReview } from "./review.js";
import { requestOrNotify } from "./socket.js";
import { fromServer, t } from "./words.js";

const LARGEST = 900_000;

export function show(place, path) {
  if (path[0] === "position") return showPosition(place, path[1], path[2] ?? null);
  if (path.length) {
    const [key, ply] = path.join("/").split("@");
    return showReview(place, key, ply === undefined ? null : Number(ply));
  }
  return showChoice(place);
}

// The start page of the tab.

function showChoice(place) {
  const grid = h("div", { class: "games" });
  const { zone, stop } = dropZone();
  place.append(h("h1", {}, t("analyse_a_game_or_a_position")), zone, h("h2", {}, t("set_up_a_position")), grid);
  games().then((all) => grid.append(...gameCards(all, (game) => { location.hash = `#/analyse/position/${encodeURIComponent(game.name)}`; })))
    .catch((error) => showNotice(error.message));
  return stop;
}

function dropZone() {
  const list = h("div", {});
  const file = h("input", { type: "file", id: "record-file", class: "unseen", onchange: () => file.files[0] && read(file.files[0]) });
  const zone = h("div", { class: "drop" }, h("p", {}, t("drop_record")),
    h("p", {}, file, h("label", { for: "record-file", class: "button" }, t("select_a_file"))),
    h("p", { class: "small faint" }, t("accepted_records")), list);
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
      showNotice(t("file_too_large_the_maximum_is_n", { n: LARGEST / 1000 }));
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
      ? h("a", { href: `#/analyse/${game.key}` }, `${game.game}: ${game.players.join(" – ")}, ${fromServer(game.reason)}, ${t("n_plies", { n: game.plies })}`)
      : h("span", { class: "bad" }, game.error)))));
  }
  const stop = () => { for (const [name, listener] of Object.entries(listeners)) document.body.removeEventListener(name, listener); };
  return { zone, stop };
}
