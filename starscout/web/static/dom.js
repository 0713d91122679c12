// Elements in one line: h("button", {class: "main", onclick: go}, "Go").

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

// What the server has drawn: its own SVG and HTML, in which every text of a game or a player is escaped.
export function drawn(html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  return template.content;
}

let hiding = 0;

export function notice(text) {
  const place = document.getElementById("notice");
  place.textContent = text;
  clearTimeout(hiding);
  hiding = setTimeout(() => { place.textContent = ""; }, 6000);
}

export function announce(text) {
  document.getElementById("announcer").textContent = text;
}

export const percent = (chance, digits = 1) => (chance === null || chance === undefined ? "–" : `${(100 * chance).toFixed(digits)} %`);
