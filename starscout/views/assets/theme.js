// Light or dark: as the system says, or as the person has chosen. A file on disk may have no memory for choices.

const dark = matchMedia("(prefers-color-scheme: dark)");
let chosen = remembered("theme");

export function remembered(name) {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

export function remember(name, value) {
  try {
    localStorage.setItem(name, value);
  } catch {
    // The choice holds until the page is closed.
  }
}

function applyTheme() {
  document.documentElement.dataset.theme = chosen ?? (dark.matches ? "dark" : "light");
}

applyTheme();
dark.addEventListener("change", applyTheme);
document.getElementById("theme").addEventListener("click", () => {
  chosen = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
  remember("theme", chosen);
  applyTheme();
});
