// The language button; `changed` is called after a change.

import { language, setLanguage, translate } from "./words.js";

export function showSwitcher(changed = () => {}) {
  const switcher = document.getElementById("language");
  const show = () => {
    switcher.textContent = language() === "zh" ? "English" : "中文";
    switcher.lang = language() === "zh" ? "en" : "zh-Hant";
    translate(document);
  };
  switcher.addEventListener("click", () => {
    setLanguage(language() === "zh" ? "en" : "zh");
    show();
    changed();
  });
  show();
}
