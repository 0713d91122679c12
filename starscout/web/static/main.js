// Entry point: tabs by address, language and theme.

import { showSoundButton } from "./sound.js";
import { showSwitcher } from "./switcher.js";
import "./socket.js";
import "./theme.js";
import { t } from "./words.js";

const VIEWS = {
  play: () => import("./play.js"),
  watch: () => import("./watch.js"),
  wall: () => import("./wall.js"),
  analyse: () => import("./analyse.js"),
  puzzles: () => import("./puzzles.js"),
  archive: () => import("./archive.js"),
  search: () => import("./search.js"),
};

const TITLES = { play: "play", watch: "watch", wall: "watch", analyse: "analyse", puzzles: "puzzles", archive: "archive", search: "search_tree" };
const place = document.getElementById("main");
let leave = null;
let turn = 0;
let shown = null;

async function show() {
  const [name, ...rest] = location.hash.replace(/^#\/?/, "").split("/").map(decodeURIComponent);
  const view = VIEWS[name] ? name : "play";
  turn += 1;
  const mine = turn;
  const module = await VIEWS[view]();
  if (mine !== turn) return;
  leave?.();
  place.replaceChildren();
  document.title = `${t(TITLES[view])} – StarScout`;
  // Screen readers start at the new view.
  if (shown !== null && shown !== view) {
    place.focus({ preventScroll: true });
    scrollTo(0, 0);
  }
  shown = view;
  for (const tab of document.querySelectorAll("#tabs a")) {
    if (tab.dataset.tab === view) tab.setAttribute("aria-current", "page");
    else tab.removeAttribute("aria-current");
  }
  leave = module.show(place, rest) ?? null;
}

showSwitcher(() => { showSoundButton(); show(); });
showSoundButton();
window.addEventListener("hashchange", show);
show();

