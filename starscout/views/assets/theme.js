// The theme: that of the system, or the user's choice. Local files may have no storage.

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
    // The choice is lost when the page is closed.
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
