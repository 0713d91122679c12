// Create elements: h("button", {class: "main", onclick: go}, "Go").

export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name in element && typeof value !== "string") element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

export function svgElement(tag, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

// SVG or HTML from the server, which escapes all texts.
export function parseHtml(html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  return template.content;
}

// The colour of a side.
export function swatch(colour) {
  const element = h("span", { class: "swatch", "aria-hidden": "true" });
  element.style.background = colour;
  return element;
}

export const positionLink = (game, position) => `#/analyse/position/${encodeURIComponent(game)}/${encodeURIComponent(position)}`;

// A button that copies a text to the clipboard, or shows it if the clipboard is not available.
export function copyButton(label, text) {
  const button = h("button", { "data-do": "link", onclick: async () => {
    try {
      await navigator.clipboard.writeText(text());
      button.textContent = `${label} ✓`;
      setTimeout(() => { button.textContent = label; }, 1500);
    } catch {
      prompt(label, text());
    }
  } }, label);
  return button;
}

// The content of a page whose link is not valid any more.
export function notFound(why, link, label) {
  return h("div", { class: "sheet empty" }, h("p", { class: "sentence" }, why), h("p", {}, h("a", { href: link }, label)));
}

let hiding = 0;

export function showNotice(text) {
  const place = document.getElementById("notice");
  place.textContent = text;
  clearTimeout(hiding);
  hiding = setTimeout(() => { place.textContent = ""; }, 6000);
}

export function announce(text) {
  document.getElementById("announcer").textContent = text;
}

// The win probability of an expected result in [−1, 1]; a draw counts as half a win.
export const winProbability = (value) => (value === null || value === undefined ? null : (value + 1) / 2);

export const percent = (chance, digits = 1) => (chance === null || chance === undefined ? "–" : `${(100 * chance).toFixed(digits)}\u00a0%`);
