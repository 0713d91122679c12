// The page: its views by address, the language and the theme.

import { translate, t, language, setLanguage } from "./words.js";
import "./socket.js";

const VIEWS = {
  play: () => import("./play.js"),
  watch: () => import("./watch.js"),
  analyse: () => import("./analyse.js"),
  search: () => import("./search.js"),
};

const place = document.getElementById("main");
let leave = null;
let turn = 0;

async function show() {
  const [name, ...rest] = location.hash.replace(/^#\/?/, "").split("/").map(decodeURIComponent);
  const view = VIEWS[name] ? name : "play";
  turn += 1;
  const mine = turn;
  const module = await VIEWS[view]();
  if (mine !== turn) return;
  leave?.();
  place.replaceChildren();
  for (const tab of document.querySelectorAll("#tabs a")) {
    if (tab.dataset.tab === view) tab.setAttribute("aria-current", "page");
    else tab.removeAttribute("aria-current");
  }
  leave = module.show(place, rest) ?? null;
}

function applyTheme(theme) {
  document.documentElement.dataset.theme = theme;
}

const dark = matchMedia("(prefers-color-scheme: dark)");
const chosenTheme = () => localStorage.getItem("theme") ?? (dark.matches ? "dark" : "light");
applyTheme(chosenTheme());
dark.addEventListener("change", () => applyTheme(chosenTheme()));
document.getElementById("theme").addEventListener("click", () => {
  localStorage.setItem("theme", chosenTheme() === "dark" ? "light" : "dark");
  applyTheme(chosenTheme());
});

const switcher = document.getElementById("language");
function showLanguage() {
  switcher.textContent = language() === "zh" ? "English" : "中文";
  switcher.lang = language() === "zh" ? "en" : "zh-Hant";
  translate(document);
}
switcher.addEventListener("click", () => {
  setLanguage(language() === "zh" ? "en" : "zh");
  showLanguage();
  show();
});
showLanguage();
document.title = `StarScout – ${t("Play")}`;
window.addEventListener("hashchange", show);
show();

