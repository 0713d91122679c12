// The language of the page and its texts.

import { CHINESE } from "./chinese.js";
import { ENGLISH } from "./english.js";
import { remember, remembered } from "./theme.js";

// English text → key, for the texts of the server.
const KEYS = new Map(Object.entries(ENGLISH).map(([key, text]) => [text, key]));

const preferred = () => (navigator.languages ?? [navigator.language]).some((tag, index) => index === 0 && tag.toLowerCase().startsWith("zh"));

let spoken = remembered("language") ?? (preferred() ? "zh" : "en");

export function language() {
  return spoken;
}

export function setLanguage(name) {
  spoken = name;
  remember("language", name);
}

// A text of the page by key, with values for its {names}; {n:move|moves} depends on the number.
export function t(key, values = {}) {
  const found = (language() === "zh" ? CHINESE : ENGLISH)[key] ?? key;
  return found.replace(/\{(\w+):(.*?)\|(.*?)\}/g, (_, name, one, more) => (/^[+−]?1$/.test(values[name]) ? one : more))
    .replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

// A text that the server sends in English, such as the title of a game; texts of user games stay as they are.
export function fromServer(text) {
  return KEYS.has(text) ? t(KEYS.get(text)) : text;
}

// Why a game ended, in a sentence; reasons of user games stay as they are. `values` are the names of winner and loser.
export function endReason(reason, values) {
  const key = `end_${reason.toLowerCase().replace(/[^a-z0-9]+/g, "_")}`;
  const keys = values.winner === undefined ? [`${key}_draw`, key] : [key];
  const found = keys.find((one) => one in ENGLISH && (values.winner !== undefined || !ENGLISH[one].includes("{")));
  return found === undefined ? fromServer(reason) : t(found, values);
}

// Translate elements with data-t, its value a key, or empty for a text of the server; and ARIA labels with data-t-label.
export function translate(root) {
  document.documentElement.lang = language() === "zh" ? "zh-Hant" : "en";
  for (const element of root.querySelectorAll("[data-t]")) {
    element.dataset.t ||= KEYS.get(element.textContent) ?? "";
    if (element.dataset.t) element.textContent = t(element.dataset.t);
  }
  for (const element of root.querySelectorAll("[data-t-label]")) element.setAttribute("aria-label", t(element.dataset.tLabel));
  // The names of a chart's axes.
  for (const chart of root.querySelectorAll("svg.chart[aria-label]")) {
    chart.dataset.label ??= chart.getAttribute("aria-label");
    chart.setAttribute("aria-label", chart.dataset.label.split(" / ").map(fromServer).join(" / "));
  }
  // On small screens the rows of these tables are cards, in which every value has the title of its column.
  for (const cell of root.querySelectorAll("table.named td")) cell.dataset.label = cell.closest("table").tHead.rows[0].cells[cell.cellIndex].textContent;
}
